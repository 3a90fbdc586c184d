// onramp status EMAIL: what a person still has to connect. It needs SERVICE_BASE_URL and a service token, and no other
// setting of the server. SERVICE_USER_TOKEN can only show the person it belongs to.
import { isActAsAddress, STANDARD_HEADER_PREFIX } from '../../client-api/credentials.ts'
import { createInquiry, type ServiceToken } from '../../client-api/inquiry.ts'
import { useProxy } from '../../client-api/proxy.ts'
import type { RefusalReason } from '../../client-api/refusal.ts'
import { explain, type Question, type Unanswered } from '../../doctor/service.ts'
import { isOpenToAll } from '../../doctor/machine.ts'
import { EXIT_SETTINGS, loadSome, SettingsError } from '../../settings/settings.ts'
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { statusJson, statusTable } from './report.ts'

const EXIT_SERVICE = 7
const EXITS: Record<RefusalReason, number> = {
  request: 1,
  'in-front': 1,
  token: 3,
  'auth-type': 3,
  'auth-type-missing': 3,
  scope: 4,
  'act-as-missing': 5,
  'act-as-refused': 5,
  busy: 6,
  failing: EXIT_SERVICE,
  'not-there': EXIT_SETTINGS,
  redirected: EXIT_SETTINGS,
  unreadable: EXIT_SETTINGS,
}

type StatusOptions = { email: string | undefined; json?: boolean; timeout: number }

/** The global token for the person who was asked about; otherwise the token of one person, for that person. */
function chooseToken(email: string | undefined, env: CliParts['env']): ServiceToken {
  const { SERVICE_GLOBAL_TOKEN: global, SERVICE_USER_TOKEN: user } = loadSome(
    ['SERVICE_GLOBAL_TOKEN', 'SERVICE_USER_TOKEN'],
    env,
  )
  if (global !== undefined && email !== undefined)
    return { kind: 'global-token', token: global, actAs: email }
  if (user !== undefined) return { kind: 'user-token', token: user }
  if (global !== undefined) throw new UsageError('EMAIL is required with SERVICE_GLOBAL_TOKEN')
  throw new SettingsError([
    'no service token: set SERVICE_GLOBAL_TOKEN (looks up anyone) or SERVICE_USER_TOKEN (looks up its owner), or either as NAME_FILE',
  ])
}

type Service = { baseUrl: string; headerPrefix: string }

/** Where the service is and how calls get there. @throws {SettingsError} */
function serviceOf(env: CliParts['env']): Service {
  const read = loadSome(
    ['SERVICE_BASE_URL', 'SERVICE_HEADER_PREFIX', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'],
    env,
  )
  if (read.SERVICE_BASE_URL === undefined)
    throw new SettingsError([
      "SERVICE_BASE_URL is not set. Set it to the base URL of the search service's backend",
    ])
  useProxy(read)
  return {
    baseUrl: read.SERVICE_BASE_URL,
    headerPrefix: read.SERVICE_HEADER_PREFIX ?? STANDARD_HEADER_PREFIX,
  }
}

async function ask(token: ServiceToken, service: Service, { timeout }: StatusOptions, now: () => number) {
  const inquiry = createInquiry({ ...service, timeLimitMs: timeout * 1000, now })
  try {
    return await inquiry.ask(token)
  } finally {
    await inquiry.close()
  }
}

/** @returns the exit code */
function showReason(reply: Unanswered, question: Question, stderr: CliParts['stderr']): number {
  const { says, settings, fix } = explain(reply, question)
  stderr.write(`onramp status: ${says} ${settings[0]}: ${fix}.\n`)
  return reply.kind === 'silent' ? EXIT_SERVICE : EXITS[reply.reason]
}

async function show(asked: StatusOptions, { env, stdout, stderr, now }: CliParts): Promise<number> {
  if (asked.email !== undefined && !isActAsAddress(asked.email))
    throw new UsageError('EMAIL must be an email address like ada@acme.example')
  const service = serviceOf(env)
  const token = chooseToken(asked.email, env)
  for (const file of ['SERVICE_GLOBAL_TOKEN_FILE', 'SERVICE_USER_TOKEN_FILE'])
    if (env[file] && isOpenToAll(env[file].trim()))
      stderr.write(`Warning: ${file} is readable by every user on this machine. Run chmod o-rwx.\n`)
  const reply = await ask(token, service, asked, now)
  if (reply.kind !== 'answered') {
    const setting = token.kind === 'global-token' ? 'SERVICE_GLOBAL_TOKEN' : 'SERVICE_USER_TOKEN'
    const { baseUrl, headerPrefix: prefix } = service
    return showReason(reply, { setting, baseUrl, prefix, naming: 'EMAIL' }, stderr)
  }

  const person = token.kind === 'global-token' ? token.actAs : undefined
  if (person === undefined)
    stderr.write(
      asked.email === undefined
        ? 'This is the owner of SERVICE_USER_TOKEN. To look up anyone, use SERVICE_GLOBAL_TOKEN.\n'
        : 'This is the owner of SERVICE_USER_TOKEN, perhaps someone else: only SERVICE_GLOBAL_TOKEN can look up the given address.\n',
    )
  stdout.write(
    asked.json ? statusJson(person, reply.left) : statusTable(person, reply.left, { screen: stdout, env }),
  )
  return 0
}

export async function run(asked: StatusOptions, parts: CliParts): Promise<number> {
  try {
    return await show(asked, parts)
  } catch (error) {
    if (error instanceof UsageError || error instanceof SettingsError) throw error
    // The error is not shown: a token was at hand.
    parts.stderr.write('onramp status: unexpected error. Please report this as a bug.\n')
    return 1
  }
}
