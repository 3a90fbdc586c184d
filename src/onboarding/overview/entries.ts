// The list of the overview: each datasource with its status in words and what can be done about it. Pure.
import type { Texts } from '../../web/texts.en.ts'
import { mayBlock } from '../blocked.ts'
import { standingIn } from '../course.ts'
import { blockPath, connectPath, skipPath, unblockPath, unskipPath } from '../paths.ts'
import { unhandled, type Standing } from '../standing.ts'
import type { Known, Walk } from '../walk.ts'

export type Action = { href: string; label: string }

/** What stands for a name at a glance; for the eye alone. */
export type Tile = { initial: string; tone: string }

type EntryKind = keyof Texts['status']

export type Entry = {
  /** Shown beside the name where several have the same one. */
  instance: string | undefined
  name: string
  kind: EntryKind
  tile: Tile
  status: string
  note: string | undefined
  id: string
  /** Is it the one that the page offers first? Then what can be done is said there, not twice. */
  current: boolean
  connect: Action | undefined
  skip: Action | undefined
  unskip: Action | undefined
  /** Where "I need my administrator" is said, or taken back. */
  block: Action | undefined
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** A name that runs from right to left must not turn the words around it (Unicode UAX 9, isolates). */
export const isolated = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name)

/** How each is called in a sentence: two with one name are told apart by their identifiers. */
export function namesOf(entries: readonly Known[]): Map<string, string> {
  const times = new Map<string, number>()
  for (const { name } of entries) times.set(name, (times.get(name) ?? 0) + 1)
  const isShared = ({ name, instance }: Known) => (times.get(name) ?? 0) > 1 && name !== instance
  return new Map(
    entries.map((entry) => [
      entry.instance,
      isShared(entry) ? `${isolated(entry.name)} (${isolated(entry.instance)})` : isolated(entry.name),
    ]),
  )
}

const TONES = 6
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

export function tileOf({ name, instance }: Pick<Known, 'name' | 'instance'>): Tile {
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

export type ListContext = {
  t: Texts
  now: number
  names: Map<string, string>
  /** The instance that the page offers first. */
  current: string | undefined
  finished: boolean
}

export const entriesOf = (walk: Walk, known: readonly Known[], context: ListContext): Entry[] => {
  const earliest = Math.min(...known.map((entry) => entry.firstSeen))
  return known.map((entry, index) => entryOf(walk, entry, { ...context, index, earliest }))
}

type EntryContext = ListContext & { index: number; earliest: number }

function entryOf(walk: Walk, entry: Known, context: EntryContext): Entry {
  const { t, now, index } = context
  const kind = kindOf(standingIn(walk, entry, now))
  const name = context.names.get(entry.instance) ?? entry.name
  const current = entry.instance === context.current
  const label = labelOf(kind, name, t)
  const offered = label !== undefined && !current
  return {
    instance: name === isolated(entry.name) ? undefined : entry.instance,
    name: entry.name,
    kind,
    tile: tileOf(entry),
    status: t.status[kind],
    note: noteOf(kind, entry, context),
    id: `status-${index}`,
    current,
    connect: offered ? { href: connectPath(entry.instance), label } : undefined,
    skip:
      offered && kind !== 'skipped' && kind !== 'blocked'
        ? { href: skipPath(entry.instance), label: t.overview.notNowFor(name) }
        : undefined,
    unskip:
      kind === 'skipped' ? { href: unskipPath(entry.instance), label: t.overview.undoFor(name) } : undefined,
    block: blockOf(entry.instance, kind, t),
  }
}

function labelOf(kind: EntryKind, name: string, { overview }: Texts): string | undefined {
  switch (kind) {
    case 'todo':
      return overview.connect(name)
    case 'stale':
      return overview.reconnect(name)
    case 'waiting':
    case 'unconfirmed':
    case 'blocked':
      return overview.tryAgain(name)
    case 'elsewhere':
      return overview.startOver(name)
    case 'skipped':
      return overview.connectAnyway(name)
    case 'attention':
      return overview.tryToConnect(name)
    case 'connected':
    case 'disabled':
      return undefined
  }
}

function blockOf(instance: string, kind: EntryKind, t: Texts): Action | undefined {
  if (kind === 'blocked') return { href: unblockPath(instance), label: t.overview.unblock }
  return mayBlock(kind) ? { href: blockPath(instance), label: t.overview.block } : undefined
}

const NEW_AFTER_MS = 60_000

function noteOf(kind: EntryKind, entry: Known, { t, finished, earliest }: EntryContext): string | undefined {
  if (kind === 'elsewhere' || kind === 'attention' || kind === 'disabled' || kind === 'blocked')
    return t.note[kind]
  if (kind === 'todo' && entry.firstSeen - earliest > NEW_AFTER_MS) return t.note.isNew
  if (kind === 'connected' && finished && entry.connectedAt !== undefined)
    return t.note.connectedOn(t.day(entry.connectedAt))
  return undefined
}

/** Under which words an app is shown. */
export function kindOf(standing: Standing): EntryKind {
  switch (standing.kind) {
    case 'connected':
    case 'blocked':
    case 'unconfirmed':
    case 'elsewhere':
    case 'skipped':
      return standing.kind
    case 'off':
      return 'disabled'
    case 'confirming':
      return 'waiting'
    case 'todo':
      return standing.variant === 'awaiting' ? 'todo' : standing.variant
    default:
      return unhandled(standing)
  }
}
