// onramp audit-id: what stands for a person in the audit log, from their address. Asks nothing and keeps nothing.
import { loadSettings } from '../../settings/settings.ts'
import { createAuditIds } from '../../web/audit-ids.ts'
import { readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = { json: { type: 'boolean' } } as const

const MAX_CHARACTERS = 254

function readArgs(args: string[]) {
  const { values, words } = readArguments(args, options, 1)
  const email = words[0]?.trim()
  if (email === undefined) throw new UsageError('it takes one address')
  if (email.length > MAX_CHARACTERS || !/^[^\s@]+@[^\s@]+$/.test(email))
    throw new UsageError('this is not one plain email address like ada@acme.example')
  return { email, isJson: values.json === true }
}

export const run: Run = async (args, { env, stdout, stderr }) => {
  const { email, isJson } = readArgs(args)
  const settings = loadSettings(env)
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET

  const ids = secrets.map((secret, index) => ({
    id: createAuditIds([secret]).ofEmail(email),
    current: index === 0,
  }))

  if (isJson) stdout.write(`${JSON.stringify({ email, ids })}\n`)
  else for (const { id } of ids) stdout.write(`${id}\n`)
  if (ids.length > 1 && !isJson)
    stderr.write('The first is of the secret in use, the others of the secrets behind it.\n')
  return 0
}
