// Takes every value that is secret out of a text, in the forms in which it could have got there.
import type { Setting } from '../settings/settings.ts'
import type { Subject } from './check.ts'

/** Shorter ones are words of every sentence; secret-quality.ts tells of them. */
const LEAST_CHARACTERS = 6
const MASK = '[secret]'

/** A variable that should hold a path may hold the secret itself, by mistake. */
export const isPath = (text: string) => /^(\.{0,2}|~|\w[\w.-]*)(\/[\w.@-]+)+$/.test(text) && text.length < 200

function formsOf(secret: string): string[] {
  const parts = secret.split(',').map((part) => part.trim())
  const password = URL.canParse(secret) ? new URL(secret).password : ''
  const plain = [
    secret,
    ...parts,
    password,
    decodeURIComponent(password.replaceAll(/%(?![0-9a-f]{2})/gi, '%25')),
  ]
  return plain.flatMap((form) => [form, encodeURIComponent(form)])
}

function secretsOf(settings: readonly Setting[], { env, settings: read }: Subject): string[] {
  return settings
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => {
      const file = env[`${name}_FILE`]?.trim() ?? ''
      const loaded: unknown = read[name as keyof typeof read]
      const values = Array.isArray(loaded) ? loaded.map(String) : typeof loaded === 'string' ? [loaded] : []
      return [env[name]?.trim() ?? '', isPath(file) ? '' : file, ...values]
    })
}

/** @returns takes out of a text what this subject keeps secret */
export function maskFor(settings: readonly Setting[], subject: Subject): (text: string) => string {
  const forms = secretsOf(settings, subject).flatMap(formsOf)
  const long = [...new Set(forms)].filter((form) => form.length >= LEAST_CHARACTERS)
  long.sort((one, other) => other.length - one.length)
  if (long.length === 0) return (text) => text
  const literal = (form: string) => form.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const any = new RegExp(long.map(literal).join('|'), 'g')
  return (text) => text.replaceAll(any, MASK)
}
