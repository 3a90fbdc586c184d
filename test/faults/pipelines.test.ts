// Pipelined requests that no one reads the responses of, on many connections at once.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOnramp, statusOf, type OnrampProcess } from '../helpers/processes.ts'
import { run, type Running } from '../helpers/running.ts'

let running: Running
let onramp: OnrampProcess
beforeAll(async () => {
  running = await run()
  await running.stopOnramp()
  onramp = await startOnramp({ ...running.env, NODE_OPTIONS: '--max-old-space-size=128' })
})
afterAll(async () => {
  await onramp.end('SIGKILL')
  await running.close()
})

/** Until the server has closed the connection. */
const pour = (bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(running.url).port), host: 'localhost' })
    socket.on('error', () => {}).once('close', () => resolve())
    socket.write(bytes)
    socket.resume()
  })

it.each([
  ['plain ones', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['ones without Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['ones with an expectation that no one knows', 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'],
])(
  '%s, by the thousand on 300 connections, do not fill the memory',
  { timeout: 60_000 },
  async (_what, one) => {
    await Promise.all(Array.from({ length: 300 }, () => pour(one.repeat(1_500))))
    expect(onramp.hasEnded()).toBe(false)
    expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  },
)

it('six thousand requests that never end do not fill the memory', { timeout: 60_000 }, async () => {
  const half = 'POST /sign-out/backchannel HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nx'
  const sockets = Array.from({ length: 6_000 }, () => {
    const socket = connect({ port: Number(new URL(running.url).port), host: 'localhost' }).on(
      'error',
      () => {},
    )
    return socket.setEncoding('utf8').on('connect', () => socket.write(half))
  })
  await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(3_500)
  expect(onramp.hasEnded()).toBe(false)
  expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  for (const socket of sockets) socket.destroy()
})
