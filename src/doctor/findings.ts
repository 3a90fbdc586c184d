// Rules turn collected facts into findings. A finding may have public values and a server's response, never a secret.
import { describeNetworkError, isCertificateError, isProxyError } from '../http/network-error.ts'
import type { NetworkError } from '../http/network-error.ts'
import type { Settings } from '../settings/settings.ts'

type Verdict = {
  status: 'ok' | 'warn' | 'fail' | 'skip'
  message: string
  /** The settings to change, the likeliest first. */
  settings: readonly string[]
  fix?: string
}

/** `check` is the public id by which scripts select findings. */
export type Finding = Verdict & { check: string }

export type DoctorContext = {
  env: NodeJS.ProcessEnv
  /** Every readable setting, even if others are faulty. */
  settings: Partial<Settings>
  /** Faults that prevent a start. */
  faults: readonly string[]
  /** The person for whom SERVICE_GLOBAL_TOKEN acts. */
  actAs: string | undefined
  /** Milliseconds since 1970. */
  now: number
}

type MaybeVerdict = Verdict | undefined | false | ''

type Rules<Facts> = Record<
  string,
  (facts: Facts, context: DoctorContext) => MaybeVerdict | readonly MaybeVerdict[]
>

export const createCheck = <Needed extends unknown[], Facts>(
  collect: (...needed: Needed) => Promise<Facts | undefined>,
  rules: Rules<Facts>,
) => ({ collect, rules })

export const ok = (message: string): Verdict => ({ status: 'ok', message, settings: [] })
export const skip = (message: string): Verdict => ({ status: 'skip', message, settings: [] })

/** @param remedy like `OIDC_SCOPE, OIDC_ISSUER: how to fix it`; the names of settings may be missing */
function createVerdict(status: 'warn' | 'fail', message: string, remedy: string): Verdict {
  const [, names = '', fix = remedy] = /^([A-Z][A-Z0-9_, ]+): (.+)$/.exec(remedy) ?? []
  return { status, message, settings: names.split(', ').filter(Boolean), fix }
}
export const warn = (message: string, remedy: string) => createVerdict('warn', message, remedy)
export const fail = (message: string, remedy: string) => createVerdict('fail', message, remedy)

/** @param subject like `The service at URL cannot be reached` */
export function unreachable(error: NetworkError, setting: string, subject: string): Verdict {
  const [why = '', advice] = isCertificateError(error) ? error.split(': ') : [describeNetworkError(error)]
  return isProxyError(error)
    ? fail(
        `${subject}: ${why}.`,
        `HTTPS_PROXY, NO_PROXY, ${setting}: check the proxy; if this machine reaches the server without one, add its host to NO_PROXY`,
      )
    : fail(
        `${subject}: ${why}.`,
        `${setting}: ${advice ?? 'check the URL and that this machine can reach it'}`,
      )
}

export const applyRules = <Facts>(rules: Rules<Facts>, facts: Facts, context: DoctorContext): Finding[] =>
  Object.entries(rules).flatMap(([check, rule]) =>
    [rule(facts, context)].flat().flatMap((verdict) => (verdict ? { check, ...verdict } : [])),
  )
