// The sandbox: a local stand-in for the whole documented service, for development and tests.
// It has five HTTP servers and a mail server on loopback addresses, and keeps everything in memory.
import { isIP } from 'node:net'
import { createBackend, type Sandbox, type SandboxOptions } from './backend.ts'
import { createControl } from './control.ts'
import { listen } from './http-server.ts'
import { serverNames } from './journal.ts'
import { startMailCatcher } from './mail.ts'
import { demoPeople, isGenerated } from './people.ts'

export { demoPeople, type Sandbox, type SandboxOptions }

/** @throws Error for an address that isn't loopback, a path like `a/` or a taken port; then nothing stays open */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  await using opening = new AsyncDisposableStack()
  const { mailPort, bind } = options
  const mail = mailPort === undefined ? undefined : await startMailCatcher(mailPort, bind)
  if (mail) opening.defer(mail.close)
  const servers: Awaited<ReturnType<typeof listen>>[] = []
  for (const name of serverNames) {
    const server = await listen(name, options)
    opening.defer(server.close)
    servers.push(server)
  }
  const urls = Object.fromEntries(servers.map(({ name, url }) => [name, url])) as Sandbox['urls']
  const openServers = new AsyncDisposableStack()
  const sandbox = createBackend(options, { urls, mail, close: () => openServers.disposeAsync() })
  // Creates the first signing keys.
  await sandbox.rotateKeys()
  const handlers = { ...sandbox.handlers, control: createControl(sandbox) }
  for (const { name, serve } of servers) serve(handlers[name], sandbox.journal, sandbox.switches)
  openServers.use(opening.move())
  return sandbox
}

/**
 * Starts the sandbox and prints a summary. README.md lists the variables.
 * @param options override the environment, except for the ports
 * @throws Error for an invalid variable or a taken port
 */
export async function runSandbox(env: NodeJS.ProcessEnv, options: SandboxOptions = {}): Promise<Sandbox> {
  const read = (name: string, initial: string, isValid: (value: string) => boolean, wanted: string) => {
    const value = env[`SANDBOX_${name}`] || initial
    if (isValid(value)) return value
    throw new Error(`SANDBOX_${name} must be ${wanted}: ${value}`)
  }
  const isNumber = (min: number, max: number) => (value: string) =>
    Number.isInteger(Number(value)) && Number(value) >= min && Number(value) <= max
  const first = Number(read('PORT', '4000', isNumber(1, 65_530), 'a port from 1 to 65530, the first of six'))
  const company = read('COMPANY', '0', isNumber(0, 100_000), 'a number of people up to 100000')
  const isBind = (value: string) => value === '' || isIP(value) !== 0
  const bind = read('BIND', '', isBind, 'an IP address to listen on, 0.0.0.0 in a container')
  const isPrefix = (value: string) => /^[A-Za-z][A-Za-z0-9-]*$/.test(value)
  const sandbox = await startSandbox({
    mailPort: first + 5,
    company: Number(company),
    bind: bind || undefined,
    headerPrefix: read('HEADER_PREFIX', 'X-Service', isPrefix, "the beginning of a header's name"),
    ...options,
    ports: Object.fromEntries(serverNames.map((name, index) => [name, first + index])),
  })
  console.log(summary(sandbox))
  return sandbox
}

function summary({ urls, people, serviceTokens, mail }: Sandbox): string {
  const namedPeople = people.filter((person) => !isGenerated(person))
  const rows = namedPeople.map(({ id, email, datasources: { length } }) => {
    return [email, `${length} datasource${length === 1 ? '' : 's'}`, serviceTokens.user(id)]
  })
  const widths = [0, 1].map((index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const lines = rows.map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`)
  return `Sandbox: for development only. Everything is kept in memory.

  service                 ${urls.service}
  authorization server    ${urls.authorizationServer}
  external identity       ${urls.externalIdp}
  consent pages           ${urls.datasource}
  control                 ${urls.control}
  mail server             ${mail?.url}
  inbox                   ${urls.control}/mail

  Test users (no password needed) and their service tokens:
${lines.join('\n')}${people.length > namedPeople.length ? `\n  and ${people.length - namedPeople.length} more` : ''}
  Global service token: ${serviceTokens.global}
`
}
