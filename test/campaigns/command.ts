// Fixture: runs onramp's commands with the settings of a sandbox, in this process or as its children.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach } from 'vitest'
import { startSandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { BARE_ENV } from '../helpers/processes.ts'
import { shared } from '../helpers/shared.ts'
import { runCommand } from '../cli/run-command.ts'

const MAIN = new URL('../../src/cli/main.ts', import.meta.url).pathname

type Circumstances = { env?: Record<string, string>; input?: string; now?: () => number }

export type Company = Awaited<ReturnType<typeof startCompany>>

export async function waitForEnd(child: ChildProcessWithoutNullStreams) {
  const text = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...text }
}

export async function startCompany(options: SandboxOptions = {}) {
  const sandbox = await startSandbox({ mailPort: 0, ...options })
  const folder = mkdtempSync(join(tmpdir(), 'onramp-invite-'))
  const env = {
    PUBLIC_URL: 'http://localhost:3000',
    SERVICE_BASE_URL: sandbox.urls.service,
    OIDC_ISSUER: sandbox.urls.authorizationServer,
    SERVICE_GLOBAL_TOKEN: sandbox.serviceTokens.global,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    DATA_DIR: join(folder, 'data'),
    SMTP_URL: sandbox.mail?.url ?? '',
    MAIL_FROM: 'Search team <search@acme.example>',
  }
  /** Starts the command and leaves it running. */
  const start = (args: string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
      env: { ...BARE_ENV, ...env, ...more },
    })
  return {
    sandbox,
    env,
    start,
    /** Writes a list. @returns its path */
    list: (name: string, content: string) => {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    /** Runs the command to its end. */
    run(args: string[], { env: more = {}, input = '' }: Circumstances = {}) {
      const child = start(args, more)
      child.stdin.end(input)
      return waitForEnd(child)
    },
    async close() {
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a command in this process, optionally with a test clock. */
async function runWithCompany(
  company: Company,
  args: string[],
  { env = {}, input = '', now = Date.now }: Circumstances = {},
) {
  const { exit, out, err } = await runCommand(args, { ...company.env, ...env }, { input, now })
  return { code: exit, stdout: out, stderr: err }
}

/** One company for all tests of a file, reset before each of them, with an empty store. */
export function useCompany(options: SandboxOptions = {}) {
  const company = shared(() => startCompany(options))
  let names = 0
  beforeEach(() => {
    company.sandbox.reset()
    company.env.DATA_DIR = join(dirname(company.env.DATA_DIR), `data-${names++}`)
  })
  const received = () => company.sandbox.mail?.emails ?? []
  return {
    company: () => company,
    received,
    recipients: () => received().map(({ to }) => to.join()),
    run: (args: string[], given?: Circumstances) => runWithCompany(company, args, given),
    send: (args: string[], given?: Circumstances) =>
      runWithCompany(company, ['invite', 'send', '--rate', '200', ...args], given),
    list: (content: string) => company.list(`list-${names++}.csv`, content),
  }
}
