// Reads the settings from the environment. All faults are reported at once, none with a secret's value.
import { isUtf8 } from 'node:buffer'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { credentialsIn } from './client-credentials.ts'
import { definitions } from './definitions.ts'
import type { Setting } from './values.ts'

type Definitions = typeof definitions
type SettingValue<K extends keyof Definitions> = z.output<Definitions[K]['schema']>

export type Settings = {
  [K in keyof Definitions]: Definitions[K] extends { default: string } | { required: true }
    ? SettingValue<K>
    : SettingValue<K> | undefined
}

export const settingDefinitions: readonly Setting[] = Object.entries(definitions).map(
  ([name, definition]) => ({ name, ...definition }),
)

/** The exit code for faulty settings: EX_CONFIG of sysexits.h. */
export const EXIT_SETTINGS = 78

/** Each fault is a sentence with its place (a setting, or a line of the company file) and its correction. */
export class SettingsError extends Error {
  override name = 'SettingsError'
  readonly faults: readonly string[]
  /** @param noun a plural noun after the number of faults */
  constructor(faults: readonly string[], noun = 'settings') {
    const list = faults.map((fault) => `\n  - ${fault}`).join('')
    super(faults.length === 1 ? faults[0] : `${faults.length} ${noun} need to be fixed:${list}`)
    this.faults = faults
  }
}

/** Some readers of env files keep the quotes of `NAME="value"`. */
export const isQuoted = (value: string): boolean => /^(["'`]).*\1$/s.test(value) && value.length > 1

/** The environment variables of a setting, besides NAME_FILE; the first that is set wins. */
export const variablesOf = ({ name, lowerCase }: Pick<Setting, 'name' | 'lowerCase'>): string[] =>
  lowerCase ? [name.toLowerCase(), name] : [name]

function readRaw(setting: Setting, env: NodeJS.ProcessEnv): { value?: string; fault?: string } {
  const direct = variablesOf(setting)
    .map((name) => env[name]?.trim())
    .find(Boolean)
  const file = (setting.secret ?? setting.file) ? env[`${setting.name}_FILE`]?.trim() : undefined
  if (!file) return direct ? { value: direct } : {}
  if (direct) return { fault: `${setting.name} and ${setting.name}_FILE are both set: keep one of them` }
  try {
    const bytes = readFileSync(file)
    // UTF-16 has null bytes, and a byte order mark that isn't valid UTF-8.
    if (!isUtf8(bytes) || bytes.includes(0))
      return { fault: `${setting.name}_FILE names a file that is not UTF-8 text: save it as UTF-8` }
    const value = bytes.toString().trim()
    return value === '' ? { fault: `${setting.name}_FILE names a file that is empty` } : { value }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { fault: `${setting.name}_FILE names a file that cannot be read (${reason}): it takes a path` }
  }
}

/** Settings that break a rule, by fault. */
function brokenCredentialRules(settings: Partial<Settings>, prefix: 'OIDC' | 'SMTP_OAUTH') {
  const { secret, key, certificate, assertionFile } = credentialsIn(settings, prefix)
  const name = `${prefix}_CLIENT`
  const isOther = (pem: string, ofKey: string) =>
    !new X509Certificate(pem).checkPrivateKey(createPrivateKey(ofKey))
  return {
    [`${name}_KEY is required with ${name}_CERT: the certificate's private key`]: certificate && !key,
    [`${name}_CERT is not the certificate of ${name}_KEY`]: certificate && key && isOther(certificate, key),
    [`${name}_ASSERTION_FILE excludes ${name}_SECRET and ${name}_KEY`]: assertionFile && (secret ?? key),
  }
}

function faultsBetween(loaded: Partial<Settings>): string[] {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_AUTH: method, OIDC_CLIENT_SECRET: secret } = loaded
  const { REDIS_URL: redis, REDIS_SENTINELS: sentinels, WEBHOOK_URL: hook, WEBHOOK_SECRET: signing } = loaded
  const { OIDC_CLIENT_ASSERTION_FILE: assertionFile } = loaded
  const { secret: mailSecret, key, assertionFile: token } = credentialsIn(loaded, 'SMTP_OAUTH')
  const proofs = [mailSecret, key, token].filter(Boolean)
  const hasOAuth = Object.keys(loaded).some((name) => name.startsWith('SMTP_OAUTH_'))
  const { SMTP_OAUTH_ISSUER: issuer, SMTP_OAUTH_TOKEN_URL: tokenUrl, SMTP_URL: mail } = loaded
  const isCluster = loaded.REDIS_CLUSTER === 'yes'
  /** A value for each rule that is broken. */
  const broken: Record<string, unknown> = {
    [`OIDC_CLIENT_SECRET is required with OIDC_CLIENT_AUTH=${method}: set it, choose OIDC_CLIENT_AUTH=private_key_jwt for a key or certificate, or none for a public client`]:
      clientId && method?.startsWith('client_secret') && !secret && !assertionFile,
    'OIDC_CLIENT_KEY is required with OIDC_CLIENT_AUTH=private_key_jwt: a PEM private key':
      method === 'private_key_jwt' && !loaded.OIDC_CLIENT_KEY && !assertionFile,
    'OIDC_CLIENT_ID is required when OIDC_CLIENT_SECRET is set': secret && !clientId,
    'OIDC_CLIENT_ID is required when OIDC_CLIENT_ASSERTION_FILE is set': assertionFile && !clientId,
    ...brokenCredentialRules(loaded, 'OIDC'),
    ...brokenCredentialRules(loaded, 'SMTP_OAUTH'),
    'SMTP_OAUTH_CLIENT_ID belongs together with SMTP_OAUTH_ISSUER or SMTP_OAUTH_TOKEN_URL, and one of SMTP_OAUTH_CLIENT_SECRET, SMTP_OAUTH_CLIENT_KEY and SMTP_OAUTH_CLIENT_ASSERTION_FILE':
      hasOAuth && (!issuer === !tokenUrl || !loaded.SMTP_OAUTH_CLIENT_ID || proofs.length !== 1),
    'SMTP_URL needs the mailbox with SMTP_OAUTH_ISSUER, like smtp://search%40acme.example@smtp.office365.com':
      hasOAuth && mail && new URL(mail).username === '',
    'WEBHOOK_URL is required with WEBHOOK_SECRET: the address that the events are sent to': signing && !hook,
    'WEBHOOK_SECRET is required with WEBHOOK_URL: make one with `echo "whsec_$(openssl rand -base64 32)"`':
      hook && !signing,
    'METRICS_PORT must be another port than PORT: /metrics is the only thing that it serves':
      loaded.METRICS_PORT && loaded.METRICS_PORT === loaded.PORT,
    'REDIS_URL is required with REDIS_SENTINELS: it gives user, password, TLS and database, like redis://user:password@any':
      sentinels && !redis,
    'REDIS_URL is required with REDIS_CLUSTER=yes: the address of one of its nodes': isCluster && !redis,
    'REDIS_SENTINELS and REDIS_CLUSTER=yes exclude each other: keep one of them': isCluster && sentinels,
    'REDIS_URL must not name a database with REDIS_CLUSTER=yes: a cluster has only database 0':
      isCluster && redis && !/^\/?0?$/.test(new URL(redis).pathname),
  }
  return Object.keys(broken).filter((fault) => broken[fault])
}

export function readSettings(env: NodeJS.ProcessEnv) {
  const faults: string[] = []
  const loadedSettings: Record<string, unknown> = {}
  for (const setting of settingDefinitions) {
    const raw = readRaw(setting, env)
    const value = raw.value ?? setting.default
    if (raw.fault !== undefined) faults.push(raw.fault)
    else if (value !== undefined) {
      const parsed = setting.schema.safeParse(value)
      // A secret may really have quotes. The doctor warns of a valid one.
      const isDirect = variablesOf(setting).some((name) => env[name] !== undefined)
      const mayBeQuoted = setting.secret ?? setting.quotes
      const isInQuotes = isDirect && isQuoted(value) && !(mayBeQuoted && parsed.success)
      if (isInQuotes) faults.push(`${setting.name} is in quotes, which are part of the value: leave them out`)
      else if (parsed.success) loadedSettings[setting.name] = parsed.data
      else for (const issue of parsed.error.issues) faults.push(`${setting.name} ${issue.message}`)
    } else if (setting.required) faults.push(`${setting.name} is required: ${setting.meaning}`)
  }
  // An unreadable setting isn't also reported as missing.
  const isReported = (fault: string) => faults.some((other) => other.split(' ')[0] === fault.split(' ')[0])
  faults.push(...faultsBetween(loadedSettings).filter((fault) => !isReported(fault)))
  // Each entry of a list may have the same fault.
  return { settings: loadedSettings as Partial<Settings>, faults: [...new Set(faults)] as readonly string[] }
}

/** Reads all settings. An empty variable counts as absent. @throws {SettingsError} with every fault */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const result = readSettings(env)
  if (result.faults.length > 0) throw new SettingsError(result.faults)
  return result.settings as Settings
}

/** For commands that don't need the client's registration and secret. @throws {SettingsError} */
export const loadSettingsWithoutClient = (env: NodeJS.ProcessEnv): Settings =>
  loadSettings(Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('OIDC_CLIENT_'))))

/** @throws {SettingsError} with every fault of these settings */
export function loadSettingsNamed<K extends keyof Settings>(
  names: readonly K[],
  env: NodeJS.ProcessEnv,
): Partial<Pick<Settings, K>> {
  const result = readSettings(env)
  const faults = result.faults.filter((fault) =>
    names.some((name) => fault.startsWith(`${name} `) || fault.startsWith(`${name}_FILE `)),
  )
  if (faults.length > 0) throw new SettingsError(faults)
  return result.settings
}
