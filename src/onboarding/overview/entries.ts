// The list of the overview: each app with its status in words and what can be done about it. Pure.
import { isUnavailable } from '../../client-api/app-status.ts'
import type { TextKey } from '../../web/languages/catalogue.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { blockPath, connectPath, skipPath, unblockPath, unskipPath } from '../paths.ts'
import { unhandled, type AppState } from '../app-state.ts'
import { iconOf } from './about.ts'
import { configuredAccount, linkNotes } from './same-name-apps.ts'
import { hasLapsed, type OverviewApp, type OverviewModel } from './model.ts'

/** `forApp`: which app it is about, where `label` does not say it. */
type Label = { label: string; forApp?: string }

export type Action = { href: string } & Label

/** Under which words an app is shown. */
type EntryKind = TextKey extends infer K
  ? K extends `status.${infer Kind}`
    ? Exclude<Kind, 'next'>
    : never
  : never

const KINDS: Record<Exclude<AppState['kind'], 'todo' | 'off'>, EntryKind> = {
  connected: 'connected',
  blocked: 'blocked',
  unconfirmed: 'unconfirmed',
  elsewhere: 'elsewhere',
  skipped: 'skipped',
  confirming: 'waiting',
}

/** By what came of it, or else by the service's word and what it said before. */
function kindOf(app: OverviewApp): EntryKind {
  const { kind } = app.standing
  const { status } = app.entry
  if (kind !== 'todo' && kind !== 'off') return KINDS[kind] ?? unhandled(kind)
  return status !== 'awaiting' ? status : hasLapsed(app) ? 'stale' : 'todo'
}

/** A name with more makes three lines of a wide button on a phone. */
const MAX_IN_BUTTON = 20
/** A sentence wraps at no cost, until there is more name than sentence. */
const MAX_IN_SENTENCE = 32
/** A character of Chinese takes two places. */
export const isLong = (name: string, most = MAX_IN_SENTENCE): boolean =>
  name.length + (name.match(/[\u2e80-\uffef]/g)?.length ?? 0) > most

type Keys = readonly [withName: TextKey, without: TextKey]

/** Words that name the app, or the ones for a long name, which is read above them. */
export const fitText = (name: string, t: Texts, [withName, without]: Keys, most = MAX_IN_SENTENCE) =>
  t(isLong(name, most) ? without : withName, { app: name })

/** A name that the words leave out is still forApp. */
export const fitLabel = (name: string, t: Texts, keys: Keys): Label => ({
  label: fitText(name, t, keys, MAX_IN_BUTTON),
  ...(isLong(name, MAX_IN_BUTTON) && { forApp: name }),
})

/** A title that tells a result: a long name is apart, below it. */
export const fitTitle = (name: string, t: Texts, keys: Keys) => ({
  title: fitText(name, t, keys),
  named: isLong(name) ? name : '',
})

const IN_ROW = {
  todo: 'plain.connect',
  skipped: 'plain.connect',
  stale: 'plain.reconnect',
  waiting: 'problem.tryAgain',
  unconfirmed: 'problem.tryAgain',
  blocked: 'problem.tryAgain',
  elsewhere: 'plain.startOver',
} as const

/** What the link of such an app's row says, below its name; undefined: there is nothing to start. */
export const rowLabel = (kind: EntryKind, name: string, t: Texts): Label | undefined =>
  kind === 'connected' || isUnavailable(kind) ? undefined : { label: t(IN_ROW[kind]), forApp: name }

/** How many rows a page shows; the others are behind a disclosure. */
const MAX_ROWS = 5

/**
 * The rows of the list, and those behind "Show more".
 * @param current the instance that the page offers first, in its card: it has no row of its own
 * @param query what the list is filtered by
 */
export function listRows(situation: OverviewModel, current: string | undefined, query = '') {
  const { apps, few } = situation
  const alike = Map.groupBy(apps, beginningOf)
  const rows = apps
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((app, index) => ({
      ...entryOf(situation, app, index),
      brief: alike.get(beginningOf(app))?.length === 1,
    }))
    .filter(({ app, name }) =>
      query === '' ? app !== current : name.toLowerCase().includes(query.toLowerCase()),
    )
  const next = rows.find(({ kind }) => kind === 'todo' || kind === 'stale')
  if (next?.kind === 'todo' && current !== undefined) next.status = situation.t('status.next')
  if (query !== '' || rows.length <= MAX_ROWS + 1) return { entries: rows, more: [] }
  const shown = new Set(
    few === undefined
      ? rows.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, MAX_ROWS)
      : rows.filter((row) => few.has(row.app) || urgency(row) < 1),
  )
  return { entries: rows.filter((row) => shown.has(row)), more: rows.filter((row) => !shown.has(row)) }
}

/** Names that begin alike are told apart by how they end, so these are never cut. */
const beginningOf = ({ name }: OverviewApp): string => name.slice(0, 24).toLowerCase()

/** What no one can connect comes last. */
const placeOf = ({ entry: { status } }: OverviewApp): number => Number(isUnavailable(status))

/** What needs the person comes first, and what is over last. */
const urgency = ({ kind, focus }: { kind: EntryKind; focus: boolean }): number =>
  focus ? -1 : kind === 'connected' || isUnavailable(kind) ? 2 : kind === 'todo' || kind === 'skipped' ? 1 : 0

function entryOf(situation: OverviewModel, app: OverviewApp, index: number) {
  const { t, about, from, isOver } = situation
  const { entry, name } = app
  const { instance } = entry
  const kind = kindOf(app)
  const label = rowLabel(kind, name, t)
  const block = blockAction(instance, kind, t)
  return {
    app: instance,
    name,
    kind,
    tile: iconOf(entry, about),
    /** Empty for the normal state: five times "Not connected" says nothing. */
    status: kind === 'todo' ? '' : t(`status.${kind}`),
    notes: [
      noteOf(situation, kind, app),
      ...(label === undefined ? [] : [...linkNotes(situation, app), ...about(instance).never]),
      kind === 'connected' && isOver ? throughOf(situation, app) : undefined,
    ].filter((note) => note !== undefined),
    /** Put back on the list a moment ago: where a reader goes on. */
    focus: kind === 'todo' && instance === from,
    id: `status-${index}`,
    connect: label && { href: connectPath(instance), ...label },
    skip:
      label !== undefined && kind !== 'skipped' && kind !== 'blocked'
        ? { href: skipPath(instance), label: t('overview.skip'), forApp: name }
        : undefined,
    unskip:
      kind === 'skipped' ? { href: unskipPath(instance), label: t('plain.undo'), forApp: name } : undefined,
    /** Where "I need an admin" is said, or taken back. */
    block: block && { ...block, forApp: name },
  }
}

/** Where connecting did not work, asking an admin is offered; before that it would only be one more button. */
const MAY_BLOCK: readonly EntryKind[] = ['unconfirmed', 'waiting', 'skipped']

export function blockAction(instance: string, kind: EntryKind, t: Texts): Action | undefined {
  if (kind === 'blocked') return { href: unblockPath(instance), label: t('overview.unblock') }
  return MAY_BLOCK.includes(kind) ? { href: blockPath(instance), label: t('overview.block') } : undefined
}

const NEW_AFTER_MS = 60_000

function noteOf(
  { t, earliest, isOver }: OverviewModel,
  kind: EntryKind,
  { entry }: OverviewApp,
): string | undefined {
  if (kind === 'todo' && entry.firstSeen - earliest > NEW_AFTER_MS) return t('note.isNew')
  if (kind === 'stale' && entry.lapsedAt !== undefined)
    return t('note.lapsedOn', { date: t.day(entry.lapsedAt) })
  if (kind === 'connected' && isOver && entry.connectedAt !== undefined)
    return t('note.connectedOn', { date: t.day(entry.connectedAt) })
  return kind === 'elsewhere' || kind === 'blocked' || isUnavailable(kind) ? t(`note.${kind}`) : undefined
}

/** Through which account it is connected, as far as the company says. */
function throughOf(situation: OverviewModel, app: OverviewApp): string | undefined {
  const account = configuredAccount(situation, app.entry.instance)
  return account && situation.t('finished.through', { account })
}
