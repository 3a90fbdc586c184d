// METRICS_PORT of a running server: it serves only /metrics, and ends with the server. front-door.test.ts has the
// tokens.
import { createServer } from 'node:http'
import { request } from 'undici'
import { beforeAll, expect, it } from 'vitest'
import { freePort, run } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() => run({ settings: { HOST: '0.0.0.0' }, host: '127.0.0.1' }))
let port: string
beforeAll(async () => {
  port = String(await freePort())
  await running.restart({ METRICS_PORT: port })
})

const read = (path = '/metrics', at = port) => request(`http://127.0.0.1:${at}${path}`)

it('METRICS_PORT serves only /metrics', async () => {
  for (const path of ['/', '/healthz', '/onboarding', '/metricsx'])
    expect((await read(path)).statusCode, path).toBe(404)
})

it('METRICS_PORT is closed with the server, also with an open connection', async () => {
  expect(await (await read()).body.text()).toContain('onramp_')
  await running.stopOnramp()
  await expect(read()).rejects.toThrow(/ECONNREFUSED/)
})

it('a METRICS_PORT in use ends the start, and leaves nothing listening', async () => {
  const taken = String(await freePort())
  const other = createServer().listen(Number(taken), '0.0.0.0')
  await expect(running.restart({ METRICS_PORT: taken })).rejects.toThrow(
    /METRICS_PORT \d+ of HOST \S+ \(EADDRINUSE\): .+ change METRICS_PORT$/,
  )
  await expect(read('/metrics', new URL(running.url).port)).rejects.toThrow(/ECONNREFUSED/)
  other.close()
})
