// The sandbox as a command: six consecutive ports on 127.0.0.1, and a summary of what to do with them.
import { isIP } from 'node:net'
import { serverNames } from './journal.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'

export { ordinaryPeople } from './people.ts'
export type { Sandbox, SandboxOptions }

const SHOWN_PEOPLE = 7

/**
 * Starts the sandbox on `SANDBOX_PORT` (4000 unless set) and the five ports after it, the last one its mail server's, and
 * prints what is running. `SANDBOX_COMPANY` adds that many generated people. `SANDBOX_BIND` is the address to listen on
 * in a container, where nothing from outside reaches the loopback addresses. `SANDBOX_HEADER_PREFIX` is what the service's
 * own headers begin with.
 * @param options win over the environment, ports apart
 * @throws Error when a variable is malformed, or one of the ports is taken
 */
export async function runSandbox(env: NodeJS.ProcessEnv, options: SandboxOptions = {}): Promise<Sandbox> {
  const first = firstPort(env['SANDBOX_PORT'] || '4000')
  const sandbox = await startSandbox({
    mailPort: first + 5,
    company: companySize(env['SANDBOX_COMPANY'] || '0'),
    bind: bindOf(env['SANDBOX_BIND']),
    headerPrefix: headerPrefixOf(env['SANDBOX_HEADER_PREFIX'] || 'X-Service'),
    ...options,
    ports: Object.fromEntries(serverNames.map((name, index) => [name, first + index])),
  })
  console.log(summary(sandbox))
  return sandbox
}

/** What is running, in plain text. */
function summary({ urls, people, serviceTokens, mail }: Sandbox): string {
  const width = Math.max(...people.map(({ email }) => email.length))
  const persons = people.slice(0, SHOWN_PEOPLE).map(({ id, email, datasources }) => {
    const count = `${datasources.length} datasource${datasources.length === 1 ? '' : 's'}`
    return `    ${email.padEnd(width)}  ${count.padEnd(14)} token ${serviceTokens.user(id)}`
  })
  return [
    'Sandbox: for development only. Everything is kept in memory.',
    '',
    `  service                 ${urls.service}`,
    `  authorization server    ${urls.authorizationServer}`,
    `  external identity       ${urls.externalIdp}`,
    `  consent pages           ${urls.datasource}`,
    `  control                 ${urls.control}`,
    `  mail server             ${mail?.url}, inbox: ${urls.control}/mail`,
    '',
    '  Test users (no password needed) and their service tokens:',
    ...persons,
    ...(people.length > SHOWN_PEOPLE ? [`    and ${people.length - SHOWN_PEOPLE} more, generated`] : []),
    `  Global service token: ${serviceTokens.global}`,
    '',
  ].join('\n')
}

function companySize(value: string): number {
  const size = Number(value)
  if (Number.isInteger(size) && size >= 0 && size <= 100_000) return size
  throw new Error(`SANDBOX_COMPANY must be a number of people up to 100000: ${value}`)
}

/** A token (RFC 9110 5.6.2), as far as such a name needs it. */
function headerPrefixOf(value: string): string {
  if (/^[A-Za-z][A-Za-z0-9-]*$/.test(value)) return value
  throw new Error(`SANDBOX_HEADER_PREFIX must be the beginning of a header's name, like X-Service: ${value}`)
}

function bindOf(value = ''): string | undefined {
  if (value === '' || isIP(value) !== 0) return value || undefined
  throw new Error(`SANDBOX_BIND must be an IP address to listen on, 0.0.0.0 in a container: ${value}`)
}

function firstPort(value: string): number {
  const port = Number(value)
  if (Number.isInteger(port) && port > 0 && port <= 65_530) return port
  throw new Error(`SANDBOX_PORT must be a port from 1 to 65530, the first of six: ${value}`)
}
