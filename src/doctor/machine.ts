// What the settings, this machine and its files say about themselves: no other server is asked.
import { statSync } from 'node:fs'
import { nearestWord } from '@onramp/terminal/arguments'
import { proxyFor } from '../http/proxy.ts'
import { readCompany } from '../company/read-company.ts'
import { isQuoted, settings as definitions, type Settings } from '../settings/settings.ts'
import { clientAddresses } from '../sign-in/server/client-addresses.ts'
import { companyFileChoices } from '../web/languages/catalogue.ts'
import type { DoctorContext, Table } from './rule.ts'
import { poorSecrets } from './secrets.ts'

type Machine = {
  /** NAME_FILE variables whose file everyone on this machine can read. */
  openFiles: string[]
  /** COMPANY_FILE, read by start-up's own code. */
  company: ReturnType<typeof readCompany> | undefined
  /** How calls leave, where a forward proxy is set. */
  ways: { who: string; proxy: string | undefined }[]
}

/** Docker and Kubernetes mount secrets readable for all users inside the container, and for none outside. */
const MOUNTED = /^\/(run|var\/run)\/secrets\//

export function isOpenToAll(file: string): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  return !MOUNTED.test(file) && (mode & 0o007) !== 0
}

function waysOf(settings: Partial<Settings>): Machine['ways'] {
  if (settings.HTTPS_PROXY === undefined && settings.HTTP_PROXY === undefined) return []
  const targets = {
    'The service': settings.SERVICE_BASE_URL,
    'The authorization server': settings.OIDC_ISSUER,
  }
  return Object.entries(targets).flatMap(([who, address]) =>
    address === undefined ? [] : { who, proxy: proxyFor(new URL(address)) },
  )
}

/** The proxy of the settings has to be in use already. */
async function look({ env, settings }: DoctorContext): Promise<Machine> {
  const { COMPANY_FILE: company } = settings
  return {
    openFiles: definitions
      .filter(({ secret, name }) => secret && isOpenToAll(env[`${name}_FILE`]?.trim() ?? ''))
      .map(({ name }) => `${name}_FILE`),
    company: company === undefined ? undefined : readCompany(company, companyFileChoices()),
    ways: waysOf(settings),
  }
}

/** "OIDC_ISSUER is not an address: write it like …" is a sentence and its remedy. */
function partsOf(fault: string) {
  const setting = /^[A-Z_]+/.exec(fault)?.[0] ?? ''
  const [says = fault, ...rest] = fault.split(': ')
  const fix = rest.join(': ')
  const remedy = says.endsWith(' is required') ? `set it. ${fix}` : fix
  return { setting, says, remedy: remedy || (says.includes(' is required ') ? 'set it' : 'correct it') }
}

const known = definitions.flatMap(({ name, secret, file }) =>
  secret || file ? [name, `${name}_FILE`] : [name],
)
/** No other program's variables begin so, but for one of desktops. */
const OURS = /^(OIDC|SESSION)_(?!MANAGER$)/
/** What orchestrators put in for a service that is called "redis". */
const OTHERS = /_PORT(_\d+_\w+)?$|_SERVICE_/
/** Shorter names are too near to those of other programs. */
const candidates = known.filter((name) => name.length >= 6)

/** They were settings once. What does the same now, in words. */
const REMOVED: Record<string, string> = {
  HELP_URL: 'set links.help in COMPANY_FILE',
  REQUESTS_PER_MINUTE: 'remove it: the limit for each person is fixed',
  SIGN_INS_WAITING_MB: 'remove it: sign-ins under way are no longer stored',
}
/** Another program's variable is hardly that near to a long name, also where that one is set. */
const MIN_LONG = 12

/** Never a failure: another program may read it. */
function misnamed(env: NodeJS.ProcessEnv) {
  const names = Object.keys(env).filter(
    (name) => env[name] && /^[A-Z][A-Z0-9_]{5,60}$/.test(name) && !OTHERS.test(name) && !known.includes(name),
  )
  return names.toSorted().flatMap((name) => {
    const instead = REMOVED[name]
    if (instead !== undefined) return { is: 'removed', name, instead } as const
    const meant = nearestWord(name, candidates) ?? ''
    const isNear = meant !== '' && Math.abs(meant.length - name.length) <= 3
    const base = meant.replace(/_FILE$/, '')
    const isFree = meant.length >= MIN_LONG || (!env[base] && !env[`${base}_FILE`])
    if (isNear && isFree) return { is: 'mistyped', name, meant } as const
    return OURS.test(name) ? ({ is: 'unknown', name } as const) : []
  })
}

/** `docker run --env-file` and systemd keep quotes. Others in quotes are refused; a secret could really have them. */
const quotedSecrets = ({ env, faults }: DoctorContext): string[] =>
  definitions
    .filter(({ secret, name }) => secret && isQuoted(env[name]?.trim() ?? ''))
    .map(({ name }) => name)
    .filter((name) => !faults.some((fault) => fault.startsWith(`${name} `)))

/** Nearly every address: up to 2^24 of IPv4 may be a company's own network. */
function isWide(range: string): boolean {
  const [address = '', prefix] = range.split('/')
  return prefix !== undefined && Number(prefix) < (address.includes(':') ? 16 : 8)
}

const table: Table<Machine> = {
  'settings.read': [
    (_, { faults }) => faults.map((fault) => ({ is: 'fault', ...partsOf(fault) })),
    () => 'fine',
  ],
  'settings.names': [(_, { env }) => misnamed(env)],
  'settings.secrets': [(_, { settings }) => poorSecrets(settings).map((name) => ({ is: 'poor', name }))],
  'settings.files': [({ openFiles }) => openFiles.map((name) => ({ is: 'open', name }))],
  'settings.quotes': [(_, setup) => quotedSecrets(setup).map((name) => ({ is: 'quoted', name }))],
  'settings.public-url': [
    (_, { settings: { PUBLIC_URL: url } }) => url && { is: url.startsWith('https:') ? 'fine' : 'local', url },
  ],
  'settings.company': [
    ({ company }) => company?.faults.map((fault) => ({ is: 'fault', fault: fault.replace(/[.]?$/, '.') })),
    ({ company }) => company && 'fine',
  ],
  'settings.admins': [
    (_, { settings: { ADMIN_EMAILS: admins = [], SMTP_URL: mail, SERVICE_GLOBAL_TOKEN: token } }) =>
      admins.length === 0 && mail && token && 'none',
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
  'authorization-server.redirect-addresses': [
    (_, { settings: { PUBLIC_URL: url } }) => {
      if (url === undefined) return undefined
      const { callback, signedOut, backChannelLogout } = clientAddresses(url)
      return [
        { is: 'redirect', url: callback },
        { is: 'signed-out', url: signedOut },
        { is: 'back-channel', url: backChannelLogout },
      ]
    },
  ],
}

export const machine = { look, table }
