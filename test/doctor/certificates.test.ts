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
  ['PUBLIC_URL', 'https', 'a TLS handshake', [22]],
  ['SERVICE_BASE_URL', 'https', 'a TLS handshake', [22]],
  ['OIDC_ISSUER', 'https', 'a TLS handshake', [22]],
  ['SMTP_URL', 'smtps', 'a TLS handshake', [22]],
  ['REDIS_URL', 'rediss', 'a TLS handshake', [22]],
  ['WEBHOOK_URL', 'https', 'a TLS handshake', [22]],
  ['SMTP_URL', 'smtp', 'nothing', []],
  ['REDIS_URL', 'redis', 'nothing', []],
  ['SERVICE_BASE_URL', 'http', 'nothing', []],
])('the check of certificates sends the server in %s (%s) %s', async (setting, scheme, _title, expected) => {
  firstBytes.length = 0
  await certificatesCheck.collect({ [setting]: `${scheme}://127.0.0.1:${port}` })
  expect(firstBytes).toEqual(expected)
})
