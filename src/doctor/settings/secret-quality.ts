// Secrets that others could guess: short, repeating, copied from an example, or used twice.
import { settings } from '../../settings/settings.ts'
import type { Check, Subject } from '../check.ts'
import { ok, warn, type Finding } from '../finding.ts'

const EXAMPLE =
  /change.?me|example|password|passwort|placeholder|your[-_ ]|(^|[^a-z])(secret|test|demo|dummy|foobar)|x{6,}|12345678|abcdefgh|lorem|<.*>/i
const LEAST_CHARACTERS = 16
const MAKE = 'make one with `openssl rand -base64 48`'

/** One unit three times or more, or very few different characters. */
function repeats(secret: string): boolean {
  if (new Set(secret).size < Math.min(8, secret.length / 2)) return true
  const units = Array.from({ length: Math.floor(secret.length / 3) }, (_, index) =>
    secret.slice(0, index + 1),
  )
  return units.some((unit) => unit.repeat(Math.ceil(secret.length / unit.length)).startsWith(secret))
}

/** Why a secret is a poor one, or undefined. Pure. */
export function weaknessOf(secret: string): string | undefined {
  if (EXAMPLE.test(secret)) return 'looks like an example'
  if (repeats(secret)) return 'repeats the same characters'
  return secret.length < LEAST_CHARACTERS ? `has fewer than ${LEAST_CHARACTERS} characters` : undefined
}

/** A key is no password, and of an address only the password counts. */
function guessable(value: string): string[] {
  if (value.includes('-----BEGIN')) return []
  if (!/^[a-z][a-z+]*:\/\//.test(value)) return [value]
  return URL.canParse(value) && new URL(value).password !== '' ? [new URL(value).password] : []
}

const secretsOf = ({ settings: read }: Subject) =>
  settings
    .filter(({ secret }) => secret)
    .flatMap(({ name }) => {
      const value: unknown = read[name as keyof typeof read]
      const values = Array.isArray(value) ? value : [value]
      return values
        .filter((one) => typeof one === 'string')
        .flatMap(guessable)
        .map((secret) => ({ name, secret }))
    })

const mendOf = (name: string) => {
  if (name === 'SESSION_SECRET')
    return `${MAKE}; keep the old one behind a comma until its sessions have ended`
  return /^(OIDC|SERVICE)_/.test(name) ? 'have a new one made where it comes from' : MAKE
}

export const secretQuality: Check = {
  id: 'settings.secrets',
  about: 'Secrets',
  group: 'Settings',
  look(subject) {
    const found: Finding[] = []
    const seen = new Map<string, string>()
    for (const { name, secret } of secretsOf(subject)) {
      const weakness = weaknessOf(secret)
      if (weakness !== undefined)
        found.push(warn(`${name} ${weakness}.`, { settings: [name], mend: mendOf(name) }))
      const other = seen.get(secret)
      if (other !== undefined)
        found.push(
          warn(`${name} is the same secret as ${other}.`, {
            settings: [name, other],
            mend: 'use a secret for one thing only',
          }),
        )
      seen.set(secret, name)
    }
    return found.length > 0 ? found : [ok('No secret looks short, repeated or copied from an example.')]
  },
}
