// The doctor asks every server that onramp is set to talk to, and its own address, for a certificate.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { certificatesCheck } from '../../src/doctor/certificates.ts'

/** The first byte of each connection; 22 begins a TLS handshake (RFC 8446 5.1). */
const firstBytes: (number | undefined)[] = []
let server: Server
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', ([first]) => {
      firstBytes.push(first)
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
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
  const { port } = server.address() as AddressInfo
  await certificatesCheck.collect({ [setting]: `${scheme}://127.0.0.1:${port}` })
  expect(firstBytes).toEqual(expected)
})
