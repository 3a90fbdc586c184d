// Collects the facts and judges them. Probes run side by side, and none of them can stop another. What comes out is
// masked once more: should a secret ever get into a finding, it does not leave this file.
import { useProxy } from '../client-api/proxy.ts'
import { readSettings } from '../settings/settings.ts'
import { within } from './ask.ts'
import { clientTable } from './client-table.ts'
import { mailTable, tryMail, tryWebhook, webhookTable } from './deliveries.ts'
import { lookAtMachine } from './machine.ts'
import { askOwnAddress, ownAddressTable } from './own-address.ts'
import { providerTable } from './providers.ts'
import { lookAtRedis, redisTable } from './redis.ts'
import { checksIn, judge, placeOf, type Finding, type Setup, type Table } from './rule.ts'
import { discover, lookAtServer, type ServerFacts } from './server.ts'
import { clockTable, discoveryTable, serverTable, type Clocks } from './server-table.ts'
import { lookAtService, serviceTable } from './service.ts'
import { maskFor } from './secrets.ts'
import { settingsTable } from './settings-table.ts'
import { lookAtFolder, sqliteTable } from './sqlite.ts'
import { lookAtStored, storedTable } from './stored.ts'

export type Report = {
  findings: (Finding & { group: string })[]
  /** How many checks lack settings or answers that they need, or the network. */
  notRun: number
}

/** By what a check's name begins with. */
const GROUPS: Record<string, string> = {
  settings: 'Settings',
  'authorization-server': 'Authorization server',
  store: 'Store',
  service: 'Service',
}

/** `missing`: settings or answers that it needs; `none`: there is nothing to look at. */
type Probed<Facts> = { facts: Facts } | 'missing' | 'none' | 'failed'

const LIMIT_MS = 30_000

/** None where a setting or an answer that it needs is missing. */
type Work<Facts> = false | undefined | '' | (() => Promise<Facts | undefined>)

async function probe<Facts>(work: Work<Facts>): Promise<Probed<Facts>> {
  if (!work) return 'missing'
  try {
    const facts = await within(LIMIT_MS, work())
    return facts === undefined ? 'none' : { facts }
  } catch {
    return 'failed'
  }
}

const factsIn = <Facts>(probed: Probed<Facts>): Facts | undefined =>
  typeof probed === 'object' ? probed.facts : undefined

const unfinished = (check = ''): Finding => ({
  check,
  is: 'unfinished',
  status: 'fail',
  says: `This check did not finish (${check}).`,
  settings: [],
  fix: 'try again; if it stays so, please report this as a bug in onramp',
})

type Examination = Pick<Setup, 'env' | 'actAs' | 'node' | 'deadlines'> & {
  now: () => number
  /** Without asking anyone. */
  offline: boolean
}

export async function examine({ offline, now, ...given }: Examination): Promise<Report> {
  const setup: Setup = { ...given, ...readSettings(given.env), now: now() }
  const { settings, faults } = setup
  const { PUBLIC_URL: url, OIDC_ISSUER: issuer, SERVICE_BASE_URL: baseUrl } = settings
  const { REDIS_URL: redisUrl, SMTP_URL: smtpUrl } = settings
  useProxy(settings)
  const online = <Facts>(work: Work<Facts>) => probe(!offline && work)

  const stored = online(() => lookAtStored(setup, now))
  const discovery = online(issuer && (() => discover(issuer)))
  const service = online(baseUrl && (() => lookAtService(baseUrl, setup, now)))
  async function lookAtFound(): Promise<Probed<ServerFacts>> {
    const found = factsIn(await discovery)?.discovery
    const registered = factsIn(await stored)?.client
    return await probe(found?.kind === 'found' && (() => lookAtServer(found, setup, registered, now)))
  }
  const server = lookAtFound()
  async function readClocks(): Promise<Probed<Clocks>> {
    const [found, madeUp] = [factsIn(await server), factsIn(await service)?.madeUp]
    const other = madeUp === undefined || madeUp.kind === 'silent' ? undefined : madeUp
    return found === undefined && other === undefined
      ? 'missing'
      : { facts: { server: found?.times, service: other } }
  }
  const hasFolder = redisUrl === undefined && !faults.some((fault) => fault.startsWith('REDIS_URL'))

  const missing = new Set<string>()
  async function judged<Facts>(table: Table<Facts>, probing: Promise<Probed<Facts>>) {
    const probed = await probing
    if (typeof probed === 'object') return judge(table, probed.facts, setup)
    const checks = checksIn(table)
    if (probed === 'missing') for (const check of checks) missing.add(check)
    return probed === 'failed' ? [unfinished(checks[0])] : []
  }
  const here = <Facts>(table: Table<Facts>, work: Work<Facts>) => judged(table, probe(work))
  const there = <Facts>(table: Table<Facts>, work: Work<Facts>) => judged(table, online(work))
  const found = await Promise.all([
    here(settingsTable, () => lookAtMachine(setup)),
    there(ownAddressTable, url && (() => askOwnAddress(url, settings))),
    there(mailTable, async () => (smtpUrl ? await tryMail(smtpUrl) : undefined)),
    there(webhookTable, () => tryWebhook(settings, setup.now)),
    judged(discoveryTable, discovery),
    judged(clockTable, readClocks()),
    judged(providerTable, server),
    judged(serverTable, server),
    judged(clientTable, server),
    here(sqliteTable, async () => (hasFolder ? lookAtFolder(settings.DATA_DIR ?? '') : undefined)),
    there(redisTable, async () => (redisUrl ? await lookAtRedis(redisUrl, settings) : undefined)),
    judged(storedTable, stored),
    judged(serviceTable, service),
  ])

  const mask = maskFor(setup.env, settings)
  const findings = found
    .flat()
    .toSorted((one, other) => placeOf(one.check) - placeOf(other.check))
    .map(({ fix, ...finding }) => ({
      ...finding,
      group: GROUPS[finding.check.split('.')[0] ?? ''] ?? '',
      says: mask(finding.says),
      ...(fix !== undefined && { fix: mask(fix) }),
    }))
  return { findings, notRun: missing.size }
}
