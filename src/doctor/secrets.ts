// Masks secrets in texts, in every form they could have there, and finds secrets that others could guess. Pure.
import { unescape } from 'node:querystring'
import { settings, type Settings, variablesOf } from '../settings/settings.ts'

/** Shorter ones occur in ordinary words. */
const MIN_MASKED = 6

const secretSettings = settings.filter(({ secret }) => secret)

/** SESSION_SECRET may have several. */
const valuesOf = (name: string, read: Partial<Settings>): string[] =>
  [read[name as keyof Settings] as unknown].flat().filter((value) => typeof value === 'string')

/** Masks secrets, also those of faulty settings. */
export function maskFor(env: NodeJS.ProcessEnv, read: Partial<Settings>): (text: string) => string {
  const written = secretSettings.flatMap((setting) =>
    variablesOf(setting).flatMap((name) => [env[name]?.trim() ?? '', ...(env[name]?.split(',') ?? [])]),
  )
  const values = secretSettings.flatMap(({ name }) => valuesOf(name, read))
  const secrets = [...written, ...values].flatMap((secret) => {
    // querystring's unescape never throws.
    const password = URL.canParse(secret) ? new URL(secret).password : ''
    return [secret, password, unescape(password)].flatMap((form) => [form, encodeURIComponent(form)])
  })
  // Longest first: one may contain another.
  const forms = secrets.filter((form) => form.length >= MIN_MASKED).toSorted((a, b) => b.length - a.length)
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '[secret]'), text)
}

/** Made up by operators. The settings check their length. */
const MADE_UP = ['SESSION_SECRET', 'INVITE_SECRET', 'REPORT_TOKEN', 'METRICS_TOKEN']
const EXAMPLE =
  /change.?me|example|passwor[dt]|placeholder|x{6,}|12345678|abcdefgh|your[-_ ]|(^|[^a-z])(secret|test|demo|dummy)/i
const MIN_DIFFERENT = 8

export const poorSecrets = (read: Partial<Settings>): string[] =>
  MADE_UP.filter((name) =>
    valuesOf(name, read).some((secret) => EXAMPLE.test(secret) || new Set(secret).size < MIN_DIFFERENT),
  )
