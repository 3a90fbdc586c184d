// The product with a clock that a test can set: what takes hours otherwise takes none. The sandbox keeps its own time.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { createOnramp } from '../../src/compose.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { statusOf, until } from './processes.ts'
import { freePort } from './running.ts'

export type RunningWithClock = {
  url: string
  sandbox: Sandbox
  /** From now on it is so many milliseconds later than it is. */
  later(milliseconds: number): void
  close(): Promise<void>
}

export async function runWithClock(settings: Record<string, string> = {}): Promise<RunningWithClock> {
  const port = await freePort('localhost')
  const url = `http://localhost:${port}`
  const folder = mkdtempSync(join(tmpdir(), 'onramp-clock-'))
  const sandbox = await startSandbox()
  const loaded = loadSettings({
    PORT: String(port),
    PUBLIC_URL: url,
    SERVICE_BASE_URL: sandbox.urls.service,
    OIDC_ISSUER: sandbox.urls.authorizationServer,
    SESSION_SECRET: 'a-secret-for-tests-of-the-clock-only',
    SIGN_INS_PER_MINUTE: '10000',
    DATA_DIR: folder,
    ...settings,
  })
  let shift = 0
  const onramp = createOnramp(loaded, pino({ level: 'silent' }), { now: () => Date.now() + shift })
  const server = createServer(onramp.app).listen(port, 'localhost')
  await once(server, 'listening')
  void onramp.start()
  await until(async () => (await statusOf(`${url}/readyz`)) === 200, 'the product to be ready')
  return {
    url,
    sandbox,
    later: (milliseconds) => {
      shift = milliseconds
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await onramp.close()
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
