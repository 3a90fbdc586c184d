// What the doctor says of a server of the tests' own.
import { afterEach } from 'vitest'
import { startPlainServer, type Answers, type PlainServer } from '../helpers/plain-authorization-server.ts'
import { examined, newSecret, type Finding } from './set-up.ts'

const servers: PlainServer[] = []
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))))

const PUBLIC_URL = 'https://onramp.acme.test'
export const CALLBACK = `${PUBLIC_URL}/sign-in/callback`

export async function start(
  answers: Answers,
  metadata?: (url: string) => Record<string, unknown>,
): Promise<PlainServer> {
  const server = await startPlainServer(answers, metadata)
  server.clients.set('onramp', 'the-right-secret-of-the-tests')
  servers.push(server)
  return server
}

export async function found(
  server: PlainServer,
  check: string,
  changed: NodeJS.ProcessEnv = {},
): Promise<Finding[]> {
  const env = {
    PUBLIC_URL,
    OIDC_ISSUER: server.url,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: 'the-right-secret-of-the-tests',
    SESSION_SECRET: newSecret() + newSecret(),
    ...changed,
  }
  const { findings } = await examined(env)
  return findings.filter((finding) => finding.check === `authorization-server.${check}`)
}
