// Tables of departments and apps, sorted by the query: `sort=stuck`, or `sort=-stuck` for the other order. Pure.
import type { TextKey } from '../web/languages/catalogue.ts'
import type { Texts } from '../web/languages/texts.ts'
import { peopleUrl, type Filter } from './filters.ts'
import { peopleStuckAt, peopleWithApp, type AppCounts, type Report } from './report.ts'

const NO_SHARE = '–'

/** Rounds, but never to 0% or 100% unless that is exact. */
export function shareFormatter(t: Texts): (part: number, whole: number) => string {
  const format = new Intl.NumberFormat(t.lang, { style: 'percent' })
  return (part, whole) => {
    if (whole <= 0) return NO_SHARE
    const exact = Math.min(1, Math.max(0, part / whole))
    const rounded = Math.min(part < whole ? 0.99 : 1, Math.round(exact * 100) / 100)
    return part > 0 && rounded === 0
      ? t('admin.less', { share: format.format(0.01) })
      : format.format(rounded)
  }
}

/** The width of a bar in percent. */
export const widthOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(1))

/** `query` on the table's own page, `columns` on the overview. */
type TableView = { query?: Record<string, unknown>; columns?: readonly string[] }

/** Rows shown before "Show all". */
const FIRST_ROWS = { page: 10, overview: 8 }
const ROWS_A_PAGE = 50

/** Numbers sort from the largest, shares from the smallest, so that the most work comes first. */
type Column<T> = { label: TextKey; value?: (row: T) => number; isShare?: boolean; list?: Filter }

type TableKind<T> = {
  path: string
  /** The first column is the name, the second the share of finished people. */
  columns: Record<string, Column<T>>
  defaultSort: string
  query: (row: T) => { app?: string; group?: string } | undefined
  people: (row: T) => { good: number; stuck: number; all: number }
}

const share = (part: number, whole: number) => (whole === 0 ? Infinity : part / whole)

const GROUPS: TableKind<Report['groups'][number]> = {
  path: '/admin/departments',
  defaultSort: 'ready',
  columns: {
    name: { label: 'admin.group' },
    ready: {
      label: 'admin.groupReady',
      value: ({ finished, hadToConnect }) => share(finished, hadToConnect),
      isShare: true,
      list: 'finished',
    },
    people: { label: 'admin.groupPeople', value: ({ people }) => people, list: 'all' },
    inProgress: { label: 'admin.stat.inProgress', value: ({ inProgress }) => inProgress, list: 'inProgress' },
    notStarted: { label: 'admin.stat.notStarted', value: ({ notStarted }) => notStarted, list: 'notStarted' },
    stuck: { label: 'admin.stat.stuck', value: ({ stuck }) => stuck, list: 'stuck' },
    fellBack: { label: 'admin.stat.fellBack', value: ({ fellBack }) => fellBack, list: 'fellBack' },
  },
  query: ({ name: group }) => (group === undefined ? undefined : { group }),
  people: ({ finished, stuck, hadToConnect }) => ({ good: finished, stuck, all: hadToConnect }),
}

const APPS: TableKind<AppCounts> = {
  path: '/admin/apps',
  defaultSort: 'waiting',
  columns: {
    name: { label: 'admin.app' },
    connected: {
      label: 'admin.state.connected',
      value: (app) => share(app.counts.connected, peopleWithApp(app)),
      isShare: true,
      list: 'connecting',
    },
    // Unconfirmed people count as stuck.
    waiting: {
      label: 'admin.state.waiting',
      value: ({ counts, unconfirmed }) => counts.waiting - unconfirmed,
      list: 'waiting',
    },
    skipped: { label: 'admin.state.skipped', value: ({ counts }) => counts.skipped, list: 'skipped' },
    stuck: { label: 'admin.stat.stuck', value: peopleStuckAt, list: 'stuck' },
    lapsed: { label: 'admin.lostApp', value: ({ lapsed }) => lapsed, list: 'lapsed' },
    off: { label: 'admin.state.off', value: ({ counts }) => counts.off, list: 'off' },
  },
  query: ({ instance: app }) => ({ app }),
  people: (app) => ({ good: app.counts.connected, stuck: peopleStuckAt(app), all: peopleWithApp(app) }),
}

export const groupTable = (groups: Report['groups'], view: TableView, t: Texts) =>
  tableOf(GROUPS, groups, view, t)
export const appTable = (apps: readonly AppCounts[], view: TableView, t: Texts) =>
  tableOf(APPS, apps, view, t)

function tableOf<T extends { name: string | undefined }>(
  kind: TableKind<T>,
  rows: readonly T[],
  { query = {}, columns }: TableView,
  t: Texts,
) {
  const sort = typeof query['sort'] === 'string' ? query['sort'] : ''
  const requestedColumn = Object.keys(kind.columns).find((name) => name === sort.replace(/^-/, ''))
  const isReversed = requestedColumn !== undefined && sort.startsWith('-')
  const sortedBy = requestedColumn ?? kind.defaultSort
  const number =
    typeof query['page'] === 'string' && /^\d{1,4}$/.test(query['page']) ? Number(query['page']) : undefined
  const max = columns === undefined ? FIRST_ROWS.page : FIRST_ROWS.overview
  const size = number === undefined ? max : ROWS_A_PAGE
  const pages = Math.max(1, Math.ceil(rows.length / size))
  const page = Math.min(pages, Math.max(1, number ?? 1))
  const urlOfPage = (nth: number) =>
    nth < 1 || nth > pages ? undefined : `${kind.path}?sort=${isReversed ? '-' : ''}${sortedBy}&page=${nth}`
  const shownColumns = Object.entries(kind.columns).filter(([name]) => columns?.includes(name) !== false)
  const inOrder = sortRows(rows, kind.columns[sortedBy] ?? {}, isReversed, t.lang)
  const shareIn = shareFormatter(t)
  return {
    columns: shownColumns.map(([name, { label, value, isShare }]) => ({
      name,
      label: t(label),
      href: `${kind.path}?sort=${name === sortedBy && !isReversed ? '-' : ''}${name}`,
      sort:
        name !== sortedBy
          ? undefined
          : (value === undefined || isShare === true) === isReversed
            ? 'descending'
            : 'ascending',
    })),
    path: kind.path,
    sortedBy,
    rows: inOrder.slice((page - 1) * size, page * size).map((row) => {
      const people = kind.people(row)
      const peopleQuery = kind.query(row)
      const listOf = (count: number, list?: Filter) =>
        list && peopleQuery && count > 0 ? peopleUrl({ filter: list, ...peopleQuery }) : undefined
      return {
        name: row.name ?? t('admin.smallGroups'),
        href: peopleQuery && peopleUrl(peopleQuery),
        bar: { good: widthOf(people.good, people.all), stuck: widthOf(people.stuck, people.all) },
        share: shareIn(people.good, people.all),
        part: {
          count: people.good,
          text: t('admin.person.done', { connected: people.good, total: people.all }),
          href: listOf(people.good, shownColumns[1]?.[1].list),
        },
        cells: shownColumns.slice(2).map(([, { value = () => 0, list }]) => {
          const count = value(row)
          // The view hides it on narrow screens.
          return { count, text: t.number(count), isNone: count === 0, href: listOf(count, list) }
        }),
      }
    }),
    page,
    pages,
    next: urlOfPage(page + 1),
    previous: urlOfPage(page - 1),
    /** The URL of all rows, if only the first are shown. */
    all: number === undefined && rows.length > max ? urlOfPage(1) : undefined,
    total: rows.length,
  }
}

/** @param lang for comparing names @returns a new array; ties are sorted by name, and rows without a name come last */
function sortRows<T extends { name: string | undefined }>(
  rows: readonly T[],
  { value, isShare = false }: Partial<Column<T>>,
  isReversed: boolean,
  lang: string,
): T[] {
  const names = new Intl.Collator(lang, { numeric: true })
  const byName = (one: T, other: T) => names.compare(one.name ?? '', other.name ?? '')
  const byValue = (one: T, other: T) => {
    if (value === undefined) return byName(one, other)
    const [first, second] = [value(one), value(other)]
    return first === second ? 0 : first < second === isShare ? -1 : 1
  }
  return rows.toSorted(
    (one, other) =>
      Number(one.name === undefined) - Number(other.name === undefined) ||
      (isReversed ? -1 : 1) * byValue(one, other) ||
      byName(one, other),
  )
}
