// onramp audit-id: a person's id in the audit log, made from their address. It asks no server and keeps nothing.
import { normalizedAddress } from '../people/address.ts'
import { loadSettings } from '../settings/settings.ts'
import { createAuditIds } from '../web/audit.ts'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

const MAX_CHARACTERS = 254

export async function auditId(
  typed: string,
  { json }: { json?: boolean },
  { env, stdout, stderr }: CliParts,
): Promise<number> {
  const email = typed.trim()
  if (email.length > MAX_CHARACTERS || !/^[^\s@]+@[^\s@]+$/.test(email))
    throw new UsageError('not a valid email address; expected something like ada@acme.example')

  const { INVITE_SECRET, SESSION_SECRET } = loadSettings(env)
  const ids = (INVITE_SECRET ?? SESSION_SECRET).map((secret, index) => ({
    id: createAuditIds([secret], normalizedAddress).ofEmail(email),
    current: index === 0,
  }))
  if (json) {
    stdout.write(`${JSON.stringify({ email, ids })}\n`)
    return 0
  }
  for (const { id } of ids) stdout.write(`${id}\n`)
  if (ids.length > 1) stderr.write('The first ID belongs to the current secret, the others to older ones.\n')
  return 0
}
