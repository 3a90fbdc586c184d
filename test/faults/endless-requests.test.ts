// Endless requests, and pipelined requests whose responses are never read, on many connections at once.
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { statusOf } from '../helpers/processes.ts'
import { run, startAlone } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(run)
const onramp = shared(() => startAlone(running, { NODE_OPTIONS: '--max-old-space-size=128' }))

/** Resolves once the server has closed the connection. */
const pour = (bytes: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ port: Number(new URL(running.url).port), host: 'localhost' })
    socket.on('error', () => {}).once('close', () => resolve())
    socket.write(bytes)
    socket.resume()
  })

it.each([
  ['plain requests', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['requests without Host', 'GET /healthz HTTP/1.1\r\n\r\n'],
  ['requests with an unknown expectation', 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\n\r\n'],
])(
  'thousands of pipelined %s on 300 connections don’t fill the memory',
  { timeout: 60_000 },
  async (_title, one) => {
    await Promise.all(Array.from({ length: 300 }, () => pour(one.repeat(1_500))))
    expect(onramp.hasEnded()).toBe(false)
    expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  },
)

const half = (body: string, head = 'Content-Length: 2') =>
  `POST /sign-out/backchannel HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n${body}`

// prettier-ignore
it.each([
  ['half a body', half('x'), '', { count: 6_000, minClosed: 3_000 }],
  [
    'half a body, after a body that ended late',
    half('x').replace('/sign-out/backchannel', '/healthz'),
    `x${half('x')}`,
    { count: 6_000, minClosed: 3_000 },
  ],
  ['chunks of one byte', half('1\r\nx\r\n'.repeat(15_000), 'Transfer-Encoding: chunked'), '', { count: 400, minClosed: 400 }],
])('endless requests (%s) don’t fill the memory', { timeout: 120_000 }, async (...row) => {
  const [, begin, then, { count, minClosed }] = row
  const port = Number(new URL(running.url).port)
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ port, host: 'localhost' }).on('error', () => {})
    // The rest is sent only after the first response.
    if (then !== '') socket.once('data', () => socket.write(then))
    return socket.resume().on('connect', () => socket.write(begin))
  })
  await expect.poll(() => sockets.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(minClosed)
  expect(onramp.hasEnded()).toBe(false)
  expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  for (const socket of sockets) socket.destroy()
})
