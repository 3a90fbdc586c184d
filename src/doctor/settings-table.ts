// What the settings, and the machine that onramp runs on, say about themselves.
import { getDomain } from 'tldts'
import { nearest } from '@onramp/deprecations/command-line/arguments'
import { addressesOf } from '../sign-in/addresses.ts'
import { isQuoted, settings as definitions } from '../settings/settings.ts'
import type { Machine } from './machine.ts'
import { isExample, sharedOrigin } from './own-address.ts'
import type { Setup, Table } from './rule.ts'
import { sharedSecrets, weakSecrets } from './secrets.ts'

/** "OIDC_ISSUER is not an address: write it like …" is a sentence and its remedy. */
function partsOf(fault: string) {
  const setting = /^[A-Z_]+/.exec(fault)?.[0] ?? ''
  const [says = fault, ...rest] = fault.split(': ')
  const fix = rest.join(': ')
  const standard = setting.endsWith('_FILE') ? 'correct the path' : 'correct it'
  const remedy = says.endsWith(' is required') ? `set it. ${fix}` : fix
  return { setting, says, remedy: remedy || (says.includes(' is required ') ? 'set it' : standard) }
}

const known = definitions.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]))
/** Ours alone: other programs do not use these prefixes. SERVICE_, REDIS_ and the like are used by clusters too. */
const OURS = /^(OIDC|SESSION)_/
/** What other parts of onramp read, and what desktops and orchestrators put in. */
const OTHERS =
  /^(SANDBOX_PORT|HOSTNAME|SESSION_MANAGER|SERVICE_(HOST|PORT|NAME)|\w+_SERVICE_\w+|\w+_PORT_\d+_\w+)$/
/** Kubernetes gives the address of a service that is called "redis" as REDIS_PORT. */
const isOthers = (name: string, value: string) =>
  OTHERS.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):/.test(value))
/** Shorter names are too near to those of other programs. */
const MIN_LETTERS = 6
const candidates = known.filter((name) => name.length >= MIN_LETTERS)

/** Never a failure: another program may read it, above all where the setting that it is near to is set too. */
function judgeName(name: string, env: NodeJS.ProcessEnv) {
  const base = name.replace(/_FILE$/, '')
  if (name !== base && known.includes(base)) return { is: 'no-file', name, base } as const
  const near = name.length < MIN_LETTERS ? undefined : nearest(name, candidates)
  const meant = near !== undefined && Math.abs(near.length - name.length) <= 3 ? near : undefined
  if (meant === undefined) return OURS.test(name) ? ({ is: 'unknown', name } as const) : []
  const plain = meant.replace(/_FILE$/, '')
  if (!env[plain] && !env[`${plain}_FILE`]) return { is: 'mistyped', name, meant } as const
  return OURS.test(name) ? ({ is: 'beside', name, meant } as const) : []
}

const unknownNames = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(env)
    .filter(
      ([name, value = '']) => value !== '' && /^[A-Z][A-Z0-9_]{2,60}$/.test(name) && !isOthers(name, value),
    )
    .map(([name]) => name)
    .filter((name) => !known.includes(name))
    .toSorted()

/** `docker run --env-file` and systemd keep quotes. Others in quotes are refused; a secret could really have them. */
const quotedSecrets = ({ env, faults }: Setup): string[] =>
  definitions
    .filter(({ secret, name }) => secret && isQuoted(env[name]?.trim() ?? ''))
    .map(({ name }) => name)
    .filter((name) => !faults.some((fault) => fault.startsWith(`${name} `)))

/** Another scheme is another site. Names below a shared domain, like those of github.io, are sites of their own. */
export function isSameSite(one: string, other: string): boolean {
  const site = ({ hostname }: URL) => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
  const [a, b] = [new URL(one), new URL(other)]
  return a.protocol === b.protocol && site(a) === site(b)
}

/** Nearly every address: up to 2^24 of IPv4 may be a company's own network. */
function isWide(range: string): boolean {
  const [address = '', prefix] = range.split('/')
  return prefix !== undefined && Number(prefix) < (address.includes(':') ? 16 : 8)
}

/** The same as in require-node.mjs and package.json: it says why 24.2 is too old. */
function isTooOld(node: string): boolean {
  const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(node) ?? []).map(Number)
  return major < 24 || (major === 24 && minor < 3)
}

const DAY_MS = 24 * 3600 * 1000
const NEAR_DAYS = 90

const counted = (count: number, one: string, several: string) => `${count} ${count === 1 ? one : several}`

export const settingsTable: Table<Machine> = {
  'settings.read': [
    (_, { faults }) => faults.map((fault) => ({ is: 'fault', ...partsOf(fault) })),
    () => 'fine',
  ],
  'settings.names': [(_, { env }) => unknownNames(env).flatMap((name) => judgeName(name, env))],
  'settings.secrets': [
    (_, { settings }) => [
      ...weakSecrets(settings).map((weak) => ({ is: 'weak' as const, ...weak })),
      ...sharedSecrets(settings).map((shared) => ({ is: 'shared' as const, ...shared })),
    ],
  ],
  'settings.files': [({ openFiles }) => openFiles.map((name) => ({ is: 'open', name }))],
  'settings.quotes': [(_, setup) => quotedSecrets(setup).map((name) => ({ is: 'quoted', name }))],
  'settings.public-url': [
    (_, { settings }) => sharedOrigin(settings) && { is: 'shared', name: sharedOrigin(settings) },
    (_, { settings }) => isExample(settings) && 'example',
    (_, { settings: { PUBLIC_URL: url } }) => url && { is: url.startsWith('https:') ? 'fine' : 'local', url },
  ],
  'settings.host': [({ hostError }) => hostError && { is: 'foreign', reason: hostError }],
  // Browsers send a SameSite=Lax cookie with a request from another page only within one site.
  'settings.intranet': [
    (_, { settings: { PUBLIC_URL: url, RETURN_TO_ORIGINS: origins = [] } }) => {
      const elsewhere = origins.filter((origin) => url !== undefined && !isSameSite(origin, url))
      return elsewhere.length > 0 && { is: 'elsewhere', origins: elsewhere.join(', ') }
    },
  ],
  'settings.company': [
    ({ company }) =>
      company?.faults.map((fault) => ({
        is: fault.startsWith('COMPANY_FILE names') ? 'unread' : 'fault',
        fault: /[.?]$/.test(fault) ? fault : `${fault}.`,
      })),
    ({ company: { company } = {} }) =>
      company && {
        is: 'fine',
        name: company.name ?? 'a company without a name',
        languages: company.languages.join(', ') || 'every language',
        apps: counted(company.datasources.size, 'datasource', 'datasources'),
      },
  ],
  'settings.proxy': [
    (_, { settings: { TRUST_PROXY: trusted = [], PUBLIC_URL: url } }) => {
      if (trusted.some(isWide)) return 'wide'
      return trusted.length === 0 && url?.startsWith('https:') && 'none'
    },
  ],
  'settings.outbound-proxy': [
    ({ ways }, { settings }) => {
      const setting = settings.HTTPS_PROXY === undefined ? 'HTTP_PROXY' : 'HTTPS_PROXY'
      return ways.map((way) => ({ is: way.proxy === undefined ? 'direct' : 'through', setting, ...way }))
    },
  ],
  'settings.authorities': [
    ({ authority }) => {
      if (authority === 'usable') return 'fine'
      return authority && (authority === 'expired' ? 'expired' : { is: 'unread', why: authority })
    },
  ],
  'settings.metrics': [
    (_, { settings: { METRICS_PORT: port, METRICS_TOKEN: token } }) =>
      token === undefined && port !== undefined && { is: 'open', port },
  ],
  'settings.session': [
    (_, { settings: { SESSION_IDLE_MINUTES: idle = 0, SESSION_MAX_HOURS: max = 0 } }) =>
      idle > max * 60 && 'idle',
  ],
  'settings.runtime': [(_, { node }) => ({ is: isTooOld(node) ? 'old' : 'fine', node })],
  'authorization-server.redirect-addresses': [
    (_, { settings: { PUBLIC_URL: url } }) => {
      if (url === undefined) return undefined
      const { callback, signedOut, backChannelLogout } = addressesOf(url)
      return [
        { is: 'redirect', url: callback },
        { is: 'signed-out', url: signedOut },
        { is: 'back-channel', url: backChannelLogout },
      ]
    },
  ],
  'authorization-server.client-key': [
    ({ canSign }) => canSign === false && 'unusable',
    ({ canSign }, { settings }) => canSign && settings.OIDC_CLIENT_AUTH !== 'private_key_jwt' && 'unused',
  ],
  'service.deprecations': [
    (_, { deadlines, now }) =>
      deadlines.flatMap((deadline) => {
        const days = Math.ceil((Date.parse(deadline.removal) - now) / DAY_MS)
        return days > NEAR_DAYS ? [] : { is: days > 0 ? 'soon' : 'gone', ...deadline, days }
      }),
  ],
}
