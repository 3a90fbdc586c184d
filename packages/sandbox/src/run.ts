// The sandbox as a command: six consecutive ports on 127.0.0.1, and a summary of them.
import { isIP } from 'node:net'
import { serverNames } from './journal.ts'
import { isGenerated } from './people.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'

export { demoPeople } from './people.ts'
export type { Sandbox }

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
  const isNumber = (least: number, most: number) => (value: string) =>
    Number.isInteger(Number(value)) && Number(value) >= least && Number(value) <= most
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
  const named = people.filter((person) => !isGenerated(person))
  const rows = named.map(({ id, email, datasources: { length } }) => {
    return [email, `${length} datasource${length === 1 ? '' : 's'}`, serviceTokens.user(id)]
  })
  const widths = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const lines = rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`)
  return `Sandbox: for development only. Everything is kept in memory.

  service                 ${urls.service}
  authorization server    ${urls.authorizationServer}
  external identity       ${urls.externalIdp}
  consent pages           ${urls.datasource}
  control                 ${urls.control}
  mail server             ${mail?.url}
  inbox                   ${urls.control}/mail

  Test users (no password needed) and their service tokens:
${lines.join('\n')}${people.length > named.length ? `\n  and ${people.length - named.length} more` : ''}
  Global service token: ${serviceTokens.global}
`
}
