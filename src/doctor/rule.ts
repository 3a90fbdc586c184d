// How the doctor judges. A table has a list of rules for each thing that it looks at; a rule names the finding that the
// facts lead to, or nothing. The first that names one counts: one fault, one finding. The words are in words.json. Pure.
import { isOfProxy, silenceInWords, type Silence } from '../client-api/silence.ts'
import type { Settings } from '../settings/settings.ts'
import words from './words.json' with { type: 'json' }

export type Status = 'ok' | 'warn' | 'fail' | 'skip'

/** Findings hold our own words and public values. What a server said is shown only where it helps, without secrets. */
export type Finding = {
  /** Scripts select by it: what words.json calls it, up to its slash. */
  check: string
  /** Its own name in words.json. */
  is: string
  status: Status
  says: string
  /** The settings to change, the likeliest first. */
  settings: readonly string[]
  fix?: string
}

/** What is known without asking anyone. */
export type Setup = {
  env: NodeJS.ProcessEnv
  /** Every setting that can be read, even where others are faulty. */
  settings: Partial<Settings>
  /** What start-up would refuse. */
  faults: readonly string[]
  /** The person for whom SERVICE_GLOBAL_TOKEN acts. */
  actAs: string | undefined
  /** Milliseconds since 1970. */
  now: number
  /** What onramp uses of the service and will end, or has; dates as YYYY-MM-DD. */
  deadlines: readonly { what: string; replacement: string; removal: string }[]
}

type Subject = keyof typeof words
type Values = Record<string, string | number | undefined>
/** A finding by its name in words.json, with what goes into its sentences. */
type Named<S extends Subject> = keyof (typeof words)[S] | (Values & { is: keyof (typeof words)[S] })
/** What a rule may answer; a finding in words is another subject's. */
type Answer<N> = N | Finding | readonly (N | Finding)[] | undefined | false | ''

export type Table<Facts> = {
  [S in Subject]?: readonly ((facts: Facts, setup: Setup) => Answer<Named<S>>)[]
}

const checkOf = (subject: string): string => subject.split('/')[0] ?? ''
const places = Object.keys(words).map(checkOf)
/** In the order of words.json. */
export const placeOf = (check: string): number => places.indexOf(check)
export const checksIn = (table: object): string[] => Object.keys(table).map(checkOf)

type Entry = { [S in Status]?: string } & { fix?: string; settings?: string }
const entries: Record<string, Record<string, Entry>> = words

function inWords(subject: string, named: string | Values): Finding {
  const values = typeof named === 'string' ? { is: named } : named
  const entry = entries[subject]?.[values.is ?? ''] ?? {}
  const filled = (text = '') => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
  const status = (['fail', 'warn', 'ok', 'skip'] as const).find((one) => one in entry) ?? 'ok'
  const settings = filled(entry.settings).split(', ').filter(Boolean)
  const finding = {
    check: checkOf(subject),
    is: String(values.is),
    status,
    says: filled(entry[status]),
    settings,
  }
  return entry.fix === undefined ? finding : { ...finding, fix: filled(entry.fix) }
}

/** The finding of this name, in words. */
export const findingOf = <S extends Subject>(subject: S, named: Named<S>): Finding =>
  inWords(subject, named as string | Values)

const isFinding = (one: string | Values | Finding): one is Finding =>
  typeof one === 'object' && 'check' in one && 'says' in one

export function judge<Facts>(table: Table<Facts>, facts: Facts, setup: Setup): Finding[] {
  const subjects = Object.entries(table) as [
    string,
    readonly ((facts: Facts, setup: Setup) => Answer<string | Values>)[],
  ][]
  return subjects.flatMap(([subject, rules]) => {
    for (const rule of rules) {
      const found = [rule(facts, setup) || []].flat()
      if (found.length > 0)
        return found.map((one) =>
          isFinding(one) ? { ...one, check: checkOf(subject) } : inWords(subject, one),
        )
    }
    return []
  })
}

/** Nothing was heard of a server. */
export const unheard = (why: Silence) => ({
  why: silenceInWords(why),
  proxy: isOfProxy(why) ? 'HTTPS_PROXY, NO_PROXY, ' : '',
  fix: isOfProxy(why)
    ? 'check the proxy; if this machine reaches the server without one, add its host to NO_PROXY'
    : 'check the URL and that this machine can reach it',
})
