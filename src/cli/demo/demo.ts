// onramp demo: runs the sandbox, and onramp with a rollout in its second week. Data and secrets are removed at the end.
// onramp sandbox: runs the stand-in alone.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { demoPeople, runSandbox, type Sandbox } from '@onramp/sandbox'
import { COMMAND } from '../../version.ts'
import { clientUrls } from '../../sign-in/server/client-urls.ts'
import { startServer } from '../../server.ts'
import { OperatorError } from '../../problem.ts'
import { loadSettings, SettingsError } from '../../settings/settings.ts'
import { createLog } from '../../web/log.ts'
import { runCommand } from '@onramp/terminal/shell'
import { addInvite } from '../invite/commands.ts'
import type { CommandContext } from '@onramp/terminal/command-context'
import { createRollout, replayRollout } from './rollout.ts'

/** Resolves on Ctrl-C or SIGTERM. */
const untilSignal = (): Promise<unknown> => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])

const newSecret = () => randomBytes(32).toString('base64url')

const readyText = (url: string, control: string, folder: string) => `Onramp is ready.

  Open            ${url}
  Sign in as      Ada Lovelace (five apps to connect), or anyone else on the
                  list. No passwords.
  Invitations     ${control}/mail (open Ada's invitation)
  Admin           ${url}/admin (sign in as Carol): 200
                  people in the second week of a rollout
  Commands        In another terminal, in this folder:
    set -a && . ${folder}/env && set +a
    ${COMMAND} invite send ${folder}/people.csv
    ${COMMAND} invite report
  Stop            Ctrl+C
`

/** The company of the sandbox's people. */
const COMPANY_FILE = fileURLToPath(new URL('../../../examples/acme/company.yaml', import.meta.url))
const NO_OUTPUT = { write: () => true }

/** Sends Ada and Bob their invitations, and writes the list of people and the settings for trying the commands. */
async function invite(backend: Sandbox, settings: Record<string, string>, folder: string): Promise<void> {
  const rows = backend.people.map(({ email, name }) => `${email},"${name.replaceAll('"', '""')}"\n`)
  writeFileSync(join(folder, 'people.csv'), `email,name\n${rows.join('')}`)
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
  writeFileSync(join(folder, 'env'), lines.join(''), { mode: 0o600 })
  const stdin = Readable.from([Buffer.from('email,name\nada@acme.example,Ada\nbob@acme.example,Bob\n')])
  const context = { stdin, stdout: NO_OUTPUT, stderr: NO_OUTPUT, env: settings, now: Date.now }
  await runCommand(addInvite, ['invite', 'send', '-', '--rate', '50'], context)
}

/** onramp is at localhost, everything else at 127.0.0.1, so a browser sees two sites, as in production. */
async function startBoth(env: NodeJS.ProcessEnv, folder: string) {
  const port = env['PORT'] ?? '3000'
  const url = `http://localhost:${port}`
  const { redirectUri, postLogoutRedirectUri } = clientUrls(url)
  const client = {
    client_id: 'onramp',
    client_secret: newSecret(),
    redirect_uris: [redirectUri],
    post_logout_redirect_uris: [postLogoutRedirectUri],
  }
  const now = Date.now()
  const rollout = createRollout(now)
  const people = [...demoPeople, ...rollout.map(({ person }) => person)]
  const backend = await runSandbox(env, { clients: [client], people })
  try {
    const values = {
      PORT: port,
      // Loopback addresses in a container can't be reached from outside.
      HOST: env['SANDBOX_BIND'] || 'localhost',
      PUBLIC_URL: url,
      SERVICE_BASE_URL: backend.urls.service,
      SERVICE_GLOBAL_TOKEN: backend.serviceTokens.global,
      OIDC_ISSUER: backend.urls.authorizationServer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
      SESSION_SECRET: newSecret(),
      DATA_DIR: folder,
      ADMIN_EMAILS: 'carol@acme.example',
      SMTP_URL: backend.mail?.url ?? '',
      MAIL_FROM: 'Acme Search <search@acme.example>',
      COMPANY_FILE,
    }
    const settings = loadSettings({ LOG_LEVEL: 'warn', ...env, ...values })
    await replayRollout(rollout, settings, now)
    const server = await startServer(settings, createLog(settings.LOG_LEVEL))
    await invite(backend, values, folder)
    return { url, sandbox: backend, server }
  } catch (error) {
    await backend.close()
    throw error
  }
}

export async function demo({ env, stdout }: CommandContext): Promise<number> {
  // This comes first, because sending invitations also handles the signal.
  const signal = untilSignal()
  const folder = mkdtempSync(join(tmpdir(), 'onramp-demo-'))
  try {
    const started = await startBoth(env, folder).catch(toOperatorError)
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
  const started = await runSandbox(env).catch(toOperatorError)
  await untilSignal()
  await started.close()
  return 0
}

function toOperatorError(cause: unknown): never {
  if (!(cause instanceof Error) || cause instanceof SettingsError) throw cause
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE'
  const advice = 'a port is already in use. Try others: PORT=3100 SANDBOX_PORT=4100'
  throw new OperatorError(isTaken ? advice : cause.message, { cause })
}
