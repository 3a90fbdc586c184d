// Findings about certificates are worded alike for every server.
import { createServer } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { listen } from '../helpers/listen.ts'
import { until } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { freePort } from '../helpers/running.ts'
import { makeCertificates, pem, trustAuthority } from '../helpers/tls.ts'
import { runDoctor, newSecret } from './setup.ts'

const folder = useFolder()
beforeAll(() =>
  makeCertificates(
    folder,
    { expired: ['localhost'], other: ['other.example'], named: ['localhost'] },
    'expired',
  ),
)
afterAll(() => trustAuthority())

const envOf = (host: string) => ({
  PUBLIC_URL: `https://${host}`,
  SERVICE_BASE_URL: `https://${host}`,
  OIDC_ISSUER: `https://${host}`,
  WEBHOOK_URL: `https://${host}`,
  WEBHOOK_SECRET: `whsec_${'A'.repeat(43)}=`,
  REDIS_URL: `rediss://${host}`,
  SMTP_URL: `smtps://${host}`,
  MAIL_FROM: 'Search <search@acme.example>',
  SESSION_SECRET: newSecret() + newSecret(),
})

const EVERY = [
  'settings.public-url-reached',
  'settings.mail',
  'settings.webhooks',
  'authorization-server.discovery',
  'service.reachable',
  'store.redis',
].toSorted()

it.each([
  ['has expired', 'expired', true, /its certificate has expired\W+(fix: )?have it renewed/i],
  ['is for another name', 'other', true, /its certificate is for other\.example, not for this name\W/],
  ['has an unknown issuer', 'named', false, /authority that this machine doesn't trust\W+set NODE_EXTRA_CA/i],
])('a certificate that %s has the same finding at every server', async (_title, file, isTrusted, words) => {
  trustAuthority(isTrusted ? folder : undefined)
  const server = createServer(pem(folder, file)).on('tlsClientError', () => {})
  const { findings } = await runDoctor(envOf(`localhost:${await listen(server, 'localhost')}`))
  server.close()
  const matching = findings.filter(({ says, fix }) => words.test(`${says} ${fix}`))
  expect([...new Set(matching.map(({ check }) => check))].toSorted()).toEqual(EVERY)
})

const start = async (...announcing: string[]) => {
  const port = String(await freePort())
  const files = ['cert-file', 'named.crt', 'key-file', 'named.key', 'ca-cert-file', 'ca.crt']
  const tls = files.map((word, index) => (index % 2 === 0 ? `--tls-${word}` : join(folder, word)))
  const listening = ['--tls-port', port, '--tls-auth-clients', 'no', '--tls-cluster', 'yes', ...tls]
  const redis = await startRedis({ options: () => ['--cluster-enabled', 'yes', ...listening, ...announcing] })
  await redis.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  const isUp = async () => String(await redis.ask('CLUSTER', 'INFO')).includes('cluster_state:ok')
  await until(isUp, 'the cluster')
  const env = { ...envOf('127.0.0.1:9'), REDIS_URL: `rediss://localhost:${port}`, REDIS_CLUSTER: 'yes' }
  const { findings } = await runDoctor(env).finally(() => redis.close())
  return findings.filter(({ check, status }) => check === 'store.redis' && status === 'fail')
}

it('for cluster nodes with only IP addresses, the doctor names the options', async () => {
  trustAuthority(folder)
  expect(await start('--cluster-announce-ip', '127.0.0.1')).toMatchObject([
    {
      says: expect.stringContaining('its certificate is for localhost, not for this name'),
      fix: expect.stringMatching(/cluster-announce-hostname.*cluster-preferred-endpoint-type/),
    },
  ])
  const named = ['--cluster-announce-hostname', 'localhost', '--cluster-preferred-endpoint-type', 'hostname']
  expect(await start('--cluster-announce-ip', '127.0.0.1', ...named)).toEqual([])
})
