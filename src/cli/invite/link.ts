// onramp invite link: one invitation, on standard output. Nothing is sent and nothing is kept.
import { addressToInvite } from '../../arrivals/address.ts'
import { createInvitations, MAX_DAYS } from '../../invites/token.ts'
import { loadSettings } from '../../settings/settings.ts'
import { readArguments, UsageError, wholeNumberOf } from '@onramp/deprecations/command-line/arguments'
import { datasourcesFrom } from './options.ts'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = {
  datasource: { type: 'string', multiple: true },
  days: { type: 'string', default: '30' },
  json: { type: 'boolean' },
} as const

const DAY_MS = 86_400_000

function readArgs(args: string[]) {
  const { values, words } = readArguments(args, options, 1)
  const [address] = words
  if (address === undefined) throw new UsageError('it takes one address')
  const email = addressToInvite(address)
  if (email === undefined) throw new UsageError('this is not one plain email address like ada@acme.example')
  const days = wholeNumberOf('--days', values.days, [1, MAX_DAYS])
  return { email, datasources: datasourcesFrom(values.datasource), days, isJson: values.json === true }
}

export const run: Run = async (args, { env, stdout, now }) => {
  const { email, datasources, days, isJson } = readArgs(args)
  const settings = loadSettings(env)
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const invitations = createInvitations({ secrets, audience: settings.PUBLIC_URL, now })
  const url = `${settings.PUBLIC_URL}/invite/${await invitations.issue({ email, datasources }, days)}`
  const expires = new Date(now() + days * DAY_MS).toISOString()
  stdout.write(isJson ? `${JSON.stringify({ url, email, expires })}\n` : `${url}\n`)
  return 0
}
