// onramp status EMAIL: prints the apps that a person still has to connect. Requires only SERVICE_BASE_URL and a service
// token. With SERVICE_USER_TOKEN, the person is the token's owner.
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { columnsFor, fitToColumns, colorsFor, displayWidth } from '@onramp/terminal/terminal'
import type { ListedApp } from '../client-api/responses.ts'
import { APP_STATUSES, isUnavailable } from '../client-api/app-status.ts'
import { STANDARD_HEADER_PREFIX, type Credentials } from '../client-api/credentials.ts'
import { ServiceClient } from '../client-api/client.ts'
import { useProxy } from '../http/proxy.ts'
import type { ErrorResponse } from '../client-api/error-response.ts'
import { isOpenToAll } from '../doctor/machine.ts'
import { explainServiceError } from '../doctor/service-error.ts'
import { EXIT_SETTINGS, loadSettingsNamed, SettingsError } from '../settings/settings.ts'

const EXIT_SERVICE = 7
const EXITS: Record<ErrorResponse['reason'], number> = {
  request: 1,
  intermediary: 1,
  token: 3,
  'auth-type': 3,
  'auth-type-missing': 3,
  scope: 4,
  'act-as-missing': 5,
  'act-as-refused': 5,
  busy: 6,
  failing: EXIT_SERVICE,
  'not-found': EXIT_SETTINGS,
  redirected: EXIT_SETTINGS,
  unreadable: EXIT_SETTINGS,
  personal: EXIT_SETTINGS,
}

export async function status(
  email: string | undefined,
  { json, timeout }: { json?: boolean; timeout: number },
  { env, stdout, stderr, now }: CommandContext,
): Promise<number> {
  const { baseUrl, headerPrefix, token } = configure(email, env)
  for (const file of ['SERVICE_GLOBAL_TOKEN_FILE', 'SERVICE_USER_TOKEN_FILE'])
    if (env[file] && isOpenToAll(env[file].trim()))
      stderr.write(`Warning: ${file} is readable by every user on this machine. Run chmod o-rwx.\n`)

  const client = new ServiceClient({ baseUrl, headerPrefix, timeLimitMs: timeout * 1000, now })
  const reply = await client.probe(token).finally(() => client.close())
  if (reply.kind !== 'accepted') {
    const setting = token.kind === 'global-token' ? 'SERVICE_GLOBAL_TOKEN' : 'SERVICE_USER_TOKEN'
    const finding = explainServiceError(reply, { setting, baseUrl, prefix: headerPrefix })
    stderr.write(`onramp status: ${finding.message} ${finding.settings[0]}: ${finding.fix}.\n`)
    return reply.kind === 'unreachable' ? EXIT_SERVICE : EXITS[reply.reason]
  }

  const person = token.kind === 'global-token' ? token.actAs : null
  if (person === null)
    stderr.write('This is the owner of SERVICE_USER_TOKEN. To look up anyone, use SERVICE_GLOBAL_TOKEN.\n')
  const { unconnected } = reply
  if (json)
    stdout.write(`${JSON.stringify({ schema_version: 1, person, left: unconnected }, undefined, 2)}\n`)
  else stdout.write(tableOf(person ?? "The token's owner", unconnected, stdout, env))
  return 0
}

function configure(email: string | undefined, env: CommandContext['env']) {
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const
  const settings = loadSettingsNamed(['SERVICE_BASE_URL', 'SERVICE_HEADER_PREFIX', ...proxies], env)
  const { SERVICE_BASE_URL: baseUrl, SERVICE_HEADER_PREFIX: headerPrefix = STANDARD_HEADER_PREFIX } = settings
  if (baseUrl === undefined)
    throw new SettingsError([
      "SERVICE_BASE_URL is not set. Set it to the base URL of the search service's backend",
    ])
  useProxy(settings)
  return { baseUrl, headerPrefix, token: tokenFor(email, env) }
}

function tokenFor(
  email: string | undefined,
  env: CommandContext['env'],
): Exclude<Credentials, { kind: 'oauth' }> {
  const tokens = loadSettingsNamed(['SERVICE_GLOBAL_TOKEN', 'SERVICE_USER_TOKEN'], env)
  const { SERVICE_GLOBAL_TOKEN: global, SERVICE_USER_TOKEN: user } = tokens
  if (global !== undefined && email !== undefined)
    return { kind: 'global-token', token: global, actAs: email }
  if (user !== undefined && email !== undefined)
    throw new UsageError('SERVICE_USER_TOKEN only looks up its owner: EMAIL needs SERVICE_GLOBAL_TOKEN')
  if (user !== undefined) return { kind: 'user-token', token: user }
  if (global !== undefined) throw new UsageError('EMAIL is required with SERVICE_GLOBAL_TOKEN')
  throw new SettingsError([
    'no service token: set SERVICE_GLOBAL_TOKEN (looks up anyone) or SERVICE_USER_TOKEN (looks up its owner), or either as NAME_FILE',
  ])
}

const MARGIN = '  '

/** Lines that fit the terminal, with printable names; --json has whole names. */
function tableOf(
  who: string,
  unconnected: readonly ListedApp[],
  screen: CommandContext['stdout'],
  env: CommandContext['env'],
): string {
  if (unconnected.length === 0) return `${who} has nothing left to connect.\n`
  const paint = colorsFor(screen, env)
  const rows = unconnected.map(({ name, instance, status: is }) => ({
    name: printable(name),
    instance: printable(instance),
    ...APP_STATUSES[is].terminal,
  }))
  const widest = (column: 'name' | 'instance' | 'text') =>
    Math.max(...rows.map((row) => displayWidth(row[column])))
  const free = columnsFor(screen) - widest('text') - 3 * MARGIN.length
  const instances = Math.min(widest('instance'), Math.floor(free / 3))
  const names = Math.min(widest('name'), free - instances)
  const lines = rows.map(({ name, instance, text, color }) =>
    ['', fitToColumns(name, names), paint.dim(fitToColumns(instance, instances)), paint[color](text)].join(
      MARGIN,
    ),
  )
  const count = unconnected.filter((app) => !isUnavailable(app.status)).length
  const apps = count === 0 ? 'nothing' : count === 1 ? '1 app' : `${count} apps`
  return `${paint.bold(`${who}: ${apps} left to connect`)}\n\n${lines.join('\n')}\n`
}
