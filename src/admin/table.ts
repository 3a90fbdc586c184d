// Departments and apps as tables: what each cell says, its bar, and where a heading sorts. Pure.
import { datasourceType } from '../company/called.ts'
import type { Key } from '../web/languages/catalogue.ts'
import type { Texts } from '../web/languages/texts.ts'
import { peopleWith, stuckAt, type App } from './apps.ts'
import { queryOf } from './filters.ts'
import type { Group } from './groups.ts'
import type { Share } from './share.ts'
import { APP_COLUMNS, directionOf, GROUP_COLUMNS, orderOf, sorted, type Column } from './sorting.ts'

/** `isNone`: it counts nothing, and is left out where there is little room. */
type Cell = { text: string; isNone: boolean; href?: string | undefined }

export type Row = {
  name: string
  /** Tells two of one name apart. In pieces, between which a line may break. */
  second: string[]
  href: string | undefined
  /** Widths out of 100. */
  bar: { good: number; stuck: number }
  share: string
  cells: Cell[]
}

export type Table = {
  /** The first one names the row, the second one has the bar. */
  columns: { name: string; label: string; href: string; sort: 'ascending' | 'descending' | undefined }[]
  /** The page that has them all, and which column it is sorted by. */
  path: string
  sortedBy: string
  rows: Row[]
  /** Beginning with 1. */
  page: number
  pages: number
  next: string | undefined
  previous: string | undefined
  /** Where the others are, if only the first ones are shown; and how many there are. */
  all: string | undefined
  total: number
}

export type Words = { t: Texts; share: Share }

/** What a page shows of all rows. */
export type Part = { query: Record<string, unknown>; columns: readonly string[]; most: number }

const ROWS_A_PAGE = 50
/** Of a page of their own, until all are asked for. */
export const FIRST_ROWS = 10
/** On the overview. */
export const TOP_ROWS = 8

const APP_LABELS = {
  name: 'admin.app',
  connected: 'admin.state.connected',
  waiting: 'admin.state.waiting',
  skipped: 'admin.state.skipped',
  stuck: 'admin.stat.stuck',
  off: 'admin.state.off',
} as const

const GROUP_LABELS = {
  name: 'admin.group',
  ready: 'admin.groupReady',
  people: 'admin.groupPeople',
  inProgress: 'admin.stat.inProgress',
  notStarted: 'admin.stat.notStarted',
  stuck: 'admin.stat.stuck',
} as const

const widthOf = (part: number, whole: number) => (whole === 0 ? 0 : Number(((part / whole) * 100).toFixed(1)))

/** Does the name say the identifier already, as "Jira (9)" does of `jira_9`? */
const isSaid = (name: string, id: string) =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('_') === id

const cellOf = (count: number, t: Texts): Cell => ({ text: t.number(count), isNone: count === 0 })

export function appTable(apps: readonly App[], part: Part, { t, share }: Words): Table {
  const rowOf = (app: App): Row => {
    const { instance, name, counts } = app
    const all = peopleWith(app)
    const list = (filter: 'waiting' | 'skipped' | 'stuck', count: number) =>
      count === 0 ? undefined : `/admin/people?${queryOf({ filter, app: instance })}`
    const cells: Record<string, Cell> = {
      waiting: { ...cellOf(counts.waiting, t), href: list('waiting', counts.waiting) },
      skipped: { ...cellOf(counts.skipped, t), href: list('skipped', counts.skipped) },
      stuck: { ...cellOf(stuckAt(app), t), href: list('stuck', stuckAt(app)) },
      off: cellOf(counts.off, t),
    }
    return {
      name,
      second: [instance, datasourceType(instance)].some((id) => isSaid(name, id))
        ? []
        : instance.split(/(?<=_)/),
      href: `/admin/people?${queryOf({ app: instance })}`,
      bar: { good: widthOf(counts.connected, all), stuck: widthOf(stuckAt(app), all) },
      share: share(counts.connected, all),
      cells: part.columns.flatMap((column) => cells[column] ?? []),
    }
  }
  return tableOf(
    { rows: apps, all: APP_COLUMNS, labels: APP_LABELS, usual: 'waiting', path: '/admin/apps' },
    part,
    {
      t,
      rowOf,
    },
  )
}

export function groupTable(groups: readonly Group[], part: Part, { t, share }: Words): Table {
  const rowOf = (group: Group): Row => ({
    name: group.name ?? t('admin.smallGroups'),
    second: [],
    href: group.name === undefined ? undefined : `/admin/people?${queryOf({ group: group.name })}`,
    bar: { good: widthOf(group.ready, group.people), stuck: widthOf(group.stuck, group.people) },
    share: share(group.ready, group.people),
    cells: part.columns.flatMap((column) =>
      column === 'people' || column === 'inProgress' || column === 'notStarted' || column === 'stuck'
        ? [cellOf(group[column], t)]
        : [],
    ),
  })
  const all = GROUP_COLUMNS
  return tableOf(
    { rows: groups, all, labels: GROUP_LABELS, usual: 'ready', path: '/admin/departments' },
    part,
    {
      t,
      rowOf,
    },
  )
}

type Source<T, C extends string> = {
  rows: readonly T[]
  all: Record<C, Column<T>>
  labels: Record<C, Key>
  usual: NoInfer<C>
  /** The page that has them all. */
  path: string
}

function tableOf<T extends { name: string | undefined }, C extends string>(
  { rows, all, labels, usual, path }: Source<T, C>,
  { query, columns, most }: Part,
  { t, rowOf }: { t: Texts; rowOf: (row: T) => Row },
): Table {
  const { column, isReversed } = orderOf(query['sort'], all, usual)
  const inOrder = sorted(rows, all[column], { isReversed, lang: t.lang })
  const asked =
    typeof query['page'] === 'string' && /^\d{1,4}$/.test(query['page']) ? Number(query['page']) : undefined
  const size = asked === undefined ? most : ROWS_A_PAGE
  const pages = Math.max(1, Math.ceil(rows.length / size))
  const page = Math.min(pages, Math.max(1, asked ?? 1))
  const at = (number: number) =>
    number < 1 || number > pages ? undefined : `${path}?sort=${isReversed ? '-' : ''}${column}&page=${number}`
  return {
    columns: (Object.keys(labels) as C[])
      .filter((name) => columns.includes(name))
      .map((name) => ({
        name,
        label: t(labels[name]),
        href: `${path}?sort=${name === column && !isReversed ? '-' : ''}${name}`,
        sort: name === column ? directionOf(all[name], isReversed) : undefined,
      })),
    path,
    sortedBy: column,
    rows: inOrder.slice((page - 1) * size, page * size).map(rowOf),
    page,
    pages,
    next: at(page + 1),
    previous: at(page - 1),
    all: asked === undefined && rows.length > most ? at(1) : undefined,
    total: rows.length,
  }
}
