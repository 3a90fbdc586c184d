// Notes what a recorded call uses, and reports the bodies that could not be read with what they may bear.
import type { Matcher, Use } from '../matching/deprecated-use.ts'
import { operationOf } from '../schedule/schedule.ts'
import type { TimedCall } from '../input/ndjson.ts'
import { sightingOf, type Tally, type Where } from './tally.ts'

export type NoteParts = {
  matcher: Matcher
  tally: Tally
  /** Hears of a part that could not be read. */
  fault: (line: number | undefined, what: string) => void
}

const fieldOf = ({ entry }: Use) => (entry.kind === 'field' ? entry.field : '')

/** Counts a call as a request and notes its uses. A body that could not be read is one fault, whatever it may bear. */
export const noteCall = (call: TimedCall, where: Where, { matcher, tally, fault }: NoteParts): void => {
  tally.requests += 1
  const unread: Use[] = []
  matcher.eachUse(call, (use) => {
    tally.note(sightingOf(use, where, call.time))
    if (use.confidence === 'unread') unread.push(use)
  })
  for (const uses of Map.groupBy(unread, ({ side }) => side).values()) {
    const [{ entry, side, why } = {}] = uses
    if (entry === undefined) continue
    const fields = [...new Set(uses.map(fieldOf))].join(', ')
    fault(where.line, `the ${side} of ${operationOf(entry)} ${why}; it may bear ${fields}`)
  }
}
