// What other systems are told of people. It is written together with what makes it true, in the person's own record: so no
// crash loses it, it costs no write of its own, and it goes when the person is forgotten.
import { randomBytes } from 'node:crypto'
import type { Person, OutboxEvent } from './person.ts'
import type { People } from './people.ts'

/** The oldest go then: someone may go back and forth all day. */
export const MAX_OUTBOX = 50

type Piece = Pick<OutboxEvent, 'type' | 'app'>

/**
 * What a change tells. Pure. Only what was seen before in another state can have become connected: a person whose record
 * was deleted meanwhile brings back what has long been known.
 */
export function eventsOf(before: Person, after: Person): Piece[] {
  const outbox: Piece[] = []
  if (before.signedInAt === undefined && after.signedInAt !== undefined)
    outbox.push({ type: 'person.signed_in' })
  const states = new Map(before.sources.map(({ instance, state }) => [instance, state]))
  for (const { instance, name, state } of after.sources) {
    const was = states.get(instance)
    const app = { instance, name }
    if (state === was) continue
    if (state === 'connected' && was !== undefined) outbox.push({ type: 'app.connected', app })
    if (state === 'blocked') outbox.push({ type: 'app.waiting_for_admin', app })
  }
  const isFinished = before.finishedAt === undefined && after.finishedAt !== undefined
  if (isFinished && before.asOf !== undefined) outbox.push({ type: 'person.finished' })
  return outbox
}

/** 128 random bits; without a dot, which the signature has between its parts. */
const newId = () => `msg_${randomBytes(16).toString('base64url')}`

export type OnEvents = (email: string, dropped: number) => void

/** @param onEvents is told that there is outbox of a person, and how much had to go for it */
export function withOutbox(people: People, now: () => number, onEvents: OnEvents = () => {}): People {
  return {
    ...people,
    async change(email, change) {
      let made = 0
      let dropped = 0
      const changed = await people.change(email, (before, isKnown) => {
        const after = change(before, isKnown)
        const at = now()
        const pieces = eventsOf(before, after).map((piece) => ({
          id: newId(),
          ...piece,
          at,
          tries: 0,
          dueAt: at,
        }))
        const all = [...(after.outbox ?? []), ...pieces]
        made = pieces.length
        dropped = Math.max(0, all.length - MAX_OUTBOX)
        return made === 0 ? after : { ...after, outbox: all.slice(-MAX_OUTBOX) }
      })
      if (made > 0) onEvents(changed.email, dropped)
      return changed
    },
  }
}
