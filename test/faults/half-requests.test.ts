// An unfinished request holds its connection no longer than documented in docs/operations.md.
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { run } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(run)

const HEAD = [
  'POST /sign-out/backchannel HTTP/1.1',
  'Host: onramp',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Length: 100',
  '',
].join('\r\n')

it.concurrent.each([
  { what: 'nothing', sent: '', seconds: 10 },
  { what: 'half its headers', sent: HEAD, seconds: 10 },
  { what: 'half its body', sent: `${HEAD}\r\nlogout_token=`, seconds: 30 },
])('a connection that sends $what is closed with 408 after $seconds s', async ({ sent, seconds }) => {
  const { hostname, port } = new URL(running.url)
  const socket = connect(Number(port), hostname)
  const began = performance.now()
  let response = ''
  socket.setEncoding('utf8').on('data', (text: string) => (response += text))
  socket.write(sent)
  await once(socket, 'close')
  expect(response).toMatch(/^HTTP\/1\.1 408 /)
  const took = (performance.now() - began) / 1000
  expect(took).toBeGreaterThan(seconds - 1)
  // Node's default interval gave 30 and 60 seconds; a busy machine takes longer.
  expect(took).toBeLessThan(seconds + 8)
})
