// onramp status EMAIL: what a person still has to connect. Needs SERVICE_BASE_URL and a service token, nothing else of
// the server's settings. What surprises: SERVICE_USER_TOKEN can only tell of the person it belongs to.
import { isActAsAddress } from '../../client-api/credentials.ts'
import { createInquiry, type ServiceToken } from '../../client-api/inquiry.ts'
import { readOne } from '../../doctor/read-settings.ts'
import { isOpenToAll } from '../../doctor/settings/secret-files.ts'
import { SettingsError } from '../../settings/settings.ts'
import { readArguments, UsageError, wholeNumberOf } from '@onramp/deprecations/command-line/arguments'
import type { CliParts, Run } from '@onramp/deprecations/command-line/parts'
import { explainReply } from './refusals.ts'
import { statusJson, statusTable } from './report.ts'

const options = {
  json: { type: 'boolean', default: false },
  timeout: { type: 'string', default: '10' },
} as const

type Asked = { email: string | undefined; json: boolean; seconds: number }

function readArgs(args: string[]): Asked {
  const { values, words } = readArguments(args, options, 1)
  const [email] = words
  if (email !== undefined && !isActAsAddress(email))
    throw new UsageError('EMAIL must be one plain address like ada@acme.example')
  return { email, json: values.json, seconds: wholeNumberOf('--timeout', values.timeout, [1, 120]) }
}

function readBaseUrl(env: NodeJS.ProcessEnv): string {
  const { value, faults } = readOne('SERVICE_BASE_URL', env)
  if (faults.length > 0) throw new SettingsError(faults)
  if (value === undefined)
    throw new SettingsError(["SERVICE_BASE_URL is not set: the service's backend address"])
  return value
}

/** The global token for the person who was asked about; otherwise the one of a person, for that person. */
function chooseToken(email: string | undefined, env: NodeJS.ProcessEnv): ServiceToken {
  const [global, user] = [readOne('SERVICE_GLOBAL_TOKEN', env), readOne('SERVICE_USER_TOKEN', env)]
  const faults = [...global.faults, ...user.faults]
  if (faults.length > 0) throw new SettingsError(faults)
  if (global.value !== undefined && email !== undefined)
    return { kind: 'global-token', token: global.value, actAs: email }
  if (user.value !== undefined) return { kind: 'user-token', token: user.value }
  if (global.value !== undefined)
    throw new UsageError('SERVICE_GLOBAL_TOKEN needs to know whose status: add EMAIL')
  throw new SettingsError([
    'there is no service token: set SERVICE_GLOBAL_TOKEN (for anybody) or SERVICE_USER_TOKEN (for its own person), or either as NAME_FILE',
  ])
}

async function ask(token: ServiceToken, baseUrl: string, { seconds }: Asked, now: () => number) {
  const inquiry = createInquiry({ baseUrl, timeLimitMs: seconds * 1000, now })
  try {
    return await inquiry.ask(token)
  } finally {
    await inquiry.close()
  }
}

async function tell(args: string[], { env, stdout, stderr, now }: CliParts): Promise<number> {
  const asked = readArgs(args)
  const baseUrl = readBaseUrl(env)
  const token = chooseToken(asked.email, env)
  for (const file of ['SERVICE_GLOBAL_TOKEN_FILE', 'SERVICE_USER_TOKEN_FILE'])
    if (env[file] && isOpenToAll(env[file].trim()))
      stderr.write(`The file of ${file} is open to every user of this machine: chmod o-rwx.\n`)
  const reply = await ask(token, baseUrl, asked, now)
  if (reply.kind !== 'answered') {
    const { exit, words } = explainReply(reply, token.kind)
    stderr.write(`onramp status: ${words}\n`)
    return exit
  }
  const person = token.kind === 'global-token' ? token.actAs : undefined
  if (person === undefined)
    stderr.write(
      asked.email === undefined
        ? 'This is the person to whom SERVICE_USER_TOKEN belongs; SERVICE_GLOBAL_TOKEN can tell of anybody.\n'
        : 'This is the person to whom SERVICE_USER_TOKEN belongs, perhaps another one: only SERVICE_GLOBAL_TOKEN can ask about the given address.\n',
    )
  stdout.write(
    asked.json ? statusJson(person, reply.left) : statusTable(person, reply.left, { screen: stdout, env }),
  )
  return 0
}

export const run: Run = async (args, parts) => {
  try {
    return await tell(args, parts)
  } catch (error) {
    if (error instanceof UsageError || error instanceof SettingsError) throw error
    // Nothing of what happened is shown: a token was at hand.
    parts.stderr.write('onramp status: it failed in a way that is a mistake of onramp.\n')
    return 1
  }
}
