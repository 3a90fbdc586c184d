// onramp status EMAIL: what a person still has to connect. Needs SERVICE_BASE_URL and a service token, nothing else of
// the server's settings. What surprises: SERVICE_USER_TOKEN can only tell of the person it belongs to.
import { isActAsAddress } from '../client-api/credentials.ts'
import { createInquiry, type ServiceToken } from '../client-api/inquiry.ts'
import { readOne } from '../doctor/read-settings.ts'
import { isOpenToAll } from '../doctor/secret-files.ts'
import { readOptions, UsageError } from './options.ts'
import type { CliParts, Run } from './parts.ts'
import { EXIT_SETTINGS, explainReply } from './status-refusals.ts'
import { statusJson, statusTable } from './status-report.ts'

const TIME_LIMIT_SECONDS = 10

class FaultySettings extends Error {}

type Asked = { email: string | undefined; json: boolean; seconds: number }

function readArgs(args: readonly string[]): Asked {
  const { flags, values, words } = readOptions(args, { json: 'flag', timeout: 'value' }, 1)
  const [email] = words
  if (email !== undefined && !isActAsAddress(email))
    throw new UsageError('EMAIL must be one plain address like ada@acme.example')
  const seconds = Number(values.get('timeout') ?? TIME_LIMIT_SECONDS)
  if (!(seconds >= 1 && seconds <= 120)) throw new UsageError('--timeout takes seconds from 1 to 120')
  return { email, json: flags.has('json'), seconds }
}

function readBaseUrl(env: NodeJS.ProcessEnv): string {
  const { value, faults } = readOne('SERVICE_BASE_URL', env)
  if (faults.length > 0) throw new FaultySettings(faults.join('; '))
  if (value === undefined)
    throw new FaultySettings("SERVICE_BASE_URL is not set: the service's backend address")
  return value
}

/** The global token for the person who was asked about; otherwise the one of a person, for that person. */
function chooseToken(email: string | undefined, env: NodeJS.ProcessEnv): ServiceToken {
  const [global, user] = [readOne('SERVICE_GLOBAL_TOKEN', env), readOne('SERVICE_USER_TOKEN', env)]
  const faults = [...global.faults, ...user.faults]
  if (faults.length > 0) throw new FaultySettings(faults.join('; '))
  if (global.value !== undefined && email !== undefined)
    return { kind: 'global-token', token: global.value, actAs: email }
  if (user.value !== undefined) return { kind: 'user-token', token: user.value }
  if (global.value !== undefined)
    throw new UsageError('SERVICE_GLOBAL_TOKEN needs to know whose status: add EMAIL')
  throw new FaultySettings(
    'there is no service token: set SERVICE_GLOBAL_TOKEN (for anybody) or SERVICE_USER_TOKEN (for its own person), or either as NAME_FILE',
  )
}

async function ask(token: ServiceToken, baseUrl: string, { seconds }: Asked, now: () => number) {
  const inquiry = createInquiry({ baseUrl, timeLimitMs: seconds * 1000, now })
  try {
    return await inquiry.ask(token)
  } finally {
    await inquiry.close()
  }
}

async function tell(args: readonly string[], { env, stdout, stderr, now }: CliParts): Promise<number> {
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
        : 'This is the person to whom SERVICE_USER_TOKEN belongs, whoever that is: only SERVICE_GLOBAL_TOKEN can ask about the given address.\n',
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
    if (error instanceof UsageError) {
      parts.stderr.write(`onramp status: ${error.message}. See onramp status --help.\n`)
      return 2
    }
    if (error instanceof FaultySettings) {
      parts.stderr.write(`onramp status: ${error.message}.\n`)
      return EXIT_SETTINGS
    }
    parts.stderr.write('onramp status: it failed in a way that is a mistake of onramp.\n')
    return 1
  }
}
