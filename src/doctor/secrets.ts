// Secrets: taken out of every text in the forms in which they could have got there, and judged where others could guess
// them, or they are used twice. Pure.
import { unescape } from 'node:querystring'
import { settings, type Settings, variablesOf } from '../settings/settings.ts'

/** Shorter ones are parts of ordinary words; the rules warn of them. */
const MIN_MASKED = 6

const secretSettings = settings.filter(({ secret }) => secret)

/** Every secret setting that could be read, with its values: SESSION_SECRET may have several. */
const secretValues = (read: Partial<Settings>): { name: string; value: string }[] =>
  secretSettings.flatMap(({ name }) =>
    [read[name as keyof Settings] as unknown]
      .flat()
      .filter((value) => typeof value === 'string')
      .map((value) => ({ name, value })),
  )

/** @returns takes out of a text what these settings keep secret, however faulty they are */
export function maskFor(env: NodeJS.ProcessEnv, read: Partial<Settings>): (text: string) => string {
  const written = secretSettings.flatMap((setting) =>
    variablesOf(setting).flatMap((name) => [env[name]?.trim() ?? '', ...(env[name]?.split(',') ?? [])]),
  )
  const secrets = [...written, ...secretValues(read).map(({ value }) => value)].flatMap((secret) => {
    // querystring's unescape never throws, whatever the password is.
    const password = URL.canParse(secret) ? new URL(secret).password : ''
    return [secret, password, unescape(password)].flatMap((form) => [form, encodeURIComponent(form)])
  })
  // The longest first, as one may be part of another.
  const forms = secrets.filter((form) => form.length >= MIN_MASKED).toSorted((a, b) => b.length - a.length)
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '[secret]'), text)
}

const EXAMPLE = /change.?me|example|password|passwort|placeholder|x{6,}|12345678|abcdefgh|lorem|<.*>/i
/** So short that a random secret may have one in it. */
const SHORT_EXAMPLE = /your[-_ ]|(^|[^a-z])(secret|test|demo|dummy|foobar)/i
const MIN_CHARACTERS = 16

/** As of 30 random bytes or more in base64: no one writes that by hand. */
const looksRandom = (secret: string) =>
  secret.length >= 40 && [/[a-z]/g, /[A-Z]/g].every((kind) => (secret.match(kind) ?? []).length >= 8)

/** Why a secret is a poor one, or undefined. */
function weaknessOf(secret: string): string | undefined {
  if (EXAMPLE.test(secret) || (SHORT_EXAMPLE.test(secret) && !looksRandom(secret)))
    return 'looks like an example'
  if (new Set(secret).size < Math.min(8, secret.length / 2)) return 'repeats the same characters'
  return secret.length < MIN_CHARACTERS ? `has fewer than ${MIN_CHARACTERS} characters` : undefined
}

/** A key is no password, and of an address only the password counts. */
const guessableValues = (read: Partial<Settings>): { name: string; secret: string }[] =>
  secretValues(read).flatMap(({ name, value }) => {
    if (value.includes('-----BEGIN')) return []
    if (!/^[a-z][a-z+]*:\/\//.test(value)) return { name, secret: value }
    return URL.canParse(value) && new URL(value).password !== ''
      ? { name, secret: new URL(value).password }
      : []
  })

const MAKE = 'generate one with `openssl rand -base64 48`'

function newSecretFor(name: string): string {
  if (name === 'SESSION_SECRET')
    return `${MAKE}; keep the old one after a comma until its sessions have ended`
  if (name === 'WEBHOOK_SECRET') return 'make one with `echo "whsec_$(openssl rand -base64 32)"`'
  if (name.endsWith('_PROXY')) return 'have the proxy take a new one'
  return /^(OIDC|SERVICE)_/.test(name) ? 'generate a new one at the issuer' : MAKE
}

export const weakSecrets = (read: Partial<Settings>) =>
  guessableValues(read).flatMap(({ name, secret }) => {
    const weakness = weaknessOf(secret)
    return weakness === undefined ? [] : { name, weakness, fix: newSecretFor(name) }
  })

/** Behind the first of a list are secrets that only read what is there; events are signed with each of theirs. */
export function sharedSecrets(read: Partial<Settings>): { name: string; other: string }[] {
  const used = guessableValues(read).filter(
    ({ name }, index, all) =>
      name === 'WEBHOOK_SECRET' || all.findIndex((one) => one.name === name) === index,
  )
  return used.flatMap(({ name, secret }, index) => {
    const other = used.slice(0, index).findLast((one) => one.secret === secret)?.name
    // One proxy for both is usual.
    const isUsual = other === name || (name === 'HTTP_PROXY' && other === 'HTTPS_PROXY')
    return other === undefined || isUsual ? [] : { name, other }
  })
}
