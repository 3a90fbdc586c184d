// Adds events for other systems to the person's record. One write has the event and its cause, so a crash loses
// neither, and events are deleted with the person. Pure.
import { randomBytes } from 'node:crypto'
import { appsOf, isFinished, type OutboxEvent, type Person } from './person.ts'

/** Older events are dropped, because a person may connect and disconnect all day. */
const MAX_OUTBOX = 50

/** An app is newly connected only if the record had it in another state: a deleted record forgets old connections. */
function eventsOf(before: Person, after: Person): Pick<OutboxEvent, 'type' | 'app'>[] {
  const events: Pick<OutboxEvent, 'type' | 'app'>[] = []
  if (before.signedInAt === undefined && after.signedInAt !== undefined)
    events.push({ type: 'person.signed_in' })
  if (before.lastCheck === after.lastCheck && before.intents === after.intents) return events
  const states = new Map(appsOf(before).map(({ instance, state }) => [instance, state]))
  for (const { instance, name, state } of appsOf(after)) {
    const was = states.get(instance)
    const app = { instance, name }
    if (state === was) continue
    if (was === undefined && before.lastCheck !== undefined && state !== 'connected' && state !== 'off')
      events.push({ type: 'app.added', app })
    if (state === 'connected' && was !== undefined) events.push({ type: 'app.connected', app })
    if (was === 'connected' && state !== 'off') events.push({ type: 'app.disconnected', app })
    if (state === 'blocked') events.push({ type: 'app.waiting_for_admin', app })
  }
  if (before.lastCheck !== undefined && !isFinished(before) && isFinished(after))
    events.push({ type: 'person.finished' })
  return events
}

/** 128 random bits, without a dot, because dots separate the parts of the signature. */
const newId = () => `msg_${randomBytes(16).toString('base64url')}`

/** @returns the person with the events of this change; `dropped` counts old events that were removed for them */
export function withEvents(before: Person, after: Person, now: number) {
  const events = eventsOf(before, after)
  if (events.length === 0) return { person: after, added: 0, dropped: 0 }
  const added = events.map((event) => ({ id: newId(), ...event, at: now, tries: 0, dueAt: now }))
  const outbox = [...(after.outbox ?? []), ...added]
  const dropped = Math.max(0, outbox.length - MAX_OUTBOX)
  return { person: { ...after, outbox: outbox.slice(-MAX_OUTBOX) }, added: added.length, dropped }
}
