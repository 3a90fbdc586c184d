// Collects facts concurrently and applies the rules. No check can stop another one, and secrets are masked at the end.
import { unescape } from 'node:querystring'
import type { ServerMetadata as Metadata } from 'openid-client'
import { useProxy } from '../http/proxy.ts'
import { readSettings, settingDefinitions, variablesOf, type Settings } from '../settings/settings.ts'
import { readClientAuthentication } from '../sign-in/server/client-authentication.ts'
import { withTimeout } from '../with-timeout.ts'
import { certificatesCheck } from './certificates.ts'
import { clientCheck } from './client.ts'
import { emailCheck, webhookCheck } from './deliveries.ts'
import { discoveryCheck } from './discovery.ts'
import { applyRules, fail, type createCheck, type DoctorContext, type Finding } from './findings.ts'
import { machineCheck } from './machine.ts'
import { ownAddressCheck } from './own-address.ts'
import { redirectUriCheck } from './redirect.ts'
import { redisCheck } from './redis.ts'
import { registrationCheck } from './registration.ts'
import { serverCheck } from './server.ts'
import { serviceCheck } from './service.ts'
import { sqliteCheck } from './sqlite.ts'
import { recordsCheck } from './stored.ts'

/** The ids of all checks, in the order of the report. */
const CHECKS = `
  settings.read settings.names settings.secrets settings.files settings.quotes settings.public-url
  settings.public-url-reached settings.public-url-redirects settings.public-url-pages settings.company
  settings.mail settings.webhooks settings.certificates settings.admins settings.proxy settings.outbound-proxy
  authorization-server.discovery authorization-server.clock authorization-server.abilities
  authorization-server.keys authorization-server.redirect-addresses
  authorization-server.redirect-registered authorization-server.client authorization-server.registration
  store.sqlite store.redis store.records
  service.reachable service.token-issuer service.token service.final-redirect
`.split(/\s+/)

/** `Authorization server` for `authorization-server.client` */
function groupOf(check: string): string {
  const [group = ''] = check.replace('-', ' ').split('.')
  return group.charAt(0).toUpperCase() + group.slice(1)
}

/** Shorter secrets occur in ordinary words. */
const MIN_MASKED = 6

const secretSettings = settingDefinitions.filter(({ secret }) => secret)

/** SESSION_SECRET may have several. */
const valuesOf = (name: string, read: Partial<Settings>): string[] =>
  [read[name as keyof Settings] as unknown].flat().filter((value) => typeof value === 'string')

/** Masks secrets, including those of faulty settings. */
export function maskFor(env: NodeJS.ProcessEnv, read: Partial<Settings>): (text: string) => string {
  const configuredValues = secretSettings.flatMap((setting) =>
    variablesOf(setting).flatMap((name) => [env[name]?.trim() ?? '', ...(env[name]?.split(',') ?? [])]),
  )
  const values = secretSettings.flatMap(({ name }) => valuesOf(name, read))
  const secrets = [...configuredValues, ...values].flatMap((secret) => {
    // querystring's unescape never throws.
    const password = URL.canParse(secret) ? new URL(secret).password : ''
    return [secret, password, unescape(password)].flatMap((form) => [form, encodeURIComponent(form)])
  })
  // The longest come first, because a secret may contain another.
  const forms = secrets.filter((form) => form.length >= MIN_MASKED).toSorted((a, b) => b.length - a.length)
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '[secret]'), text)
}

const LIMIT_MS = 30_000

class CheckRunner {
  readonly context: DoctorContext
  readonly #findings: Finding[] = []
  readonly #notRun = new Set<string>()

  constructor(context: DoctorContext) {
    this.context = context
  }

  /** @param needed arguments of `collect`; without them, the checks count as skipped */
  async run<Needed extends unknown[], Facts>(
    { collect, rules }: ReturnType<typeof createCheck<Needed, Facts>>,
    needed: NoInfer<Needed> | undefined | false | '',
  ): Promise<Facts | undefined> {
    const checks = Object.keys(rules)
    if (!needed) {
      for (const check of checks) this.#notRun.add(check)
      return undefined
    }
    try {
      const facts = await withTimeout(LIMIT_MS, collect(...needed))
      if (facts !== undefined) this.#findings.push(...applyRules(rules, facts, this.context))
      return facts
    } catch (error) {
      const [check = ''] = checks
      const kind = error instanceof Error ? error.name : 'unknown'
      const fix = 'try again; if it persists, please report this as a bug in onramp'
      this.#findings.push({ check, ...fail(`This check did not finish (${check}: ${kind}).`, fix) })
      return undefined
    }
  }

  report() {
    const mask = maskFor(this.context.env, this.context.settings)
    const findings = this.#findings
      .toSorted((one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check))
      .map(({ fix, ...finding }) => ({
        ...finding,
        group: groupOf(finding.check),
        message: mask(finding.message),
        ...(fix !== undefined && { fix: mask(fix) }),
      }))
    return { findings, notRun: this.#notRun.size }
  }
}

/** The client in the settings; undefined if it has to be registered, or its secret is missing. */
function clientIn(settings: Partial<Settings>) {
  const { OIDC_CLIENT_ID: id } = settings
  const auth = readClientAuthentication(settings)
  if (id === undefined || auth === undefined) return undefined
  if (auth.method.startsWith('client_secret') && auth.secret === undefined) return undefined
  return { id, auth }
}

/** Checks the client in the settings or the store, and its redirect URI; else the registration. */
async function checkClient(
  runner: CheckRunner,
  metadata: Metadata | undefined,
  registered: ReturnType<typeof recordsCheck.collect>,
  now: () => number,
): Promise<void> {
  const { settings } = runner.context
  const { PUBLIC_URL: url } = settings
  const client = clientIn(settings) ?? (await registered)?.client
  if (client === undefined && settings.OIDC_CLIENT_ID === undefined && settings.OIDC_CLIENT_AUTH) {
    await runner.run(registrationCheck, url && metadata && [metadata, settings as Settings, now])
    return
  }
  const knownClient = client && metadata && url ? { metadata, url, client } : undefined
  const clientFacts = await runner.run(clientCheck, knownClient && [knownClient])
  // If so, a rejected authorization request proves nothing about the redirect URI.
  const isClientRejected =
    clientFacts?.ourResponse === 'refused' || clientFacts?.ourResponse === 'not-allowed'
  await runner.run(redirectUriCheck, knownClient && [knownClient, settings, isClientRejected])
}

/** @param options.offline without the network @param options.now milliseconds since 1970 */
export async function runChecks({
  offline,
  now,
  ...options
}: Pick<DoctorContext, 'env' | 'actAs'> & { offline: boolean; now: () => number }) {
  const context: DoctorContext = { ...options, ...readSettings(options.env), now: now() }
  const { settings, faults } = context
  const { PUBLIC_URL: url, OIDC_ISSUER: issuer, SERVICE_BASE_URL: base } = settings
  const { SMTP_URL: smtpUrl, WEBHOOK_URL: hook, REDIS_URL: redisUrl } = settings
  useProxy(settings)
  const online = !offline
  const runner = new CheckRunner(context)
  const hasFolder = redisUrl === undefined && !faults.some((fault) => fault.startsWith('REDIS_URL'))
  const inStore = runner.run(recordsCheck, (online || hasFolder) && [context, now])
  const metadataFound = runner
    .run(discoveryCheck, online && issuer && [issuer, now])
    .then((facts) => facts?.metadata)

  await Promise.all([
    inStore,
    metadataFound.then((metadata) => runner.run(serverCheck, metadata && [metadata])),
    metadataFound.then((metadata) => checkClient(runner, metadata, inStore, now)),
    runner.run(machineCheck, [context]),
    runner.run(ownAddressCheck, online && url && [url, metadataFound]),
    runner.run(certificatesCheck, online && [settings]),
    smtpUrl && runner.run(emailCheck, online && [settings]),
    hook && runner.run(webhookCheck, online && [settings, context.now]),
    hasFolder && runner.run(sqliteCheck, [settings.DATA_DIR ?? '']),
    redisUrl && runner.run(redisCheck, online && [redisUrl, settings]),
    runner.run(serviceCheck, online && base && [base, context, now]),
  ])

  return runner.report()
}
