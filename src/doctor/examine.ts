// Runs every check; none of them can stop another. What comes out is masked once more: should a secret ever get into a
// finding, it does not leave this file.
import { createInquiry } from '../client-api/inquiry.ts'
import { useProxy } from '../client-api/proxy.ts'
import { Late, within } from './ask.ts'
import type { Check, Group, Subject } from './check.ts'
import { fail, skip, type Finding, type Findings } from './finding.ts'
import { checks } from './checks.ts'
import { discoverOnce, type Discovered } from './server/discovered.ts'
import { maskFor } from './mask.ts'
import { readSettings } from '../settings/settings.ts'

export type Report = Finding & { check: string; group: Group }

export type Examination = Pick<Subject, 'env' | 'now' | 'actAs' | 'node' | 'nearest' | 'deadlines'> & {
  offline: boolean
  /** Called after each group, in order. */
  onGroup?: ((group: Group, findings: readonly Report[]) => void) | undefined
}

const CHECK_LIMIT_MS = 30_000
const SERVICE_LIMIT_MS = 8_000

const flat = (found: Findings): Finding[] =>
  Array.isArray(found) ? found.flatMap(flat) : found === undefined ? [] : [found as Finding]

async function bounded({ id, look }: Check, subject: Subject): Promise<Finding[]> {
  try {
    return flat(await within(CHECK_LIMIT_MS, look(subject)))
  } catch (error) {
    return error instanceof Late
      ? [fail(`This check timed out (${id}).`, { fix: 'try again' })]
      : [fail(`This check failed unexpectedly (${id}).`, { fix: 'please report this as a bug in onramp' })]
  }
}

/** Both servers are asked each question once, however many checks want the answer. */
function subjectOf(examination: Examination): { subject: Subject; close: () => Promise<void> } {
  const { env, now } = examination
  const read = readSettings(env)
  useProxy(read.settings)
  const {
    SERVICE_BASE_URL: baseUrl,
    SERVICE_HEADER_PREFIX: headerPrefix,
    OIDC_ISSUER: issuer,
  } = read.settings
  const inquiry =
    baseUrl === undefined
      ? undefined
      : createInquiry({ baseUrl, headerPrefix, timeLimitMs: SERVICE_LIMIT_MS, now })
  let discovered: Promise<Discovered> | undefined
  const replies = new Map<string, ReturnType<Subject['service']>>()
  const subject: Subject = {
    ...examination,
    ...read,
    authorizationServer: () => (discovered ??= discoverOnce(issuer, now)),
    service(credentials, finalRedirectUrl) {
      const question = JSON.stringify([credentials, finalRedirectUrl])
      if (!replies.has(question)) replies.set(question, inquiry?.ask(credentials, finalRedirectUrl))
      return replies.get(question)
    },
  }
  return { subject, close: async () => inquiry?.close() }
}

export async function examine(examination: Examination): Promise<Report[]> {
  const { subject, close } = subjectOf(examination)
  const mask = maskFor(subject)
  const look = async (check: Check): Promise<Report[]> => {
    const isLeftOut = examination.offline && check.isOnline
    const findings = isLeftOut ? [skip('skipped (--offline).')] : await bounded(check, subject)
    return findings.map(({ status, says, settings, fix, isMissing }) => ({
      group: check.group,
      check: check.id,
      status,
      says: mask(status === 'skip' ? `${check.about}: ${says}` : says),
      settings,
      ...(fix !== undefined && { fix: mask(fix) }),
      ...(isMissing && { isMissing }),
    }))
  }
  try {
    const underWay = checks.map((check) => ({ group: check.group, findings: look(check) }))
    const reports: Report[] = []
    for (const [group, mine] of Map.groupBy(underWay, (one) => one.group)) {
      const findings = (await Promise.all(mine.map((one) => one.findings))).flat()
      examination.onGroup?.(group, findings)
      reports.push(...findings)
    }
    return reports
  } finally {
    await close()
  }
}
