// Collects the facts and judges them. Probes run side by side, and none of them can stop another. What comes out is
// masked once more: should a secret ever get into a finding, it does not leave this file.
import type { ServerMetadata as Metadata } from 'openid-client'
import { useProxy } from '../http/proxy.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import { within } from '../within.ts'
import { certificates } from './certificates.ts'
import { client, clientIn, isRejected } from './client.ts'
import { mail, webhook } from './deliveries.ts'
import { machine } from './machine.ts'
import { ownAddress } from './own-address.ts'
import { redirect } from './redirect.ts'
import { redis } from './redis.ts'
import { registration } from './registration.ts'
import { checksIn, judge, placeOf, type Finding, type DoctorContext, type Table } from './rule.ts'
import { maskFor } from './secrets.ts'
import { discovery, metadataIn, server } from './server.ts'
import { service } from './service.ts'
import { sqlite } from './sqlite.ts'
import { stored } from './stored.ts'

export type DoctorReport = {
  findings: (Finding & { group: string })[]
  /** How many checks lack settings or answers that they need, or the network. */
  notRun: number
}

/** `Authorization server`, of authorization-server.client. */
function groupOf(check: string): string {
  const [group = ''] = check.replace('-', ' ').split('.')
  return group.charAt(0).toUpperCase() + group.slice(1)
}

const LIMIT_MS = 30_000

const unfinished = (check = ''): Finding => ({
  check,
  is: 'unfinished',
  status: 'fail',
  says: `This check did not finish (${check}).`,
  settings: [],
  fix: 'try again; if it stays so, please report this as a bug in onramp',
})

type Examination = Pick<DoctorContext, 'env' | 'actAs'> & {
  now: () => number
  /** Without asking anyone. */
  offline: boolean
}

export async function examine({ offline, now, ...given }: Examination): Promise<DoctorReport> {
  const setup: DoctorContext = { ...given, ...readSettings(given.env), now: now() }
  const { settings, faults } = setup
  const { PUBLIC_URL: url } = settings
  useProxy(settings)
  const online = !offline
  const found: Finding[] = []
  const missing = new Set<string>()

  /** @param needed without it the checks count as not run @returns undefined if nothing was looked at */
  async function probe<Needed, Facts>(
    table: Table<Facts>,
    needed: Needed | undefined | false | '',
    look: (needed: Needed) => Promise<Facts | undefined>,
  ): Promise<Facts | undefined> {
    const checks = checksIn(table)
    if (!needed) {
      for (const check of checks) missing.add(check)
      return undefined
    }
    try {
      const facts = await within(LIMIT_MS, look(needed))
      if (facts !== undefined) found.push(...judge(table, facts, setup))
      return facts
    } catch {
      found.push(unfinished(checks[0]))
      return undefined
    }
  }

  const { SMTP_URL: smtpUrl, WEBHOOK_URL: hook, REDIS_URL: redisUrl } = settings
  const hasFolder = redisUrl === undefined && !faults.some((fault) => fault.startsWith('REDIS_URL'))
  const holding = probe(stored.table, online || hasFolder, () => stored.look(setup, now))

  async function lookAtClient(metadata: Metadata | undefined): Promise<void> {
    const own = clientIn(settings) ?? (await holding)?.client
    if (own === undefined && settings.OIDC_CLIENT_ID === undefined && settings.OIDC_CLIENT_AUTH) {
      const look = (found: Metadata) => registration.look(found, settings as Settings, now)
      await probe(registration.table, url && metadata, look)
      return
    }
    const known = own && metadata && url ? { metadata, url, own } : undefined
    const tried = await probe(client.table, known, (all) => client.look(all.metadata, all.own, all.url))
    const isRefused = tried !== undefined && isRejected(tried)
    await probe(redirect.table, known, (all) => redirect.look(all.metadata, settings, all, isRefused))
  }
  const issuer = online && settings.OIDC_ISSUER
  const discovering = probe(discovery.table, issuer, (address) => discovery.look(address, now)).then(
    (facts) => metadataIn(facts?.discovery),
  )

  await Promise.all([
    holding,
    discovering.then((metadata) => probe(server.table, metadata, server.look)),
    discovering.then(lookAtClient),
    probe(machine.table, setup, machine.look),
    probe(ownAddress.table, online && url, (address) => ownAddress.look(address, discovering)),
    probe(certificates.table, online && settings, certificates.look),
    smtpUrl && probe(mail.table, online && smtpUrl, () => mail.look(settings)),
    hook && probe(webhook.table, online, () => webhook.look(settings, setup.now)),
    hasFolder && probe(sqlite.table, true, async () => sqlite.look(settings.DATA_DIR ?? '')),
    redisUrl && probe(redis.table, online && redisUrl, (address) => redis.look(address, settings)),
    probe(service.table, online && settings.SERVICE_BASE_URL, (base) => service.look(base, setup, now)),
  ])

  const mask = maskFor(setup.env, settings)
  const findings = found
    .toSorted((one, other) => placeOf(one.check) - placeOf(other.check))
    .map(({ fix, ...finding }) => ({
      ...finding,
      group: groupOf(finding.check),
      says: mask(finding.says),
      ...(fix !== undefined && { fix: mask(fix) }),
    }))
  return { findings, notRun: missing.size }
}
