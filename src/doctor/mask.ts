// Takes every secret value out of a text, in the forms in which it could have got there.
import { unescape } from 'node:querystring'
import { settings, variablesOf } from '../settings/settings.ts'
import type { Subject } from './check.ts'

/** Shorter ones are parts of ordinary words; settings/secrets.ts warns of them. */
const MIN_CHARACTERS = 6
const MASK = '[secret]'

/** A variable that should hold a path may hold the secret itself, by mistake. */
export const isPath = (text: string) => /^(\.{0,2}|~|\w[\w.-]*)(\/[\w.@-]+)+$/.test(text) && text.length < 200

function formsOf(secret: string): string[] {
  const password = URL.canParse(secret) ? new URL(secret).password : ''
  // Never throws, whatever the password is.
  const decoded = unescape(password)
  const parts = secret.split(',').map((part) => part.trim())
  return [secret, ...parts, password, decoded].flatMap((form) => [form, encodeURIComponent(form)])
}

/** Every secret setting that could be read, with its values: SESSION_SECRET may have several. */
export const secretValues = ({
  settings: read,
}: Pick<Subject, 'settings'>): { name: string; value: string }[] =>
  settings
    .filter(({ secret }) => secret)
    .flatMap(({ name }) =>
      [read[name as keyof typeof read] as unknown]
        .flat()
        .filter((value) => typeof value === 'string')
        .map((value) => ({ name, value })),
    )

/** @returns takes out of a text what this subject keeps secret */
export function maskFor(subject: Pick<Subject, 'env' | 'settings'>): (text: string) => string {
  const written = settings
    .filter(({ secret }) => secret)
    .flatMap((setting) => {
      const file = subject.env[`${setting.name}_FILE`]?.trim() ?? ''
      const given = variablesOf(setting).map((name) => subject.env[name]?.trim() ?? '')
      return [...given, isPath(file) ? '' : file]
    })
  const secrets = [...written, ...secretValues(subject).map(({ value }) => value)]
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form.length >= MIN_CHARACTERS)
  // The longest first, as one may be part of another.
  forms.sort((one, other) => other.length - one.length)
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text)
}
