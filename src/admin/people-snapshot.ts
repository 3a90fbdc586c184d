// Everyone known, read in one pass for all pages and exports of the next ten seconds, and handed out in slices: any web
// page may send an admin's browser here as often as it likes. Held are rows, not records, and at most two passes of them,
// because a reader holds none: it goes on in the newest one.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { People } from '../people/people.ts'
import type { PersonApp } from '../people/person.ts'
import { summarize, type PersonSummary } from './person-summary.ts'
import { createReport, type Report } from './report.ts'

const FRESH_MS = 10_000
/** What looks at so many people takes a few milliseconds. */
const SLICE = 500

type Use = 'page' | 'download'

/** @param gone aborts when the browser is; then they throw its reason */
export type PeopleSnapshot = {
  /** In the order of their addresses. */
  summaries(gone: AbortSignal, use: Use): AsyncGenerator<PersonSummary>
  report(gone: AbortSignal): Promise<Report>
}

type Pass = { summaries: PersonSummary[]; report: Report }

const emailOf = (summary: PersonSummary | undefined) => summary?.person.email ?? ''

function sliceBehind(after: string, { summaries }: Pass): PersonSummary[] {
  let [first, end] = [0, summaries.length]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (emailOf(summaries[middle]) <= after) first = middle + 1
    else end = middle
  }
  return summaries.slice(first, first + SLICE)
}

/** @param now milliseconds since 1970 */
export function createPeopleSnapshot(people: Pick<People, 'all'>, now: () => number): PeopleSnapshot {
  let latest: Pass | undefined
  let reading: Promise<void> | undefined
  /** Those who wait for the pass that is under way, and have not gone. */
  const waiting = new Set<AbortSignal>()

  /** Stops where everyone who waited for it has gone. */
  async function read(): Promise<void> {
    const summaries: PersonSummary[] = []
    // One object for all who have an app in the same state.
    const apps = new Map<string, PersonApp>()
    let [unread, isWhole] = [0, false]
    const shared = (app: PersonApp) => {
      const key = JSON.stringify(app)
      return apps.get(key) ?? (apps.set(key, app), app)
    }
    async function* each() {
      for await (const person of people.all(() => unread++)) {
        if (waiting.size === 0) return
        const summary = summarize(person, shared)
        summaries.push(summary)
        yield summary
      }
      isWhole = true
    }
    const report = await createReport(each(), now(), () => unread)
    if (!isWhole) return
    summaries.sort((one, other) => (emailOf(one) < emailOf(other) ? -1 : 1))
    latest = { summaries, report }
    setTimeout(() => (latest = undefined), FRESH_MS).unref()
  }

  async function newest(gone: AbortSignal): Promise<Pass> {
    for (;;) {
      gone.throwIfAborted()
      if (latest !== undefined) return latest
      waiting.add(gone)
      gone.addEventListener('abort', () => waiting.delete(gone))
      await (reading ??= read().finally(() => {
        reading = undefined
        waiting.clear()
      }))
    }
  }

  /**
   * One slice a turn over all pages, and one over all downloads: a slice of each in the same turn would hold up everyone
   * else. Downloads are longer, so no page waits for them.
   */
  const turns = { page: Promise.resolve(), download: Promise.resolve() }

  async function nextSlice(after: string, use: Use, gone: AbortSignal): Promise<PersonSummary[]> {
    const pass = await newest(gone)
    await (turns[use] = turns[use].then(() => nextTurn()))
    return sliceBehind(after, pass)
  }

  return {
    async *summaries(gone, use) {
      for (let after = ''; ;) {
        const slice = await nextSlice(after, use, gone)
        yield* slice
        if (slice.length < SLICE) return
        after = emailOf(slice.at(-1))
      }
    },
    report: async (gone) => (await newest(gone)).report,
  }
}
