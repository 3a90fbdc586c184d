// In which order departments and apps are shown. The query of the page says so: `sort=stuck`, and `sort=-stuck` the other
// way round. Pure.
import { peopleWith, stuckAt, type App } from './apps.ts'
import type { Group } from './groups.ts'

type Row = { name: string | undefined }

/** Most columns begin with the largest number, because that is where most is to do. */
export type Column<T> =
  { by: 'name' } | { by: 'number'; value: (row: T) => number; from: 'largest' | 'smallest' }

type Order<C extends string> = { column: C; isReversed: boolean }

const share = (part: number, whole: number) => (whole === 0 ? Infinity : part / whole)
const most = <T>(value: (row: T) => number): Column<T> => ({ by: 'number', value, from: 'largest' })

export const GROUP_COLUMNS = {
  name: { by: 'name' },
  ready: { by: 'number', value: ({ ready, people }) => share(ready, people), from: 'smallest' },
  people: most(({ people }) => people),
  inProgress: most(({ inProgress }) => inProgress),
  notStarted: most(({ notStarted }) => notStarted),
  stuck: most(({ stuck }) => stuck),
} as const satisfies Record<string, Column<Group>>

export const APP_COLUMNS = {
  name: { by: 'name' },
  connected: { by: 'number', value: (app) => share(app.counts.connected, peopleWith(app)), from: 'smallest' },
  waiting: most(({ counts }) => counts.waiting),
  skipped: most(({ counts }) => counts.skipped),
  stuck: most(stuckAt),
  off: most(({ counts }) => counts.off),
} as const satisfies Record<string, Column<App>>

/** @param asked the query's `sort`, untrusted */
export function orderOf<C extends string>(
  asked: unknown,
  columns: Record<C, unknown>,
  usual: NoInfer<C>,
): Order<C> {
  const text = typeof asked === 'string' ? asked : ''
  const column = (Object.keys(columns) as C[]).find((known) => known === text.replace(/^-/, ''))
  return column === undefined
    ? { column: usual, isReversed: false }
    : { column, isReversed: text.startsWith('-') }
}

/** Which way a column is sorted, as aria-sort has it. */
export const directionOf = <T>(column: Column<T>, isReversed: boolean): 'ascending' | 'descending' =>
  (column.by === 'name' || column.from === 'smallest') === isReversed ? 'descending' : 'ascending'

/** In a new array; equal ones by name, and what has no name at the end. @param lang how names are compared */
export function sorted<T extends Row>(
  rows: readonly T[],
  column: Column<T>,
  { isReversed, lang }: { isReversed: boolean; lang: string },
): T[] {
  const names = new Intl.Collator(lang, { numeric: true })
  const byName = (one: T, other: T) => names.compare(one.name ?? '', other.name ?? '')
  const byValue = (one: T, other: T) => {
    if (column.by === 'name') return byName(one, other)
    const [first, second] = [column.value(one), column.value(other)]
    if (first === second) return 0
    return first < second === (column.from === 'smallest') ? -1 : 1
  }
  return rows.toSorted(
    (one, other) =>
      Number(one.name === undefined) - Number(other.name === undefined) ||
      (isReversed ? -1 : 1) * byValue(one, other) ||
      byName(one, other),
  )
}
