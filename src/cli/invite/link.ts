// onramp invite link: one invitation, on standard output. Nothing is sent and nothing is kept.
import { createInvitations, MAX_DAYS } from '../../invites/token.ts'
import { loadSettings } from '../../settings/settings.ts'
import { readArguments, wholeNumberOf } from '@onramp/deprecations/command-line/arguments'
import { addressFrom, datasourcesFrom } from './options.ts'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = {
  datasource: { type: 'string', multiple: true },
  days: { type: 'string', default: '30' },
  json: { type: 'boolean' },
} as const

const DAY_MS = 86_400_000

export const run: Run = async (args, { env, stdout, now }) => {
  const { values, words } = readArguments(args, options, 1)
  const email = addressFrom(words)
  const days = wholeNumberOf('--days', values.days, [1, MAX_DAYS])
  const datasources = datasourcesFrom(values.datasource)
  const { INVITE_SECRET, SESSION_SECRET, PUBLIC_URL } = loadSettings(env)
  const secrets = INVITE_SECRET ?? SESSION_SECRET
  const invitations = createInvitations({ secrets, audience: PUBLIC_URL, now })
  const url = `${PUBLIC_URL}/invite/${await invitations.issue({ email, datasources }, days)}`
  const expires = new Date(now() + days * DAY_MS).toISOString()
  stdout.write(values.json ? `${JSON.stringify({ url, email, expires })}\n` : `${url}\n`)
  return 0
}
