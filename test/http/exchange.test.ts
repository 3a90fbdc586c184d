// Requests that are sent again after a pooled connection was dead.
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { Dispatcher } from 'undici'
import { exchange } from '../../src/http/exchange.ts'
import { listen } from '../helpers/listen.ts'

type Sent = { method?: 'GET' | 'POST'; idempotent?: boolean }

/** Sends a request over a dispatcher whose connection fails. @returns the response's text, or the error's code */
async function exchangeAfter(failure: { code: string; wasAnswering?: boolean }, options: Sent) {
  const server = createServer((_req, res) => res.end('sent again'))
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${await listen(server)}`
  const dead = {
    request: () => Promise.reject(Object.assign(new Error('dead'), failure)),
  } as unknown as Dispatcher
  return await exchange(dead, { origin, path: '/', method: 'GET', ...options }, 5_000).then(
    ({ text }) => text,
    ({ code }: { code: string }) => code,
  )
}

const DROPPED = { code: 'ECONNRESET', wasAnswering: true }

it.each<[title: string, failure: typeof DROPPED, Sent, outcome: string]>([
  ['dropped GET', DROPPED, {}, 'sent again'],
  ['GET whose pipe broke', { ...DROPPED, code: 'EPIPE' }, {}, 'sent again'],
  ['dropped POST', DROPPED, { method: 'POST' }, 'ECONNRESET'],
  ['dropped idempotent POST', DROPPED, { method: 'POST', idempotent: true }, 'sent again'],
  ['GET that isn’t idempotent', DROPPED, { idempotent: false }, 'ECONNRESET'],
  ['GET on a new connection', { ...DROPPED, wasAnswering: false }, {}, 'ECONNRESET'],
  ['GET that timed out', { ...DROPPED, code: 'UND_ERR_HEADERS_TIMEOUT' }, {}, 'UND_ERR_HEADERS_TIMEOUT'],
])('a %s fails, or is sent again where that is safe', async (_title, failure, options, outcome) => {
  expect(await exchangeAfter(failure, options)).toBe(outcome)
})
