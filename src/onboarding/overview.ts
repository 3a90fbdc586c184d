// What the overview shows, from the walk alone. Pure.
import type { Texts } from '../web/texts.en.ts'
import {
  connectPath,
  entriesOf,
  isolated,
  namesOf,
  skipPath,
  tileOf,
  type Action,
  type Entry,
  type Tile,
} from './entries.ts'
import { next, standingIn, type Next } from './course.ts'
import { countsOf, endingOf, type Counts } from './ending.ts'
import { openingOf, type Opening } from './opening.ts'
import { figureOf, unhandled } from './standing.ts'
import { overviewPath } from './visit.ts'
import { inScope, type Known, type Walk } from './walk.ts'

/** What the page offers first. */
type Step = {
  kind: 'wait' | 'attend' | 'connect'
  tile: Tile
  title: string
  paragraphs: string[]
  causes: readonly string[]
  connect: Action
  skip: string
  /** The app to go on with while this one is being confirmed, or is left for later. */
  onward: Action | undefined
  /** Where a page that waits looks again at once, and where it stops looking by itself. */
  lookAgain: string | undefined
  stop: string | undefined
  facts: Fact[]
  /** Did the person just come from it? Then it is what is read first. */
  focus: boolean
}

type Fact = { icon: 'clock' | 'onward' | 'person'; text: string }

type Banner = { kind: 'good' | 'notice' | 'bad'; title: string; text: string }

export type Overview = Opening & {
  title: string
  banner: Banner | undefined
  progress: { connected: number; total: number; label: string } | undefined
  step: Step | undefined
  entries: Entry[]
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

export const callbackPath = (step: string) => `/onboarding/callback?step=${encodeURIComponent(step)}`

/** The same page, not looking again by itself (web/pages.ts). */
const stillPath = (path: string) => `${path}${path.includes('?') ? '&' : '?'}still=yes`

type Scene = OverviewContext & {
  walk: Walk
  known: Known[]
  names: Map<string, string>
  where: Next
  counts: Counts
  opening: Opening
}

export function overviewOf(walk: Walk, context: OverviewContext): Overview {
  const { t, now } = context
  const scene = sceneOf(walk, context)
  const { known, opening } = scene
  const step = stepOf(scene)
  const banner = step?.focus ? undefined : bannerOf(scene)
  const counted = countOf(scene)
  const result = banner?.title ?? (step?.kind === 'connect' ? undefined : step?.title)
  return {
    ...opening,
    title: [result, counted?.label, opening.heading]
      .filter((part) => part !== undefined)
      .slice(0, 2)
      .join(' - '),
    banner,
    progress: counted,
    step,
    entries: entriesOf(walk, known, {
      t,
      now,
      names: scene.names,
      current: scene.where.kind === 'finished' ? undefined : scene.where.instance,
      finished: opening.mood !== 'open',
    }),
    narrowed: walk.visit.only.length > 0 && (known.length === 0 || known.length < walk.known.length),
    returnTo: returnAction(scene),
    refresh: refreshOf(scene.where),
  }
}

function sceneOf(walk: Walk, context: OverviewContext): Scene {
  const { t, now } = context
  const { visit } = walk
  const [known, others] = [[], []] as [Known[], Known[]]
  for (const entry of walk.known) (inScope(visit, entry.instance) ? known : others).push(entry)
  const countsIn = (entries: Known[]) =>
    countsOf(entries.map((entry) => figureOf(standingIn(walk, entry, now))))
  const sight = { shown: countsIn(known), hidden: countsIn(others), isNarrowed: visit.only.length > 0 }
  const opening = openingOf(endingOf(sight), sight, t)
  return {
    ...context,
    walk,
    known,
    names: namesOf(known),
    where: next(walk, now),
    counts: sight.shown,
    opening,
  }
}

/** What is switched off is left out: nobody can connect it, and counting it, a walk could never be complete. */
function countOf({ counts, t }: Scene): Overview['progress'] {
  const { connected, pending, skipped, blocked } = counts
  const total = connected + pending + skipped + blocked
  if (total === 0) return undefined
  return { connected, total, label: t.overview.progress(connected, total) }
}

const CONNECT = {
  awaiting: 'connect',
  stale: 'reconnect',
  attention: 'tryToConnect',
  disabled: 'connect',
  connected: 'connect',
} as const satisfies Record<Known['status'], keyof Texts['overview']>

function stepOf(scene: Scene): Step | undefined {
  const { where, t, known, from, walk } = scene
  if (where.kind === 'finished') return undefined
  const name = nameOf(scene, where.instance)
  const entry = known.find((candidate) => candidate.instance === where.instance)
  const path = connectPath(where.instance)
  const common = {
    kind: where.kind,
    tile: tileOf({ name: entry?.name ?? name, instance: where.instance }),
    skip: skipPath(where.instance),
    connect: { href: path, label: t.overview.tryAgain(name) },
    causes: [],
    onward: onwardOf(scene),
    lookAgain: undefined,
    stop: undefined,
    facts: [],
    focus: false,
  }
  switch (where.kind) {
    case 'wait': {
      const paragraphs = [t.wait.explain(name), t.wait.denied(name)]
      const lookAgain = callbackPath(where.step)
      const stop = stillPath(overviewPath(walk.visit))
      // Once, when the person comes back: moving it at every look would take it from their hands.
      const focus = from === where.instance && where.looks <= 1
      return { ...common, title: t.wait.title(name), paragraphs, lookAgain, stop, focus }
    }
    case 'attend': {
      const { causes, explain, title } = t.attend
      const focus = from === where.instance
      return { ...common, title: title(name), paragraphs: [explain(name)], causes, focus }
    }
    case 'connect': {
      const stale = entry?.status === 'stale'
      const label = t.overview[CONNECT[entry?.status ?? 'awaiting']](name)
      return {
        ...common,
        title: stale ? t.next.titleStale(name) : t.next.title(name),
        paragraphs: [...(stale ? [t.next.explainStale(name)] : []), t.next.explain(name)],
        connect: { href: path, label },
        facts: factsOf(scene),
      }
    }
  }
}

/** What the person may do meanwhile; an app that waits holds up none of the others. */
function onwardOf(scene: Scene): Action | undefined {
  const { where, t } = scene
  if ((where.kind !== 'wait' && where.kind !== 'attend') || where.meanwhile === undefined) return undefined
  return { href: connectPath(where.meanwhile), label: t.overview.goOnWith(nameOf(scene, where.meanwhile)) }
}

function factsOf({ t, counts, advances, person }: Scene): Fact[] {
  const facts: Fact[] = [{ icon: 'clock', text: t.next.duration }]
  if (counts.pending > 1) facts.push({ icon: 'onward', text: advances ? t.next.several : t.next.stepByStep })
  if (person !== '') facts.push({ icon: 'person', text: t.next.account(isolated(person)) })
  return facts
}

function bannerOf(scene: Scene): Banner | undefined {
  const { t, from, known, walk, now } = scene
  const entry = known.find((candidate) => candidate.instance === from)
  if (entry === undefined) return undefined
  const name = nameOf(scene, entry.instance)
  const { kind } = standingIn(walk, entry, now)
  switch (kind) {
    case 'connected':
      return { kind: 'good', title: t.banner.connected(name), text: thenOf(scene) }
    case 'off':
      return { kind: 'notice', title: t.banner.disabled(name), text: t.note.disabled }
    case 'blocked':
      return { kind: 'notice', title: t.banner.blocked(name), text: t.banner.blockedText }
    case 'skipped':
      return { kind: 'notice', title: t.banner.skipped(name), text: t.banner.skippedText }
    case 'unconfirmed':
      return { kind: 'bad', title: t.banner.unconfirmed(name), text: t.banner.unconfirmedText }
    case 'confirming':
    case 'elsewhere':
    case 'todo':
      return undefined
    default:
      return unhandled(kind)
  }
}

function thenOf(scene: Scene): string {
  const { where, opening, t } = scene
  if (where.kind === 'connect') return t.banner.connectedNext(nameOf(scene, where.instance))
  return opening.mood === 'done' ? t.banner.connectedLast : ''
}

const nameOf = ({ names }: Scene, instance: string) => names.get(instance) ?? isolated(instance)

function returnAction({ walk, t }: Scene): Action | undefined {
  const { returnTo } = walk.visit
  if (returnTo === undefined) return undefined
  const label = URL.canParse(returnTo) ? t.overview.backTo(new URL(returnTo).host) : t.overview.goOn
  return { href: returnTo, label }
}

const refreshOf = (where: Next): Overview['refresh'] =>
  where.kind === 'wait' ? { seconds: where.lookAgainSeconds, url: callbackPath(where.step) } : undefined
