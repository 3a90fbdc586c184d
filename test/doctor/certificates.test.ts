// The doctor asks every server that onramp is set to talk to, and its own address, for a certificate.
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { certificatesCheck } from '../../src/doctor/certificates.ts'
import { listen } from '../helpers/listen.ts'

/** The first byte of each connection; 22 begins a TLS handshake (RFC 8446 5.1). */
const firstBytes: (number | undefined)[] = []
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.once('data', ([first]) => {
    firstBytes.push(first)
    socket.destroy()
  })
})
let port: number
beforeAll(async () => void (port = await listen(server)))
afterAll(() => void server.close())

it.each([
  ['PUBLIC_URL', 'https', [22]],
  ['SERVICE_BASE_URL', 'https', [22]],
  ['OIDC_ISSUER', 'https', [22]],
  ['SMTP_URL', 'smtps', [22]],
  ['REDIS_URL', 'rediss', [22]],
  ['WEBHOOK_URL', 'https', [22]],
  ['SMTP_URL', 'smtp', []],
  ['REDIS_URL', 'redis', []],
  ['SERVICE_BASE_URL', 'http', []],
])('the server of %s is asked for its certificate by TLS: %s', async (setting, scheme, expected) => {
  firstBytes.length = 0
  await certificatesCheck.collect({ [setting]: `${scheme}://127.0.0.1:${port}` })
  expect(firstBytes).toEqual(expected)
})
