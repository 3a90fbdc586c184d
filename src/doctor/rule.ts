// How the doctor judges. A table has a list of rules for each thing that it looks at; a rule names the finding that the
// facts lead to, or nothing. The first that names one counts: one fault, one finding. The words are in words.json. Pure.
import {
  isCertificateError,
  isProxyError,
  describeNetworkError,
  type NetworkError,
} from '../http/network-error.ts'
import type { Settings } from '../settings/settings.ts'
import words from './words.json' with { type: 'json' }

/** Findings hold our own words and public values. What a server said is shown only where it helps, without secrets. */
export type Finding = {
  /** Scripts select by it: what words.json calls it, up to its slash. */
  check: string
  /** Its own name in words.json. */
  is: string
  status: 'ok' | 'warn' | 'fail' | 'skip'
  says: string
  /** The settings to change, the likeliest first. */
  settings: readonly string[]
  fix?: string
}

/** What is known without asking anyone. */
export type DoctorContext = {
  env: NodeJS.ProcessEnv
  /** Every setting that can be read, even where others are faulty. */
  settings: Partial<Settings>
  /** What start-up would refuse. */
  faults: readonly string[]
  /** The person for whom SERVICE_GLOBAL_TOKEN acts. */
  actAs: string | undefined
  /** Milliseconds since 1970. */
  now: number
}

/** Names that several subjects of the service use, where they have none of their own. */
const SHARED = 'service.refusals'

type Subject = keyof typeof words
type Names<S extends Subject> = keyof (typeof words)[S]
type Values = Record<string, string | number | undefined>
/** A finding by its name in words.json, with what goes into its sentences. */
export type Named<S extends Subject> = Names<S> | (Values & { is: Names<S> })
type Judged<N> = N | readonly N[] | undefined | false | ''

export type Table<Facts> = {
  [S in Subject]?: readonly ((
    facts: Facts,
    setup: DoctorContext,
  ) => Judged<Named<S> | Named<typeof SHARED>>)[]
}

const checkOf = (subject: string): string => subject.split('/')[0] ?? ''
const places = Object.keys(words).map(checkOf)
/** In the order of words.json. */
export const placeOf = (check: string): number => places.indexOf(check)
export const checksIn = (table: object): string[] => Object.keys(table).map(checkOf)

type Entry = { [S in Finding['status']]?: string } & { fix?: string; settings?: string }
const entries: Record<string, Record<string, Entry>> = words

/** The finding of this name, in words. */
export function findingOf(subject: string, named: string | Values): Finding {
  const values: Values = typeof named === 'string' ? { is: named } : named
  const is = String(values['is'])
  const entry = entries[subject]?.[is] ?? entries[SHARED]?.[is] ?? {}
  const filled = (text = '') => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
  const status = (['fail', 'warn', 'skip'] as const).find((one) => one in entry) ?? 'ok'
  return {
    check: checkOf(subject),
    is,
    status,
    says: filled(entry[status]),
    settings: filled(entry.settings).split(', ').filter(Boolean),
    ...(entry.fix !== undefined && { fix: filled(entry.fix) }),
  }
}

export function judge<Facts>(table: Table<Facts>, facts: Facts, setup: DoctorContext): Finding[] {
  type Rule = (facts: Facts, setup: DoctorContext) => Judged<string | Values>
  return Object.entries(table as Record<string, readonly Rule[]>).flatMap(([subject, rules]) => {
    for (const rule of rules) {
      const found = [rule(facts, setup) || []].flat()
      if (found.length > 0) return found.map((named) => findingOf(subject, named))
    }
    return []
  })
}

/** Nothing was heard of a server. */
export function unheard(silence: NetworkError) {
  const [why = '', advice] = isCertificateError(silence)
    ? silence.split(': ')
    : [describeNetworkError(silence)]
  const proxy = isProxyError(silence) ? 'HTTPS_PROXY, NO_PROXY, ' : ''
  const fix = proxy
    ? 'check the proxy; if this machine reaches the server without one, add its host to NO_PROXY'
    : (advice ?? 'check the URL and that this machine can reach it')
  return { why, proxy, fix }
}
