// Redis over TLS, with a private certificate authority and a Redis user limited to onramp's keys.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { startOnramp, statusOf, until } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { freePort, run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { makeCertificates } from '../helpers/tls.ts'

const folder = useFolder()
const file = (name: string) => join(folder, name)

const redis = shared(async () => {
  makeCertificates(folder, { redis: ['127.0.0.1'] })
  const port = String(await freePort())
  const certificates = ['cert-file', 'redis.crt', 'key-file', 'redis.key', 'ca-cert-file', 'ca.crt']
  const tls = certificates.map((word, index) => (index % 2 === 0 ? `--tls-${word}` : file(word)))
  const listening = ['--tls-port', port, '--tls-auth-clients', 'no', ...tls]
  const may = ['~onramp:*', '+@read', '+@write', '+@scripting', '+@connection']
  const secureUrl = `rediss://onramp:${encodeURIComponent('p@ss:word')}@127.0.0.1:${port}`
  const server = await startRedis({
    options: () => [...listening, '--user', 'onramp', 'on', '>p@ss:word', ...may],
  })
  return Object.assign(server, { secureUrl })
})
const running = shared(() => run({ settings: { REDIS_URL: redis.secureUrl } }))

it('Redis with an unknown CA is rejected with the reason, without the password', async () => {
  await until(() => running.log.some((line) => line.includes('Redis cannot be reached')), 'the log')
  expect(await statusOf(`${running.url}/readyz`)).toBe(503)
  const log = running.log.join('')
  expect(log).toMatch(/certificate/)
  expect(log).not.toMatch(/p@ss|p%40ss/)
  await running.stopOnramp()
})

it('Redis with a trusted CA works with a user limited to our keys', async () => {
  const onramp = await startOnramp({ ...running.env, NODE_EXTRA_CA_CERTS: file('ca.crt') })
  const browser = await signIn(running, 'ada')
  expect(browser.page.status).toBe(200)
  await browser.post('/sign-out')
  expect(Number(await redis.ask('DBSIZE'))).toBeGreaterThan(0)
  expect((await onramp.end('SIGTERM')).code).toBe(0)
})
