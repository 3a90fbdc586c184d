// Secrets that others could guess or read, or that hold more than they should.
import { statSync } from 'node:fs'
import { isQuoted, settings } from '../../settings/settings.ts'
import type { Subject } from '../check.ts'
import { ok, skip, warn, type Finding } from '../finding.ts'
import { secretValues } from '../mask.ts'

const EXAMPLE = /change.?me|example|password|passwort|placeholder|x{6,}|12345678|abcdefgh|lorem|<.*>/i
/** So short that a random secret may have one in it. */
const SHORT_EXAMPLE = /your[-_ ]|(^|[^a-z])(secret|test|demo|dummy|foobar)/i
const MIN_CHARACTERS = 16
const MAKE = 'generate one with `openssl rand -base64 48`'

/** One unit three times or more, or very few different characters. */
function repeats(secret: string): boolean {
  if (new Set(secret).size < Math.min(8, secret.length / 2)) return true
  const units = Array.from({ length: Math.floor(secret.length / 3) }, (_, index) =>
    secret.slice(0, index + 1),
  )
  return units.some((unit) => unit.repeat(Math.ceil(secret.length / unit.length)).startsWith(secret))
}

/** As of 30 random bytes or more in base64: no one writes that by hand. */
const looksRandom = (secret: string) =>
  secret.length >= 40 && [/[a-z]/g, /[A-Z]/g].every((kind) => (secret.match(kind) ?? []).length >= 8)

/** Why a secret is a poor one, or undefined. Pure. */
export function weaknessOf(secret: string): string | undefined {
  if (EXAMPLE.test(secret) || (SHORT_EXAMPLE.test(secret) && !looksRandom(secret)))
    return 'looks like an example'
  if (repeats(secret)) return 'repeats the same characters'
  return secret.length < MIN_CHARACTERS ? `has fewer than ${MIN_CHARACTERS} characters` : undefined
}

/** A key is no password, and of an address only the password counts. */
function guessable(value: string): string[] {
  if (value.includes('-----BEGIN')) return []
  if (!/^[a-z][a-z+]*:\/\//.test(value)) return [value]
  return URL.canParse(value) && new URL(value).password !== '' ? [new URL(value).password] : []
}

const fixOf = (name: string) => {
  if (name === 'SESSION_SECRET')
    return `${MAKE}; keep the old one after a comma until its sessions have ended`
  if (name === 'WEBHOOK_SECRET') return 'make one with `echo "whsec_$(openssl rand -base64 32)"`'
  if (name.endsWith('_PROXY')) return 'have the proxy take a new one'
  return /^(OIDC|SERVICE)_/.test(name) ? 'generate a new one at the issuer' : MAKE
}

export function secretQuality(subject: Subject): Finding | Finding[] {
  const found: Finding[] = []
  const seen = new Map<string, string>()
  const names = new Set<string>()
  for (const { name, value } of secretValues(subject)) {
    // Behind the first of a list are secrets that only read what is there, perhaps under the other one. Events are
    // signed with each of them.
    const isInUse = name === 'WEBHOOK_SECRET' || !names.has(name)
    names.add(name)
    for (const secret of guessable(value)) {
      const weakness = weaknessOf(secret)
      if (weakness !== undefined)
        found.push(warn(`${name} ${weakness}.`, { settings: [name], fix: fixOf(name) }))
      if (!isInUse) continue
      const other = seen.get(secret)
      // One proxy for both is usual.
      if (other !== undefined && other !== name && !(name === 'HTTP_PROXY' && other === 'HTTPS_PROXY'))
        found.push(
          warn(`${name} is the same secret as ${other}.`, {
            settings: [name, other],
            fix: 'use a different secret for each purpose',
          }),
        )
      seen.set(secret, name)
    }
  }
  return found.length > 0 ? found : ok('No secret looks too short, reused or copied from an example.')
}

/** Docker and Kubernetes mount secrets readable for all users inside the container, and for none outside. */
const MOUNTED = /^\/(run|var\/run)\/secrets\//

export function isOpenToAll(file: string): boolean {
  if (MOUNTED.test(file)) return false
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
  return (mode & 0o007) !== 0
}

export function secretFiles({ env }: Subject): Finding | Finding[] {
  const files = settings.flatMap(({ name, secret }) => {
    const file = secret ? env[`${name}_FILE`]?.trim() : undefined
    return file ? [{ name: `${name}_FILE`, file }] : []
  })
  if (files.length === 0) return skip('no secret files configured.')
  const open = files.filter(({ file }) => isOpenToAll(file))
  if (open.length === 0) return ok('Only the owner can read the secret files.')
  return open.map(({ name }) =>
    warn(`The file in ${name} is readable by every user on this machine.`, {
      settings: [name],
      fix: 'restrict it: chmod o-rwx FILE',
    }),
  )
}

/**
 * `docker run --env-file` and systemd keep quotes that a shell would remove. Other settings in quotes are refused at the
 * start; a secret could really begin and end with them.
 */
export function quotes({ env, faults }: Subject): Finding | Finding[] {
  const quoted = settings.filter(
    ({ name, secret }) =>
      secret && isQuoted(env[name]?.trim() ?? '') && !faults.some((fault) => fault.startsWith(`${name} `)),
  )
  if (quoted.length === 0) return ok('No secret is in quotes.')
  return quoted.map(({ name }) =>
    warn(`${name} is in quotes, which are part of the secret.`, {
      settings: [name],
      fix: 'remove the quotes',
    }),
  )
}
