// What the overview shows, from the walk alone. Pure.
import type { Texts } from '../web/texts.en.ts'
import { blockPath, mayBlock, unblockPath } from './blocked.ts'
import {
  attemptOf,
  inScope,
  isLeftFor,
  next,
  progress,
  shown,
  type Known,
  type Next,
  type Walk,
} from './walk.ts'

export type Action = { href: string; label: string }

export type Entry = {
  instance: string | undefined
  name: string
  kind: EntryKind
  status: string
  note: string | undefined
  id: string
  connect: Action | undefined
  skip: string | undefined
  skipLabel: string
  /** Where "I need my administrator" is said, or taken back; undefined: neither makes sense. */
  block: Action | undefined
}

type EntryKind = keyof Texts['status']

export type Step = {
  kind: Next['kind']
  title: string
  paragraphs: string[]
  causes: readonly string[]
  connect: Action | undefined
  skip: string | undefined
  lookAgain: string | undefined
  small: string | undefined
}

export type Banner = { kind: 'good' | 'notice' | 'bad'; title: string; text: string }

export type Overview = {
  title: string
  heading: string
  lead: string
  banner: Banner | undefined
  progress: { connected: number; total: number; label: string } | undefined
  step: Step | undefined
  entries: Entry[]
  finished: boolean
  narrowed: boolean
  returnTo: Action | undefined
  refresh: { seconds: number; url: string } | undefined
}

export type OverviewContext = {
  now: number
  t: Texts
  /** How the signed-in person is called; empty when that is not known. */
  person: string
  /** The instance that the person just came from: its state is told first. */
  from: string | undefined
  /** Does a return go straight on (ADVANCE)? */
  advances: boolean
}

export const connectPath = (instance: string) => `/onboarding/connect/${encodeURIComponent(instance)}`
export const skipPath = (instance: string) => `/onboarding/skip/${encodeURIComponent(instance)}`
export const callbackPath = (step: string) => `/onboarding/callback?step=${encodeURIComponent(step)}`

export function overviewOf(walk: Walk, context: OverviewContext): Overview {
  const { t, now } = context
  const entries = shown(walk)
  const where = next(walk, now)
  const left = entries.filter((entry) => entry.status !== 'connected').length
  const names = namesOf(entries)
  const step = stepOf(walk, where, { context, names, left })
  const finished = where.kind === 'finished' && entries.length > 0
  const counted = progress(walk)
  const { heading, lead } = opening({ t, walk, left, finished, total: entries.length })
  const label = t.overview.progress(counted.connected, counted.total)
  const banner = bannerOf(walk, where, { context, names })
  return {
    title: [
      banner?.title,
      step?.kind === 'wait' ? step.title : undefined,
      counted.total > 0 ? label : undefined,
      heading,
    ]
      .filter((part) => part !== undefined)
      .slice(0, 2)
      .join(' – '),
    heading,
    lead,
    banner,
    progress: counted.total > 0 ? { ...counted, label } : undefined,
    step,
    entries: entries.map((entry, index) =>
      entryOf(walk, entry, { t, now, index, name: names.get(entry.instance) ?? '' }),
    ),
    finished,
    narrowed: walk.visit.only.length > 0 && walk.known.some((entry) => !inScope(walk.visit, entry.instance)),
    returnTo: returnAction(walk, t),
    refresh:
      where.kind === 'wait' ? { seconds: where.lookAgainSeconds, url: callbackPath(where.step) } : undefined,
  }
}

/** Two instances with one name are told apart by their identifiers. */
function namesOf(entries: Known[]): Map<string, string> {
  const times = new Map<string, number>()
  for (const entry of entries) times.set(entry.name, (times.get(entry.name) ?? 0) + 1)
  return new Map(
    entries.map((entry) => [
      entry.instance,
      (times.get(entry.name) ?? 0) > 1 && entry.name !== entry.instance
        ? `${entry.name} (${entry.instance})`
        : entry.name,
    ]),
  )
}

type Counts = { t: Texts; walk: Walk; left: number; finished: boolean; total: number }

function opening({ t, walk, left, finished, total }: Counts): { heading: string; lead: string } {
  if (total === 0)
    return walk.visit.only.length > 0
      ? { heading: t.overview.title, lead: t.overview.nothingUnderName }
      : { heading: t.finished.title, lead: t.overview.nothingKnown }
  if (left === 0) return { heading: t.finished.title, lead: t.finished.lead }
  if (finished) return { heading: t.finished.titleSome, lead: t.finished.leadSome(left) }
  const lead = walk.visit.only.length > 0 ? t.overview.leadNarrowed : t.overview.lead(left)
  return { heading: t.overview.title, lead }
}

type StepContext = { context: OverviewContext; names: Map<string, string>; left: number }

function stepOf(walk: Walk, where: Next, { context, names, left }: StepContext): Step | undefined {
  if (where.kind === 'finished') return undefined
  const { t } = context
  const name = names.get(where.instance) ?? where.instance
  const connect = { href: connectPath(where.instance), label: t.overview.connect(name) }
  const common = {
    kind: where.kind,
    skip: skipPath(where.instance),
    causes: [],
    lookAgain: undefined,
    small: undefined,
  }
  switch (where.kind) {
    case 'wait':
      return {
        ...common,
        title: t.wait.title(name),
        paragraphs: [t.wait.explain(name), t.wait.denied(name)],
        connect: { ...connect, label: t.overview.tryAgain(name) },
        lookAgain: callbackPath(where.step),
      }
    case 'attend':
      return {
        ...common,
        title: t.attend.title(name),
        paragraphs: [t.attend.explain(name)],
        causes: t.attend.causes,
        connect: { ...connect, label: t.overview.tryAgain(name) },
      }
    case 'connect': {
      const stale = walk.known.some((entry) => entry.instance === where.instance && entry.status === 'stale')
      const several = context.advances && left > 1 ? [t.next.several] : []
      return {
        ...common,
        title: stale ? t.next.titleStale(name) : t.next.title(name),
        paragraphs: [
          ...(stale ? [t.next.explainStale(name)] : []),
          [t.next.explain(name), t.next.duration, ...several].join(' '),
        ],
        connect: stale ? { ...connect, label: t.overview.reconnect(name) } : connect,
        small: context.person === '' ? undefined : t.next.account(context.person),
      }
    }
  }
}

function bannerOf(
  walk: Walk,
  where: Next,
  { context, names }: Omit<StepContext, 'left'>,
): Banner | undefined {
  const { t, from } = context
  const entry = shown(walk).find((candidate) => candidate.instance === from)
  if (entry === undefined) return undefined
  const name = names.get(entry.instance) ?? entry.name
  if (entry.status === 'connected') {
    const then = where.kind === 'connect' ? t.banner.connectedNext(names.get(where.instance) ?? '') : ''
    const text = where.kind === 'finished' ? t.banner.connectedLast : then
    return { kind: 'good', title: t.banner.connected(name), text }
  }
  if (entry.blockedAt !== undefined)
    return { kind: 'notice', title: t.banner.blocked(name), text: t.banner.blockedText }
  if (entry.skippedAt !== undefined)
    return { kind: 'notice', title: t.banner.skipped(name), text: t.banner.skippedText }
  if (entry.unconfirmedAt !== undefined) return { kind: 'bad', title: t.banner.unconfirmed(name), text: '' }
  return undefined
}

function returnAction(walk: Walk, t: Texts): Action | undefined {
  const { returnTo } = walk.visit
  if (returnTo === undefined) return undefined
  const host = URL.canParse(returnTo) ? new URL(returnTo).host : returnTo
  return { href: returnTo, label: t.overview.backTo(host) }
}

type EntryContext = { t: Texts; now: number; index: number; name: string }

function entryOf(walk: Walk, entry: Known, { t, now, index, name }: EntryContext): Entry {
  const kind = kindOf(walk, entry, now)
  const labels: Partial<Record<EntryKind, string>> = {
    todo: t.overview.connect(name),
    stale: t.overview.reconnect(name),
    waiting: t.overview.tryAgain(name),
    unconfirmed: t.overview.tryAgain(name),
    elsewhere: t.overview.startOver(name),
    skipped: t.overview.connectAnyway(name),
    attention: t.overview.tryToConnect(name),
    blocked: t.overview.tryAgain(name),
  }
  const label = labels[kind]
  const maySkip = label !== undefined && kind !== 'skipped' && kind !== 'blocked'
  return {
    instance: name === entry.name ? undefined : entry.instance,
    name: entry.name,
    kind,
    status: t.status[kind],
    note: kind in t.note ? t.note[kind as keyof Texts['note']] : undefined,
    id: `status-${index}`,
    connect: label === undefined ? undefined : { href: connectPath(entry.instance), label },
    skip: maySkip ? skipPath(entry.instance) : undefined,
    skipLabel: t.overview.notNowFor(name),
    block: blockOf(entry.instance, kind, t),
  }
}

function blockOf(instance: string, kind: EntryKind, t: Texts): Action | undefined {
  if (kind === 'blocked') return { href: unblockPath(instance), label: t.overview.unblock }
  return mayBlock(kind) ? { href: blockPath(instance), label: t.overview.block } : undefined
}

function kindOf(walk: Walk, entry: Known, now: number): EntryKind {
  if (entry.status === 'connected' || entry.status === 'disabled') return entry.status
  const waiting = walk.attempts.some(
    (attempt) =>
      attempt.instance === entry.instance &&
      attempt.returnedAt !== undefined &&
      attemptOf(walk, attempt.step),
  )
  if (waiting) return 'waiting'
  if (entry.blockedAt !== undefined) return 'blocked'
  if (entry.unconfirmedAt !== undefined) return 'unconfirmed'
  if (isLeftFor(walk, entry.instance, now)) return 'elsewhere'
  if (entry.skippedAt !== undefined) return 'skipped'
  return entry.status === 'awaiting' ? 'todo' : entry.status
}
