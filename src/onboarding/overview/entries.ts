// The list of the overview: each datasource with its status in words and what can be done about it. Pure.
import type { Key } from '../../web/languages/catalogue.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { blockPath, connectPath, skipPath, unblockPath, unskipPath } from '../paths.ts'
import { unhandled, type Standing } from '../standing.ts'
import type { Known } from '../walk.ts'

/** An app of the walk, how it is doing, and how it is called in a sentence. */
export type App = { entry: Known; standing: Standing; name: string }

export type Action = { href: string; label: string }

/** How each is called in a sentence: two with one name are told apart by their identifiers. */
export function namesOf(entries: readonly Known[]): string[] {
  const times = new Map<string, number>()
  for (const { name } of entries) times.set(name, (times.get(name) ?? 0) + 1)
  return entries.map(({ name, instance }) =>
    times.get(name) === 1 || name === instance ? name : `${name} (${instance})`,
  )
}

const TONES = 6
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A sign for a name, seen at a glance; for the eye alone. */
export function tileOf({ name, instance }: Pick<Known, 'name' | 'instance'>) {
  let sum = 0
  for (const character of instance) sum += character.codePointAt(0) ?? 0
  return { initial: initialOf(name), tone: `tone-${sum % TONES}` }
}

/** What a reader sees as the first character; a sign that says nothing is passed over. */
function initialOf(name: string): string {
  if (/^[a-z0-9][\x20-\x7e]/i.test(name)) return name.charAt(0).toUpperCase()
  for (const { segment } of characters.segment(name.slice(0, 40)))
    if (/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment)) return segment.toLocaleUpperCase()
  return '·'
}

/** Under which words an app is shown. */
type EntryKind = Key extends infer K ? (K extends `status.${infer Kind}` ? Kind : never) : never

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

export type ListContext = {
  t: Texts
  /** The instance that the page offers first: what can be done is said there, not twice. */
  current: string | undefined
  finished: boolean
}

export const entriesOf = (apps: readonly App[], context: ListContext) => {
  const earliest = Math.min(...apps.map(({ entry }) => entry.firstSeen))
  return apps.map((app, index) => entryOf(app, { ...context, index, earliest }))
}

type EntryContext = ListContext & { index: number; earliest: number }

function entryOf({ entry, standing, name }: App, context: EntryContext) {
  const { t, index } = context
  const { instance } = entry
  const kind = kindOf(standing, entry.status)
  const current = instance === context.current
  const label = labelOf(kind, name, t)
  const isOffered = label !== undefined && !current
  return {
    /** Shown beside the name where several have the same one. */
    instance: name === entry.name ? undefined : instance,
    name: entry.name,
    kind,
    tile: tileOf(entry),
    status: t(`status.${kind}`),
    note: noteOf(kind, entry, context),
    id: `status-${index}`,
    current,
    connect: isOffered ? { href: connectPath(instance), label } : undefined,
    skip:
      isOffered && kind !== 'skipped' && kind !== 'blocked'
        ? { href: skipPath(instance), label: t('overview.skipApp', { app: name }) }
        : undefined,
    unskip:
      kind === 'skipped'
        ? { href: unskipPath(instance), label: t('overview.undoApp', { app: name }) }
        : undefined,
    /** Where "I need my administrator" is said, or taken back. */
    block: blockOf(instance, kind, t),
  }
}

/** Where connecting did not work, asking an administrator is offered; before that it would only be one more button. */
const MAY_BLOCK: readonly EntryKind[] = ['unconfirmed', 'waiting', 'attention', 'skipped']

function blockOf(instance: string, kind: EntryKind, t: Texts): Action | undefined {
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
