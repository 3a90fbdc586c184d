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
import { overviewPath } from './visit.ts'
import { next, progress, shown, type Known, type Next, type Walk } from './walk.ts'

/** What the page offers first. */
export type Step = {
  kind: 'wait' | 'attend' | 'connect'
  tile: Tile
  title: string
  paragraphs: string[]
  causes: readonly string[]
  connect: Action
  skip: string
  /** Where a page that waits looks again at once, and where it stops looking by itself. */
  lookAgain: string | undefined
  stop: string | undefined
  facts: Fact[]
  /** Did the person just come from it? Then it is what is read first. */
  focus: boolean
}

export type Fact = { icon: 'clock' | 'onward' | 'person'; text: string }

export type Banner = { kind: 'good' | 'notice' | 'bad'; title: string; text: string }

export type Overview = {
  title: string
  /** open: something waits. rest: only what was put off is left. done: nothing is. */
  mood: 'open' | 'rest' | 'done'
  heading: string
  lead: string
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
  /** How many wait for this person, and how many are left with those that were put off. */
  waiting: number
  left: number
}

export function overviewOf(walk: Walk, context: OverviewContext): Overview {
  const { t, now } = context
  const known = shown(walk)
  const open = known.filter((entry) => entry.status !== 'connected' && entry.status !== 'disabled')
  const scene: Scene = {
    ...context,
    walk,
    known,
    names: namesOf(known),
    where: next(walk, now),
    waiting: open.filter((entry) => entry.skippedAt === undefined && entry.blockedAt === undefined).length,
    left: open.length,
  }
  const step = stepOf(scene)
  const banner = step?.focus ? undefined : bannerOf(scene)
  const counted = countOf(scene)
  const words = opening(scene)
  const result = banner?.title ?? (step?.kind === 'connect' ? undefined : step?.title)
  return {
    ...words,
    title: [result, counted?.label, words.heading]
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
      finished: words.mood !== 'open',
    }),
    narrowed: walk.visit.only.length > 0 && (known.length === 0 || known.length < walk.known.length),
    returnTo: returnAction(scene),
    refresh: refreshOf(scene.where),
  }
}

/** What is switched off is nobody's to connect: counting it, a walk could never be complete. */
function countOf({ walk, known, t }: Scene): Overview['progress'] {
  const { connected, total } = progress(walk)
  const countable = total - known.filter((entry) => entry.status === 'disabled').length
  if (countable === 0) return undefined
  return { connected, total: countable, label: t.overview.progress(connected, countable) }
}

function opening({
  t,
  walk,
  where,
  known,
  waiting,
  left,
}: Scene): Pick<Overview, 'mood' | 'heading' | 'lead'> {
  const { finished, overview } = t
  if (known.length === 0)
    return walk.visit.only.length > 0
      ? { mood: 'open', heading: overview.title, lead: overview.nothingUnderName }
      : { mood: 'done', heading: finished.title, lead: overview.nothingKnown }
  if (left === 0) return { mood: 'done', heading: finished.title, lead: finished.lead }
  if (where.kind === 'finished')
    return { mood: 'rest', heading: finished.titleSome, lead: finished.leadSome(left) }
  const lead = walk.visit.only.length > 0 ? overview.leadNarrowed : overview.lead(Math.max(1, waiting))
  return { mood: 'open', heading: overview.title, lead }
}

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
      return { ...common, title: t.wait.title(name), paragraphs, lookAgain, stop, focus: true }
    }
    case 'attend': {
      const { causes, explain, title } = t.attend
      const focus = from === where.instance
      return { ...common, title: title(name), paragraphs: [explain(name)], causes, focus }
    }
    case 'connect': {
      const stale = entry?.status === 'stale'
      const label = stale ? t.overview.reconnect(name) : t.overview.connect(name)
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

function factsOf({ t, waiting, advances, person }: Scene): Fact[] {
  const facts: Fact[] = [{ icon: 'clock', text: t.next.duration }]
  if (waiting > 1) facts.push({ icon: 'onward', text: advances ? t.next.several : t.next.stepByStep })
  if (person !== '') facts.push({ icon: 'person', text: t.next.account(isolated(person)) })
  return facts
}

function bannerOf(scene: Scene): Banner | undefined {
  const { t, from, where, known } = scene
  const entry = known.find((candidate) => candidate.instance === from)
  if (entry === undefined) return undefined
  const name = nameOf(scene, entry.instance)
  if (entry.status === 'connected') {
    const then = where.kind === 'connect' ? t.banner.connectedNext(nameOf(scene, where.instance)) : ''
    const text = where.kind === 'finished' ? t.banner.connectedLast : then
    return { kind: 'good', title: t.banner.connected(name), text }
  }
  if (entry.blockedAt !== undefined)
    return { kind: 'notice', title: t.banner.blocked(name), text: t.banner.blockedText }
  if (entry.status === 'disabled')
    return { kind: 'notice', title: t.banner.disabled(name), text: t.note.disabled }
  if (entry.skippedAt !== undefined)
    return { kind: 'notice', title: t.banner.skipped(name), text: t.banner.skippedText }
  if (entry.unconfirmedAt !== undefined)
    return { kind: 'bad', title: t.banner.unconfirmed(name), text: t.banner.unconfirmedText }
  return undefined
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
