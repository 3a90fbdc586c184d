// onramp invite link: one invitation, on standard output. Nothing is sent and nothing is kept.
import { parseArgs } from 'node:util'
import { addressToInvite } from '../invites/address.ts'
import { createInvitations, MOST_DAYS } from '../invites/token.ts'
import type { CliParts, Run } from './parts.ts'
import { runCommand, UsageError, wholeNumberOf } from './usage.ts'

const help = `Usage: onramp invite link EMAIL [--datasource ID]... [--days N] [--json]

  onramp invite link ada@acme.example
  onramp invite link ada@acme.example --datasource slack --datasource github_1 --days 7

Prints a link for one person, to paste into a message. It opens the walk and fills in whom to sign in as; it is no
credential: signing in is always the authorization server's. It works any number of times until it expires.

  --datasource ID   only this datasource (slack_1) or every instance of it (slack); may be repeated
  --days N          how long it works, 1 to ${MOST_DAYS} days; 30 unless told
  --json            {"url", "email", "expires"}

Exit codes: 0 done, 2 wrong usage, 78 settings need mending.
`

const MOST_DATASOURCES = 20

export const run: Run = (args: string[], { env, stdout, stderr, now }: CliParts) =>
  runCommand({ name: 'invite link', help, args }, { env, stdout, stderr }, () => {
    const options = {
      datasource: { type: 'string', multiple: true, default: [] as string[] },
      days: { type: 'string', default: '30' },
      json: { type: 'boolean', default: false },
    } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [address, ...others] = positionals
    if (address === undefined || others.length > 0) throw new UsageError('it takes one address')
    const email = addressToInvite(address)
    if (email === undefined) throw new UsageError('this is not one plain email address like ada@acme.example')
    const datasources = [...values.datasource]
    if (datasources.length > MOST_DATASOURCES) throw new UsageError(`at most ${MOST_DATASOURCES} datasources`)
    if (datasources.some((id) => id === '' || id.length > 200 || /\p{Cc}/u.test(id)))
      throw new UsageError('--datasource takes an identifier like slack_1')
    const days = wholeNumberOf('days', values.days, [1, MOST_DAYS])
    return async (settings) => {
      const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
      const invitations = createInvitations({ secrets, audience: settings.PUBLIC_URL, now })
      const url = `${settings.PUBLIC_URL}/invite/${await invitations.issue({ email, datasources }, days)}`
      const expires = new Date(now() + days * 86_400_000).toISOString()
      stdout.write(values.json ? `${JSON.stringify({ url, email, expires })}\n` : `${url}\n`)
      return 0
    }
  })
