// Fixture: a correct configuration, which tests change one setting at a time, and the doctor's report about it.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { runCommand, type Terminal } from '../cli/run-command.ts'
import { listen } from '../helpers/listen.ts'

const reportSchema = z.strictObject({
  schema_version: z.literal(1),
  result: z.enum(['ok', 'warn', 'fail']),
  counts: z.record(z.string(), z.number()),
  findings: z.array(
    z.strictObject({
      group: z.string(),
      check: z.string(),
      status: z.enum(['ok', 'warn', 'fail', 'skip']),
      says: z.string(),
      settings: z.array(z.string()),
      fix: z.string().nullable(),
    }),
  ),
})

export type Report = z.infer<typeof reportSchema>
export type Finding = Report['findings'][number]

export const newSecret = () => randomBytes(24).toString('base64url')

/** A folder on a disk: the doctor would report /tmp on machines where it is in memory. */
export const newFolder = () =>
  mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'onramp-doctor-'))

export async function setUpConfiguration() {
  const publicUrl = 'https://onramp.acme.test'
  const secret = newSecret()
  const folder = newFolder()
  const sandbox = await startSandbox({
    clients: [
      { client_id: 'onramp', client_secret: secret, redirect_uris: [`${publicUrl}/sign-in/callback`] },
    ],
  })
  const env = {
    PUBLIC_URL: publicUrl,
    SERVICE_BASE_URL: sandbox.urls.service,
    OIDC_ISSUER: sandbox.urls.authorizationServer,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: secret,
    SESSION_SECRET: randomBytes(32).toString('base64url'),
    SERVICE_GLOBAL_TOKEN: sandbox.serviceTokens.global,
    TRUST_PROXY: '10.0.0.0/8',
    DATA_DIR: folder,
  }
  return {
    sandbox,
    env,
    folder,
    async close() {
      await sandbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function runDoctor(
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
  terminal: Terminal = {},
): Promise<Report & { exit: number; text: string }> {
  const { exit, out } = await runCommand(['doctor', '--json', ...args], env, terminal)
  return { exit, text: out, ...reportSchema.parse(JSON.parse(out)) }
}

export const warningsAndFailures = ({ findings }: Report): Finding[] =>
  findings.filter(({ status }) => ['warn', 'fail'].includes(status))

export type ScriptedServer = { url: string; requests: string[]; close(): Promise<void> }

/** A scripted server. */
export async function startScriptedServer(
  answer: (req: IncomingMessage, res: ServerResponse, url: string) => void,
): Promise<ScriptedServer> {
  const requests: string[] = []
  let url = ''
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`)
    answer(req, res, url)
  })
  url = `http://127.0.0.1:${await listen(server)}`
  return {
    url,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
