// Runs every check; none of them can stop another. What comes out is masked once more: should a secret ever get into a
// finding, it does not get out of here.
import { createInquiry } from '../client-api/inquiry.ts'
import { present } from '../present.ts'
import { settings } from '../settings/settings.ts'
import type { Check, Group, Subject } from './check.ts'
import { fail, skip, type Finding } from './finding.ts'
import { checks } from './checks.ts'
import { discoverOnce, type Discovered } from './server/discovered.ts'
import { maskFor } from './mask.ts'
import { readAll } from './read-settings.ts'

export type Told = Finding & { check: string; group: Group }

export type Examination = Pick<Subject, 'env' | 'now' | 'actAs' | 'node' | 'nearest' | 'deadlines'> & {
  offline: boolean
  /** Told after each group, in order. */
  tell?: (group: Group, findings: readonly Told[]) => void
}

const CHECK_LIMIT_MS = 30_000
const SERVICE_LIMIT_MS = 8_000

async function bounded(check: Check, subject: Subject): Promise<Finding[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding[]>((resolve) => {
    const finding = fail(`This could not be checked in time (${check.id}).`, { mend: 'try again' })
    timer = setTimeout(() => resolve([finding]), CHECK_LIMIT_MS)
  })
  try {
    return await Promise.race([check.look(subject), late])
  } catch {
    return [fail(`This could not be checked (${check.id}).`, { mend: 'report it as a mistake of onramp' })]
  } finally {
    clearTimeout(timer)
  }
}

/** Both servers are asked each thing once, however many checks want to know. */
function subjectOf(examination: Examination): { subject: Subject; close: () => Promise<void> } {
  const { env, now } = examination
  const read = readAll(env)
  const { SERVICE_BASE_URL: baseUrl, OIDC_ISSUER: issuer } = read.settings
  const inquiry =
    baseUrl === undefined ? undefined : createInquiry({ baseUrl, timeLimitMs: SERVICE_LIMIT_MS, now })
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

export async function examine(examination: Examination): Promise<Told[]> {
  const { subject, close } = subjectOf(examination)
  const mask = maskFor(settings, subject)
  const masked = (finding: Finding): Finding => ({
    ...finding,
    says: mask(finding.says),
    ...present({ mend: finding.mend === undefined ? undefined : mask(finding.mend) }),
  })
  const look = async (check: Check): Promise<Told[]> => {
    const skipped = examination.offline && check.network === true
    const findings = skipped ? [skip('not asked (--offline).')] : await bounded(check, subject)
    return findings.map((finding) => {
      const says = finding.status === 'skip' ? `${check.about}: ${finding.says}` : finding.says
      return { group: check.group, check: check.id, ...masked({ ...finding, says }) }
    })
  }
  try {
    const underWay = checks.map((check) => ({ group: check.group, findings: look(check) }))
    const told: Told[] = []
    for (const group of new Set(checks.map((check) => check.group))) {
      const mine = underWay.filter((one) => one.group === group)
      const findings = (await Promise.all(mine.map((one) => one.findings))).flat()
      examination.tell?.(group, findings)
      told.push(...findings)
    }
    return told
  } finally {
    await close()
  }
}
