// The diagram of docs/how-it-works.md, drawn from the graph: how one app can be doing, and what leads from one to the other.
import { readFileSync, writeFileSync } from 'node:fs'
import { explore, kindsIn, type Move, type State } from './graph.ts'
import { isInFlight, isReturned } from '../../src/onboarding/walk.ts'

export const DOCUMENT = new URL('../../docs/how-it-works.md', import.meta.url)
const BETWEEN = /(<!-- walk -->\n)[\s\S]*(<!-- \/walk -->)/

const KINDS: Record<string, string> = {
  todo: 'to connect',
  elsewhere: 'under way',
  confirming: 'being confirmed',
  unconfirmed: 'not confirmed',
  skipped: 'skipped',
  blocked: 'needs an admin',
  connected: 'connected',
  off: 'switched off',
}

/** What the service alone decides. */
const OVER: readonly string[] = ['connected', 'off']
const LISTED = Object.keys(KINDS).filter((kind) => !OVER.includes(kind))

const WORDS: Record<string, string> = {
  click: 'the person leaves for it',
  'come back': 'back, still listed',
  allow: 'back, still listed',
  'look again': 'time is up',
  look: 'time is up',
  deny: 'back with an error',
  skip: '"Skip for now"',
  block: '"I need an admin to approve this"',
  unskip: 'taken back',
  unblock: 'taken back',
  time: 'not back for a while',
  close: 'not back for a while',
}

function wordFor(
  { what, app, byItself }: Move,
  changed: string,
  [from, to]: [string | undefined, string],
): string {
  if (to === 'connected') return 'the service no longer lists it'
  if (to === 'off') return 'the service says so'
  if (from === undefined || OVER.includes(from)) return 'the service lists it'
  if (byItself === changed) return 'the walk goes on automatically'
  if (to === 'elsewhere' && what === 'click') return WORDS['click'] ?? ''
  const isDirect = app === changed || what === 'time' || what === 'close'
  return (isDirect ? WORDS[what] : WORDS['look']) ?? what
}

const isQuiet = ({ walk, tabs, now }: State) =>
  tabs.length === 0 && !walk.known.some((entry) => isReturned(entry) || isInFlight(entry, now))

export class Edges {
  /** From where, by the word and the end of each edge. */
  readonly #from = new Map<string, Set<string>>()

  take(before: State, move: Move): void {
    const kinds = kindsIn(before)
    for (const [app, to] of kindsIn(move.state)) {
      const from = kinds.get(app)
      // What the service takes back may meet anything that is still open: drawn is the plain case.
      const isPlain =
        (from !== undefined && !OVER.includes(from)) || (move.what === 'look' && isQuiet(before))
      if (from === to || !isPlain || (from !== undefined && OVER.includes(from) && to !== 'todo')) continue
      const edge = `${to}\n${wordFor(move, app, [from, to])}`
      this.#from.set(edge, (this.#from.get(edge) ?? new Set()).add(from ?? '[*]'))
    }
  }

  drawn(): string {
    const lines = [...this.#from].flatMap(([edge, found]) => {
      const [to = '', word = ''] = edge.split('\n')
      const isAny = LISTED.every((kind) => kind === to || found.has(kind))
      const starts = isAny ? ['any', ...[...found].filter((kind) => !LISTED.includes(kind))] : [...found]
      return starts.map((from) => `  ${from} --> ${to}: ${word}`)
    })
    const names = Object.entries(KINDS).map(([kind, name]) => `  state "${name}" as ${kind}`)
    return [
      'stateDiagram-v2',
      ...names,
      '  state "listed, whatever it was" as any',
      ...lines.toSorted(),
    ].join('\n')
  }
}

/** Everything of one app, and of two what an app does to another. */
export function draw(): string {
  const edges = new Edges()
  for (const extent of [
    { apps: 1, maxTabs: 2, isWhole: true },
    { apps: 2, maxTabs: 2, isWhole: false },
  ])
    explore(extent, (before, move) => edges.take(before, move))
  return edges.drawn()
}

export const inDocument = (diagram: string) =>
  readFileSync(DOCUMENT, 'utf8').replace(BETWEEN, (_all, begin: string, end: string) =>
    [begin, '\n```mermaid\n', diagram, '\n```\n\n', end].join(''),
  )

export const writeDocument = () => writeFileSync(DOCUMENT, inDocument(draw()))
