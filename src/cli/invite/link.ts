// onramp invite link: one invitation, on standard output. Nothing is sent and nothing is kept.
import { createInvitations } from '../../invites/token.ts'
import { loadSettings } from '../../settings/settings.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

const DAY_MS = 86_400_000

type LinkOptions = { datasource?: string[] | undefined; days: number; json?: boolean }

export async function link(
  email: string,
  { datasource: datasources = [], days, json }: LinkOptions,
  { env, stdout, now }: CliParts,
): Promise<number> {
  const { INVITE_SECRET, SESSION_SECRET, PUBLIC_URL } = loadSettings(env)
  const secrets = INVITE_SECRET ?? SESSION_SECRET
  const invitations = createInvitations({ secrets, audience: PUBLIC_URL, now })
  const url = `${PUBLIC_URL}/invite/${await invitations.issue({ email, datasources }, days)}`
  const expires = new Date(now() + days * DAY_MS).toISOString()
  stdout.write(json ? `${JSON.stringify({ url, email, expires })}\n` : `${url}\n`)
  return 0
}
