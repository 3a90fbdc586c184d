// What other systems are told of people. It is written together with what makes it true, in the person's own record: so no
// crash loses it, it costs no write of its own, and it goes when the person is forgotten.
import { randomBytes } from 'node:crypto'
import type { Arrival, News } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'

/** The oldest go then: someone may go back and forth all day. */
export const MAX_NEWS = 50

type Piece = Pick<News, 'type' | 'app'>

/**
 * What a change tells. Pure. Only what was seen before in another state can have become connected: a person whose record
 * was deleted meanwhile brings back what has long been known.
 */
export function newsOf(before: Arrival, after: Arrival): Piece[] {
  const news: Piece[] = []
  if (before.signedInAt === undefined && after.signedInAt !== undefined)
    news.push({ type: 'person.signed_in' })
  const states = new Map(before.sources.map(({ instance, state }) => [instance, state]))
  for (const { instance, name, state } of after.sources) {
    const was = states.get(instance)
    const app = { instance, name }
    if (state === was) continue
    if (state === 'connected' && was !== undefined) news.push({ type: 'app.connected', app })
    if (state === 'blocked') news.push({ type: 'app.waiting_for_admin', app })
  }
  const isFinished = before.finishedAt === undefined && after.finishedAt !== undefined
  if (isFinished && before.asOf !== undefined) news.push({ type: 'person.finished' })
  return news
}

/** 128 random bits; without a dot, which the signature has between its parts. */
const newId = () => `msg_${randomBytes(16).toString('base64url')}`

export type OnNews = (email: string, dropped: number) => void

/** @param onNews is told that there is news of a person, and how much had to go for it */
export function withNews(arrivals: Arrivals, now: () => number, onNews: OnNews = () => {}): Arrivals {
  return {
    ...arrivals,
    async change(email, change) {
      let made = 0
      let dropped = 0
      const changed = await arrivals.change(email, (before, isKnown) => {
        const after = change(before, isKnown)
        const at = now()
        const pieces = newsOf(before, after).map((piece) => ({
          id: newId(),
          ...piece,
          at,
          tries: 0,
          dueAt: at,
        }))
        const all = [...(after.news ?? []), ...pieces]
        made = pieces.length
        dropped = Math.max(0, all.length - MAX_NEWS)
        return made === 0 ? after : { ...after, news: all.slice(-MAX_NEWS) }
      })
      if (made > 0) onNews(changed.email, dropped)
      return changed
    },
  }
}
