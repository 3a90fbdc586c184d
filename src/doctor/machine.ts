// Checks settings and files without the network.
import { statSync } from 'node:fs'
import { nearestWord } from '@onramp/terminal/arguments'
import { proxyFor } from '../http/proxy.ts'
import { readCompany } from '../company/read-company.ts'
import { isQuoted, settingDefinitions, type Settings } from '../settings/settings.ts'
import { clientUrls } from '../sign-in/server/client-urls.ts'
import { supportedTexts } from '../web/languages/catalogue.ts'
import { createCheck, fail, ok, warn, type DoctorContext } from './findings.ts'

/** Docker and Kubernetes mount secrets world-readable inside the container only. */
const MOUNTED = /^\/(run|var\/run)\/secrets\//

export function isOpenToAll(file: string): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  return !MOUNTED.test(file) && (mode & 0o007) !== 0
}

function outboundRoutes(settings: Partial<Settings>) {
  if (settings.HTTPS_PROXY === undefined && settings.HTTP_PROXY === undefined) return []
  const targets = {
    'The service': settings.SERVICE_BASE_URL,
    'The authorization server': settings.OIDC_ISSUER,
  }
  return Object.entries(targets).flatMap(([server, url]) =>
    url === undefined ? [] : { server, proxy: proxyFor(new URL(url)) },
  )
}

/** Call useProxy first. */
async function collect({ env, settings }: DoctorContext) {
  const { COMPANY_FILE: company } = settings
  return {
    openFiles: settingDefinitions
      .filter(({ secret, name }) => secret && isOpenToAll(env[`${name}_FILE`]?.trim() ?? ''))
      .map(({ name }) => `${name}_FILE`),
    company: company === undefined ? undefined : readCompany(company, supportedTexts()),
    routes: outboundRoutes(settings),
  }
}

/** Splits `OIDC_ISSUER is not an address: write it like …` into the fault and its fix. */
function settingFault(fault: string) {
  const [message = fault, ...rest] = fault.split(': ')
  const advice = rest.join(': ')
  const [name = ''] = /^[A-Z_]+/.exec(fault) ?? []
  const isRequired = / is required( |$)/.test(message)
  const correct = message.includes('must start with https://') ? 'use https://' : 'correct it'
  const fix = message.endsWith(' is required') ? `set it. ${advice}` : advice
  return fail(`${message}.`, `${name}: ${fix || (isRequired ? 'set it' : correct)}`)
}

const settingNames = settingDefinitions.flatMap(({ name, secret, file }) =>
  secret || file ? [name, `${name}_FILE`] : [name],
)
/** Other programs have no variables with these prefixes, except SESSION_MANAGER of desktops. */
const ONRAMP_VARIABLE = /^(OIDC|SESSION)_(?!MANAGER$)/
/** Orchestrators set such variables for a service called "redis". */
const ORCHESTRATOR_VARIABLE = /_PORT(_\d+_\w+)?$|_SERVICE_/
/** Shorter names resemble those of other programs. */
const candidates = settingNames.filter((name) => name.length >= 6)

const REMOVED: Record<string, string> = {
  HELP_URL: 'set links.help in COMPANY_FILE',
  REQUESTS_PER_MINUTE: 'remove it: the limit for each person is fixed',
  SIGN_INS_WAITING_MB: 'remove it: sign-ins under way are no longer stored',
}
/** A near miss of a long name is a typing error, even if the right one is set, too. */
const MIN_LONG = 12

/** Warns about a misspelt or former setting. Only a warning, because another program may read the variable. */
function unknownVariable(name: string, env: NodeJS.ProcessEnv) {
  const replacement = REMOVED[name]
  if (replacement !== undefined)
    return warn(`${name} is no longer a setting and is ignored.`, `${name}: ${replacement}`)
  const meant = nearestWord(name, candidates) ?? ''
  const isNear = meant !== '' && Math.abs(meant.length - name.length) <= 3
  const base = meant.replace(/_FILE$/, '')
  const isFree = meant.length >= MIN_LONG || (!env[base] && !env[`${base}_FILE`])
  if (isNear && isFree)
    return warn(
      `${name} is not a setting and is ignored; ${meant} is one.`,
      `${name}: rename it to ${meant}, if that was meant`,
    )
  return (
    ONRAMP_VARIABLE.test(name) && warn(`${name} is not a setting and is ignored.`, `${name}: remove ${name}`)
  )
}

const unknownVariables = (env: NodeJS.ProcessEnv) =>
  Object.keys(env)
    .filter((name) => env[name] && /^[A-Z][A-Z0-9_]{5,60}$/.test(name))
    .filter((name) => !ORCHESTRATOR_VARIABLE.test(name) && !settingNames.includes(name))
    .toSorted()
    .map((name) => unknownVariable(name, env))

/** `docker run --env-file` and systemd keep quotes. The start rejects them except in secrets, which may have them. */
const quotedSecrets = ({ env, faults }: DoctorContext): string[] =>
  settingDefinitions
    .filter(({ secret, name }) => secret && isQuoted(env[name]?.trim() ?? ''))
    .map(({ name }) => name)
    .filter((name) => !faults.some((fault) => fault.startsWith(`${name} `)))

/** True if the range is wider than any company's network. */
function isWide(range: string): boolean {
  const [address = '', prefix] = range.split('/')
  return prefix !== undefined && Number(prefix) < (address.includes(':') ? 16 : 8)
}

function trustedProxies({ TRUST_PROXY: trusted = [], PUBLIC_URL: url }: Partial<Settings>) {
  if (trusted.some(isWide))
    return fail(
      'TRUST_PROXY trusts almost every address, so anyone can spoof their IP.',
      "TRUST_PROXY: list your reverse proxies' own addresses",
    )
  if (trusted.length > 0 || !url?.startsWith('https:')) return undefined
  return warn(
    'PUBLIC_URL is https, so a reverse proxy is in front, but TRUST_PROXY lists none.',
    "TRUST_PROXY: set the proxy's address; otherwise everyone shares one IP in logs and rate limits",
  )
}

function publicUrl({ PUBLIC_URL: url }: Partial<Settings>) {
  if (url === undefined) return undefined
  return url.startsWith('https:')
    ? ok(`People use ${url}; the session cookie (__Host-onramp) is Secure.`)
    : warn(
        `${url} only works on this machine, and the session cookie isn't Secure.`,
        'PUBLIC_URL: use an https URL in production',
      )
}

function companyFile({ company }: Awaited<ReturnType<typeof collect>>) {
  if (company === undefined || company.faults.length === 0)
    return [company && ok('The company file can be read.')]
  const fix = 'correct the company file, or the path in COMPANY_FILE'
  return company.faults.map((fault) => fail(fault.replace(/[.]?$/, '.'), `COMPANY_FILE: ${fix}`))
}

function redirectUris({ PUBLIC_URL: url }: Partial<Settings>) {
  if (url === undefined) return []
  const { redirectUri, postLogoutRedirectUri, backChannelLogoutUri } = clientUrls(url)
  return [
    ok(`Redirect URI: ${redirectUri}`),
    ok(`Post-logout redirect URI: ${postLogoutRedirectUri}`),
    ok(`Back-channel logout URI: ${backChannelLogoutUri}`),
  ]
}

/** Secrets that operators make up. The settings check their length. */
const MADE_UP = ['SESSION_SECRET', 'INVITE_SECRET', 'REPORT_TOKEN', 'METRICS_TOKEN'] as const
const EXAMPLE =
  /change.?me|example|passwor[dt]|placeholder|x{6,}|12345678|abcdefgh|your[-_ ]|(^|[^a-z])(secret|test|demo|dummy)/i
const MIN_DIFFERENT = 8

const poorSecrets = (settings: Partial<Settings>): string[] =>
  MADE_UP.filter((name) =>
    [settings[name] ?? []]
      .flat()
      .some((secret) => EXAMPLE.test(secret) || new Set(secret).size < MIN_DIFFERENT),
  )

export const machineCheck = createCheck(collect, {
  'settings.read': (_, { faults }) =>
    faults.length > 0 ? faults.map(settingFault) : ok('All settings can be read; the server would start.'),
  'settings.names': (_, { env }) => unknownVariables(env),
  'settings.secrets': (_, { settings }) =>
    poorSecrets(settings).map((name) =>
      warn(
        `${name} looks like an example or repeats the same characters, so others could guess it.`,
        `${name}: generate one with \`openssl rand -base64 48\`; docs/operations.md says how to rotate it`,
      ),
    ),
  'settings.files': ({ openFiles }) =>
    openFiles.map((name) =>
      warn(
        `The file in ${name} is readable by every user on this machine.`,
        `${name}: restrict it: chmod o-rwx FILE`,
      ),
    ),
  'settings.quotes': (_, context) =>
    quotedSecrets(context).map((name) =>
      warn(`${name} is in quotes, which are part of the secret.`, `${name}: remove the quotes`),
    ),
  'settings.public-url': (_, { settings }) => publicUrl(settings),
  'settings.company': companyFile,
  'settings.admins': (_, { settings: { ADMIN_EMAILS = [], SMTP_URL, SERVICE_GLOBAL_TOKEN } }) =>
    ADMIN_EMAILS.length === 0 &&
    SMTP_URL &&
    SERVICE_GLOBAL_TOKEN &&
    warn(
      'onramp keep has no one to email: neither the weekly digest nor alerts that many people lost an app.',
      'ADMIN_EMAILS: set the addresses of the people who run the rollout',
    ),
  'settings.proxy': (_, { settings }) => trustedProxies(settings),
  'settings.outbound-proxy': ({ routes }, { settings }) =>
    routes.map(({ server, proxy }) =>
      ok(
        proxy === undefined
          ? `${server} is reached without the proxy.`
          : `${server} is reached through the proxy ${proxy} (${settings.HTTPS_PROXY === undefined ? 'HTTP_PROXY' : 'HTTPS_PROXY'}).`,
      ),
    ),
  'authorization-server.redirect-addresses': (_, { settings }) => redirectUris(settings),
})
