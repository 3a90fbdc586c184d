// onramp demo: the sandbox and onramp beside it. Everything is made anew at each start, secrets too, and gone at its end.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runSandbox } from '../sandbox/run.ts'
import { startServer } from '../server.ts'
import { loadSettings, SettingsError } from '../settings.ts'
import { createLog } from '../web/log.ts'
import type { CliParts, Run } from './parts.ts'
import { untilSignal } from './until-signal.ts'

const newSecret = () => randomBytes(32).toString('base64url')

const told = (url: string) => `Onramp is ready.

  Open            ${url}
  Sign in as      Ada Lovelace (five apps wait for her), or anybody else on the list; there are no passwords
  Ends with       Ctrl-C
`

/** localhost for onramp and 127.0.0.1 for the rest: two sites for a browser, as in real life. */
async function startBoth(env: NodeJS.ProcessEnv, folder: string) {
  const port = env['PORT'] ?? '3000'
  const url = `http://localhost:${port}`
  const secret = newSecret()
  const client = {
    client_id: 'onramp',
    client_secret: secret,
    redirect_uris: [`${url}/sign-in/callback`],
    post_logout_redirect_uris: [`${url}/signed-out`],
  }
  const sandbox = await runSandbox(env, { clients: [client] })
  try {
    const settings = loadSettings({
      LOG_LEVEL: 'warn',
      ...env,
      PORT: port,
      HOST: 'localhost',
      PUBLIC_URL: url,
      SERVICE_BASE_URL: sandbox.urls.service,
      OIDC_ISSUER: sandbox.urls.authorizationServer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: secret,
      SESSION_SECRET: newSecret(),
      DATA_DIR: folder,
    })
    return { url, sandbox, server: await startServer(settings, createLog(settings.LOG_LEVEL)) }
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof SettingsError) return error.faults.join('; ')
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return 'a port is taken: choose others with PORT=3100 SANDBOX_PORT=4100 npm run demo'
  return error instanceof Error ? error.message : 'it cannot start'
}

export const run: Run = async (_args: string[], { env, stdout, stderr }: CliParts) => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-demo-'))
  try {
    const { url, sandbox, server } = await startBoth(env, folder)
    stdout.write(told(url))
    await untilSignal()
    await server.stop()
    await sandbox.close()
    return 0
  } catch (error) {
    stderr.write(`onramp demo: ${reasonOf(error)}\n`)
    return 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
