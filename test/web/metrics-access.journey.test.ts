// Access to /metrics, on PORT and METRICS_PORT.
import { createServer } from 'node:http'
import { request } from 'undici'
import { beforeAll, describe, expect, it } from 'vitest'
import { freePort, run } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() => run({ settings: { HOST: '0.0.0.0' }, host: '127.0.0.1' }))

const portOf = () => new URL(running.url).port
const token = 'a-token-for-the-metrics'

async function read(
  headers: Record<string, string> = {},
  port = portOf(),
  host = '127.0.0.1',
  path = '/metrics',
) {
  const response = await request(`http://${host}:${port}${path}`, { headers })
  return { status: response.statusCode, headers: response.headers, body: await response.body.text() }
}

it.each([
  ['from this machine', {}],
  ['from this machine, by its name', { host: 'localhost' }],
  ['that a proxy forwarded', { 'x-forwarded-for': '192.0.2.7' }],
  ['for a public name', { host: 'onramp.acme.example' }],
  ['with a token, where none is set', { authorization: `Bearer ${token}` }],
])('without METRICS_TOKEN, /metrics on PORT is refused for a request %s', async (_what, headers) => {
  const { status, body } = await read(headers)
  expect(status).toBe(403)
  expect(body).not.toContain('onramp_')
})

describe('/metrics with METRICS_TOKEN', () => {
  beforeAll(() => running.restart({ METRICS_TOKEN: token }))

  it('/metrics with METRICS_TOKEN requires the token', async () => {
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    for (const authorization of [undefined, `Bearer ${token}x`, 'Bearer ', `Basic ${token}`, token]) {
      const { status, headers } = await read(authorization ? { ...forwarded, authorization } : forwarded)
      expect(status, authorization).toBe(401)
      expect(headers['www-authenticate']).toBe('Bearer')
    }
    expect((await read({ ...forwarded, authorization: `Bearer ${token}` })).status).toBe(200)
    expect((await read({ ...forwarded, authorization: `bearer ${token}` })).status).toBe(200)
    // Requests of a forwarder on this machine look local.
    for (const host of ['localhost', '127.0.0.1']) expect((await read({ host })).status).toBe(401)
  })
})

describe('/metrics with METRICS_PORT', () => {
  let port: string
  beforeAll(async () => {
    port = String(await freePort())
    await running.restart({ METRICS_PORT: port })
  })

  it('METRICS_PORT serves only /metrics', async () => {
    for (const path of ['/', '/healthz', '/onboarding', '/metricsx'])
      expect((await read({}, port, '127.0.0.1', path)).status, path).toBe(404)
  })

  it('METRICS_PORT is closed with the server, also with an open connection', async () => {
    expect((await read({ 'x-forwarded-for': '192.0.2.7', host: 'any' }, port)).body).toContain('onramp_')
    await running.stopOnramp()
    await expect(read({}, port)).rejects.toThrow(/ECONNREFUSED/)
  })

  it('a METRICS_PORT in use ends the start, and leaves nothing listening', async () => {
    const taken = String(await freePort())
    const other = createServer().listen(Number(taken), '0.0.0.0')
    await expect(running.restart({ METRICS_PORT: taken })).rejects.toThrow(
      /METRICS_PORT \d+ of HOST \S+ \(EADDRINUSE\): .+ change METRICS_PORT$/,
    )
    await expect(read()).rejects.toThrow(/ECONNREFUSED/)
    other.close()
  })
})
