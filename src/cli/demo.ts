// onramp demo: the sandbox and onramp beside it. Everything, also the secrets, is made for this run and removed after it.
// onramp sandbox: the stand-in alone.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { demoPeople, runSandbox, type Sandbox } from '@onramp/sandbox'
import { COMMAND } from '../version.ts'
import { clientAddresses } from '../sign-in/server/client-addresses.ts'
import { startServer } from '../server.ts'
import { OperatorError } from '../problem.ts'
import { loadSettings, SettingsError } from '../settings/settings.ts'
import { createLog } from '../web/log.ts'
import { runCommand } from '@onramp/terminal/shell'
import { addInvite } from './invite/commands.ts'
import type { CommandContext } from '@onramp/terminal/command-context'
import { untilSignal } from './terminal.ts'

const newSecret = () => randomBytes(32).toString('base64url')

const readyText = (url: string, control: string, folder: string) => `Onramp is ready.

  Open            ${url}
  Sign in as      Ada Lovelace (five apps to connect), or anyone else on the
                  list. No passwords.
  Invitations     ${control}/mail (open Ada's invitation)
  Admin           ${url}/admin (sign in as Carol)
  Commands        In another terminal, in this folder:
    set -a && . ${folder}/env && set +a
    ${COMMAND} invite send ${folder}/people.csv --rate 200
    ${COMMAND} invite report
  Stop            Ctrl+C
`

const COMPANY = '5000'
const DEPARTMENTS = ['Engineering', 'Sales', 'Support', 'Legal', 'People']
/** The made-up company that the people of the sandbox work for. */
const COMPANY_FILE = fileURLToPath(new URL('../../examples/acme/company.yaml', import.meta.url))
const SINK = { write: () => true }

/** Invites Ada and her colleagues, and leaves a list and the settings for inviting the whole company. */
async function invite(sandbox: Sandbox, settings: Record<string, string>, folder: string): Promise<void> {
  const rows = sandbox.people.map(
    ({ email, name }, index) =>
      `${email},"${name.replaceAll('"', '""')}",${DEPARTMENTS[index % DEPARTMENTS.length]}\n`,
  )
  writeFileSync(join(folder, 'people.csv'), `email,name,department\n${rows.join('')}`)
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
  writeFileSync(join(folder, 'env'), lines.join(''), { mode: 0o600 })
  const stdin = Readable.from([Buffer.from('email,name\nada@acme.example,Ada\nbob@acme.example,Bob\n')])
  const parts = { stdin, stdout: SINK, stderr: SINK, env: settings, now: Date.now }
  await runCommand(addInvite, ['invite', 'send', '-', '--rate', '50'], parts)
}

/** onramp is at localhost and the rest at 127.0.0.1: two sites for a browser, as in production. */
async function startBoth(env: NodeJS.ProcessEnv, folder: string) {
  const port = env['PORT'] ?? '3000'
  const url = `http://localhost:${port}`
  const { callback, signedOut } = clientAddresses(url)
  const client = {
    client_id: 'onramp',
    client_secret: newSecret(),
    redirect_uris: [callback],
    post_logout_redirect_uris: [signedOut],
  }
  const given = { clients: [client], people: demoPeople }
  const sandbox = await runSandbox({ SANDBOX_COMPANY: COMPANY, ...env }, given)
  try {
    const set = {
      PORT: port,
      // In a container nothing from outside reaches its loopback addresses.
      HOST: env['SANDBOX_BIND'] || 'localhost',
      PUBLIC_URL: url,
      SERVICE_BASE_URL: sandbox.urls.service,
      SERVICE_GLOBAL_TOKEN: sandbox.serviceTokens.global,
      OIDC_ISSUER: sandbox.urls.authorizationServer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
      SESSION_SECRET: newSecret(),
      DATA_DIR: folder,
      ADMIN_EMAILS: 'carol@acme.example',
      SMTP_URL: sandbox.mail?.url ?? '',
      MAIL_FROM: 'Acme Search <search@acme.example>',
      COMPANY_FILE,
    }
    const settings = loadSettings({ LOG_LEVEL: 'warn', ...env, ...set })
    const server = await startServer(settings, createLog(settings.LOG_LEVEL))
    await invite(sandbox, set, folder)
    return { url, sandbox, server }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

export async function demo({ env, stdout }: CommandContext): Promise<number> {
  // From the beginning: the invitations have a handler of their own, which would take the signal for theirs.
  const signal = untilSignal()
  const folder = mkdtempSync(join(tmpdir(), 'onramp-demo-'))
  try {
    const started = await startBoth(env, folder).catch(explain)
    stdout.write(readyText(started.url, started.sandbox.urls.control, folder))
    await signal
    await started.server.stop()
    await started.sandbox.close()
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function sandbox({ env }: CommandContext): Promise<number> {
  const started = await runSandbox(env).catch(explain)
  await untilSignal()
  await started.close()
  return 0
}

function explain(cause: unknown): never {
  if (!(cause instanceof Error) || cause instanceof SettingsError) throw cause
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE'
  const advice = 'a port is already in use. Try others: PORT=3100 SANDBOX_PORT=4100'
  throw new OperatorError(isTaken ? advice : cause.message, { cause })
}
