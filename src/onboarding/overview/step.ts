// What the overview offers first: connect, wait for a consent to show, or try again. Pure.
import type { Texts } from '../../web/texts.en.ts'
import { callbackPath, connectPath, skipPath } from '../paths.ts'
import { overviewPath } from '../visit.ts'
import type { Known } from '../walk.ts'
import { isolated, tileOf, type Action, type Tile } from './entries.ts'
import { nameOf, type Scene } from './scene.ts'

/** What the page offers first. */
export type Step = {
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

export type Fact = { icon: 'clock' | 'onward' | 'person'; text: string }

/** The same page, not looking again by itself (web/pages.ts). */
const stillPath = (path: string) => `${path}${path.includes('?') ? '&' : '?'}still=yes`

const CONNECT = {
  awaiting: 'connect',
  stale: 'reconnect',
  attention: 'tryToConnect',
  disabled: 'connect',
  connected: 'connect',
} as const satisfies Record<Known['status'], keyof Texts['overview']>

export function stepOf(scene: Scene): Step | undefined {
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
