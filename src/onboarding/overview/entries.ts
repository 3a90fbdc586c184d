// The list of the overview: each app with its status in words and what can be done about it. Pure.
import { shortened } from '../../client-api/bounds.ts'
import type { Key } from '../../web/languages/catalogue.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { blockPath, connectPath, skipPath, unblockPath, unskipPath } from '../paths.ts'
import { unhandled, type Standing } from '../standing.ts'
import type { Known } from '../walk.ts'
import { inWords, tileOf, type About } from './about.ts'

/** An app of the walk, under the company's name for it, and how it is doing. */
export type App = { entry: Known; standing: Standing } & Called

/** How an app is called everywhere on the page. */
export type Called = { name: string }

export type Action = { href: string; label: string }

type Named = Pick<Known, 'name' | 'instance'>

/** Two with one name are told apart by the numbers of their identifiers, or else by all of them. */
export function calledAs<T extends Named>(entries: readonly T[]): (Called & { entry: T })[] {
  const byName = Map.groupBy(entries, ({ name }) => name)
  return entries.map((entry) => {
    const short = readable(entry)
    const same = byName.get(entry.name) ?? []
    if (same.length < 2 || entry.name === entry.instance) return { entry, name: short }
    const numbers = new Set(same.map(({ instance }) => numberOf(instance)))
    const mark = numbers.size === same.length ? numberOf(entry.instance) : entry.instance
    return { entry, name: `${short} (${mark})` }
  })
}

/** Of `slack_2`: 2. */
const numberOf = (instance: string): string => /_(\d+)$/.exec(instance)?.[1] ?? instance

/** A service without display names gives identifiers: `google_drive_1` is read as `Google drive 1`. */
export const readable = ({ name, instance }: Named): string =>
  name === instance && /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/.test(name) ? inWords(name) : name

/** Under which words an app is shown. */
type EntryKind = Key extends infer K
  ? K extends `status.${infer Kind}`
    ? Exclude<Kind, 'next'>
    : never
  : never

const KINDS: Record<Exclude<Standing['kind'], 'todo' | 'off'>, EntryKind> = {
  connected: 'connected',
  blocked: 'blocked',
  unconfirmed: 'unconfirmed',
  elsewhere: 'elsewhere',
  skipped: 'skipped',
  confirming: 'waiting',
}

/** By the service's word alone. */
export const kindOfStatus = (status: Known['status']): EntryKind => (status === 'awaiting' ? 'todo' : status)

/** By what came of it, or else by the service's word. */
export function kindOf({ kind }: Standing, status: Known['status']): EntryKind {
  return kind === 'todo' || kind === 'off' ? kindOfStatus(status) : (KINDS[kind] ?? unhandled(kind))
}

/** What the link of such an app says; undefined: there is nothing to start. */
export const labelOf = (kind: EntryKind, app: string, t: Texts): string | undefined =>
  kind === 'connected' || kind === 'disabled' ? undefined : t(`start.${kind}`, { app })

/** A row has room for about so much; the whole name is inside it. */
const MAX_NAME = 60

/** More makes a button on a phone higher than what it is about, which has the whole name in its title. */
const MAX_BUTTON_NAME = 32

export const onButton = (name: string): string => shortened(name, MAX_BUTTON_NAME)

export type ListContext = {
  t: Texts
  about: About
  /** The instance that the page offers first, in its card: it has no row of its own. */
  current: string | undefined
  finished: boolean
}

/** How many rows a page shows; the others are behind a disclosure. */
const MAX_ROWS = 5

/** The rows of the list, and those behind "Show more". */
export function rowsOf(apps: readonly App[], context: ListContext) {
  const earliest = Math.min(...apps.map(({ entry }) => entry.firstSeen))
  const rows = apps
    .map((app, index) => entryOf(app, { ...context, index, earliest }))
    .filter((row) => row.app !== context.current)
  const next = rows.find(({ kind }) => kind === 'todo')
  if (next !== undefined && context.current !== undefined) next.status = context.t('status.next')
  if (rows.length <= MAX_ROWS + 1) return { entries: rows, more: [] }
  const first = new Set(rows.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, MAX_ROWS))
  return { entries: rows.filter((row) => first.has(row)), more: rows.filter((row) => !first.has(row)) }
}

/** What needs the person comes first, and what is over last. */
const urgency = ({ kind }: { kind: EntryKind }): number =>
  kind === 'connected' || kind === 'disabled' ? 2 : kind === 'todo' || kind === 'skipped' ? 1 : 0

type EntryContext = ListContext & { index: number; earliest: number }

function entryOf({ entry, standing, name }: App, context: EntryContext) {
  const { t, index } = context
  const { instance } = entry
  const kind = kindOf(standing, entry.status)
  const label = labelOf(kind, onButton(name), t)
  const shown = shortened(name, MAX_NAME)
  return {
    app: instance,
    name: shown,
    /** The name, where the row has no room for it. */
    whole: shown === name ? undefined : name,
    kind,
    tile: tileOf(entry, context.about),
    /** Empty for the normal state: five times "Not connected" says nothing. */
    status: kind === 'todo' ? '' : t(`status.${kind}`),
    note: noteOf(kind, entry, context),
    id: `status-${index}`,
    connect: label === undefined ? undefined : { href: connectPath(instance), label },
    skip:
      label !== undefined && kind !== 'skipped' && kind !== 'blocked'
        ? { href: skipPath(instance), label: t('overview.skipApp', { app: onButton(name) }) }
        : undefined,
    unskip:
      kind === 'skipped'
        ? { href: unskipPath(instance), label: t('overview.undoApp', { app: onButton(name) }) }
        : undefined,
    /** Where "I need an admin" is said, or taken back. */
    block: blockOf(instance, kind, t),
  }
}

/** Where connecting did not work, asking an admin is offered; before that it would only be one more button. */
const MAY_BLOCK: readonly EntryKind[] = ['unconfirmed', 'waiting', 'attention', 'skipped']

export function blockOf(instance: string, kind: EntryKind, t: Texts): Action | undefined {
  if (kind === 'blocked') return { href: unblockPath(instance), label: t('overview.unblock') }
  return MAY_BLOCK.includes(kind) ? { href: blockPath(instance), label: t('overview.block') } : undefined
}

const NEW_AFTER_MS = 60_000

function noteOf(kind: EntryKind, entry: Known, { t, finished, earliest }: EntryContext): string | undefined {
  if (kind === 'todo' && entry.firstSeen - earliest > NEW_AFTER_MS) return t('note.isNew')
  if (kind === 'connected' && finished && entry.connectedAt !== undefined)
    return t('note.connectedOn', { date: t.day(entry.connectedAt) })
  return kind === 'elsewhere' || kind === 'attention' || kind === 'blocked' || kind === 'disabled'
    ? t(`note.${kind}`)
    : undefined
}
