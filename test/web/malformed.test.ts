// Malformed HTTP requests: answered like Node, counted and logged.
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { sendRaw } from '../helpers/raw-request.ts'
import { run } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const TOKEN = 'a-token-for-the-metrics'
const METRICS = { headers: { authorization: `Bearer ${TOKEN}` } }

const running = shared(() => run({ settings: { METRICS_TOKEN: TOKEN } }))

/** Writes bytes, and reads until the server closes the connection. */
const send = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(running.url)
    const socket = connect({ port: Number(port), host: 'localhost' }, () => socket.write(bytes))
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })

async function problems(code: string): Promise<number> {
  const { body } = await sendRaw(running.url, '/metrics', METRICS)
  return Number(new RegExp(`onramp_problems_total\\{code="${code}"\\} (\\d+)`).exec(body)?.[1] ?? 0)
}

const linesOf = (code: string) => running.log.filter((line) => line.includes(`"cause":"${code}"`))

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const GET = 'GET /healthz HTTP/1.1\r\nHost: x\r\n'
const POST = 'POST /sign-out HTTP/1.1\r\nHost: x\r\n'
const LOGOUT = `POST /sign-out/backchannel HTTP/1.1\r\nHost: x\r\n${FORM}`
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`
const TEXTS: Record<number, RegExp> = {
  413: /^The request body is too large\.\n$/,
  431: /16 KiB of headers, or more than 100.*delete the cookies of this site.*again/,
}

it.each([
  ['bytes that aren’t HTTP', 'NONSENSE\r\n\r\n', 400, 'HPE_INVALID_METHOD'],
  ['a header without end', `${GET}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'HPE_HEADER_OVERFLOW'],
  ['101 headers', `${GET}${'x: 1\r\n'.repeat(100)}\r\n`, 431, 'TOO_MANY_HEADERS'],
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'NO_HOST'],
  ['an unknown expectation', `${GET}Expect: x\r\n\r\n`, 417, 'UNKNOWN_EXPECTATION'],
  ['a body over the limit', `${POST}Content-Length: 65537\r\n\r\n`, 413, 'BODY_TOO_LARGE'],
  ['a body in 129 chunks', `${LOGOUT}${CHUNKED}\r\n${chunk(1).repeat(129)}`, 413, 'BODY_TOO_LARGE'],
  [
    'two lengths at once',
    `${POST}Content-Length: 1\r\n${CHUNKED}\r\n0\r\n\r\n`,
    400,
    'HPE_INVALID_TRANSFER_ENCODING',
  ],
])('a malformed request (%s) is refused, counted and logged once', async (_title, bytes, status, cause) => {
  const code = status === 413 || status === 431 ? 'too_large' : 'bad_request'
  const before = await problems(code)
  const linesBefore = running.log.length
  const response = await send(bytes)
  const [head = '', body] = response.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z][^]*\r\nConnection: close$`))
  // A person with too many cookies gets advice.
  expect(body).toMatch(TEXTS[status] ?? /^$/)
  expect(await problems(code)).toBe(before + 1)
  const lines = running.log.slice(linesBefore).map((line) => JSON.parse(line) as object)
  expect(lines).toMatchObject([{ code, status, cause }])
  expect((await sendRaw(running.url, '/healthz')).status).toBe(200)
})

it.each([
  ['plain ones', 'Host: x\r\n', 400],
  ['ones without Host', '', 400],
  ['ones with an unknown expectation', 'Host: x\r\nExpect: x\r\n', 417],
  ['ones that wait for 100 Continue', 'Host: x\r\nExpect: 100-continue\r\n', 400],
])('pipelined requests are refused, because unread responses fill the memory: %s', async (...row) => {
  const [, headers, status] = row
  const lines = () => linesOf('PIPELINED').length + linesOf('UNKNOWN_EXPECTATION').length
  const before = lines()
  const response = await send(`${GET}\r\n${`GET /healthz HTTP/1.1\r\n${headers}\r\n`.repeat(700)}`)
  expect(response.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
  expect(lines()).toBe(before + 1)
})

const CLOSE = 'Connection: close\r\n'

it.each([
  ['a hundred headers', `${GET}${'x: 1\r\n'.repeat(98)}${CLOSE}\r\n`, 200],
  ['data after its end', `${GET}\r\nNONSENSE\r\n\r\n`, 400],
  ['a body of 64 KiB', `${POST}Content-Length: 65536\r\n${CLOSE}\r\n${'a'.repeat(65_536)}`, 303],
  ['chunks of 64 KiB', `${POST}${CHUNKED}${CLOSE}\r\n${chunk(65_000)}${chunk(536)}0\r\n\r\n`, 303],
  ['a body announced as longer', `${POST}Content-Length: 65537\r\n\r\n`, 413],
  ['an endless body that no one reads', `${GET}${FORM}${CHUNKED}\r\n${chunk(65_537)}`, 413],
  ['an endless form with a smaller limit', `${LOGOUT}${CHUNKED}\r\n${chunk(65_000)}${chunk(537)}`, 413],
])('a request with %s gets one response, and its connection is closed', async (_title, bytes, status) => {
  expect((await send(bytes)).match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`])
})

it('a body in thousands of tiny chunks costs less than four times as much', async () => {
  const costOf = async (body: string) => {
    const began = process.cpuUsage()
    for (let times = 0; times < 50; times++) await send(`${POST}${CLOSE}${CHUNKED}\r\n${body}0\r\n\r\n`)
    const { user, system } = process.cpuUsage(began)
    return user + system
  }
  await costOf(chunk(1))
  // It costs twice as much, and 12 times if Node creates an object for each chunk.
  expect(await costOf(chunk(1).repeat(10_000))).toBeLessThan(4 * (await costOf(chunk(60_000))))
})

// Node reuses the parsers of the requests that were refused above.
it('a logout token in chunks is read', async () => {
  const response = await send(`${LOGOUT}${CLOSE}${CHUNKED}\r\ne\r\nlogout_token=x\r\n0\r\n\r\n`)
  expect(response).toMatch(/^HTTP\/1.1 400 .*[^]*the token/)
})

it.each(['gzip', 'deflate', 'br'])(
  'a body with Content-Encoding %s is refused without unpacking it',
  async (coding) => {
    for (const path of ['/sign-out/backchannel', '/invite/x/opt-out']) {
      const before = await problems('bad_request')
      // Half a body: a parser that unpacks it would wait for the rest.
      const head = `Host: x\r\n${FORM}Content-Encoding: ${coding}\r\nContent-Length: 900\r\n${CLOSE}`
      const response = await send(`POST ${path} HTTP/1.1\r\n${head}\r\nabc`)
      expect(response).toMatch(/^HTTP\/1.1 4\d\d /)
      expect(await problems('bad_request')).toBe(before + 1)
    }
  },
)
