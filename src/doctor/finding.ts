// What a check finds. Findings hold our own words and public values (names of settings, addresses without their query).
// What a server said is repeated only where it helps, bounded and without secrets (client-api/said.ts).
import { isOfProxy, type Silence } from '../client-api/silence.ts'

export type FindingStatus = 'ok' | 'warn' | 'fail' | 'skip'

export type Finding = {
  status: FindingStatus
  /** What is the case, in one plain sentence. */
  says: string
  /** The settings to change, the likeliest first. */
  settings: readonly string[]
  /** What to do about a warning or a failure. */
  fix?: string
  /** The check could not run: a report for people only counts these. */
  isMissing?: true
}

/** What a check returns: nested as it likes; what is undefined is nothing to report. */
export type Findings = Finding | undefined | readonly Findings[]

type Remedy = { settings?: readonly string[]; fix: string }

export const ok = (says: string): Finding => ({ status: 'ok', says, settings: [] })
export const skip = (says: string): Finding => ({ status: 'skip', says, settings: [] })
/** The check needs this setting, or answer, which is not there. */
export const missing = (what: string): Finding => ({ ...skip(`requires ${what}.`), isMissing: true })
export const warn = (says: string, remedy: Remedy): Finding => ({
  status: 'warn',
  says,
  settings: [],
  ...remedy,
})
export const fail = (says: string, remedy: Remedy): Finding => ({ ...warn(says, remedy), status: 'fail' })

/** What to do where nothing is heard from the server that a setting names. */
export const unreached = (silence: Silence, settings: readonly string[]): Remedy =>
  isOfProxy(silence)
    ? {
        settings: ['HTTPS_PROXY', 'NO_PROXY', ...settings],
        fix: 'check the proxy; if this machine reaches the server without one, add its host to NO_PROXY',
      }
    : { settings, fix: 'check the URL and that this machine can reach it' }

/** An address for a finding: without query, fragment and user name. Undefined for what is no web address. */
export function publicAddress(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 300 || !URL.canParse(text)) return undefined
  const { protocol, origin, pathname } = new URL(text)
  if (!/^https?:$/.test(protocol)) return undefined
  return pathname === '/' ? origin : origin + pathname
}
