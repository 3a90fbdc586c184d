// Rate limits of an address, a sign-in and a person, by a stopped clock (requests come over one connection, in order),
// and of a network's requests that wait for the authorization server.
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import { afterEach, expect, it } from 'vitest'
import type { Problem } from '../../src/problem.ts'
import { createLimits, type Limits } from '../../src/web/rate-limit.ts'
import { collectGarbage, heldBytes } from '../helpers/heap.ts'
import { listen } from '../helpers/listen.ts'

const PER_MINUTE = 30
const ONRAMP = 'https://onramp.example'
const INTRANET = 'https://intranet.example'
const ADDRESS = '192.0.2.7'

type Target = { path: string; headers?: Record<string, string> }
type Refusal = { status: number; retryAfter: string | undefined }

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const signIn = (from = ADDRESS): Target => ({ path: '/sign-in', headers: { 'x-forwarded-for': from } })
const comeBack = (id: string): Target => ({ path: `/callback/${id}` })
/** A page that a signed-in person opens. */
const open = (headers: Record<string, string>, subject = 'ada', path = '/onboarding'): Target => ({
  path,
  headers: { ...headers, 'x-subject': subject },
})

// The requests are pipelined (RFC 9112 9.3.2), so that thousands take no second.
function requestText({ path, headers = {} }: Target, isLast: boolean): string {
  const all = { host: 'onramp.example', ...headers, ...(isLast && { connection: 'close' }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

const responsesIn = (received: string): string[] => received.split(/(?=HTTP\/1\.1 )/)

function refusalIn(response: string): Refusal | undefined {
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1])
  const retryAfter = /^retry-after: (\d+)/im.exec(response)?.[1]
  return status === 204 ? undefined : { status, retryAfter }
}

async function setUpLimit(perMinute = PER_MINUTE) {
  const clock = { now: 1_700_000_000_000 }
  const noted: object[] = []
  const limits = createLimits(
    { perNetwork: perMinute, publicUrl: ONRAMP },
    (event) => void noted.push(event),
    () => clock.now,
  )
  const accepted: RequestHandler = (_req, res) => void res.status(204).end()
  const refused: ErrorRequestHandler = ({ status, retryAfter = 0 }: Problem, _req, res, _next) =>
    void res.status(status).set('retry-after', String(retryAfter)).end()
  const app = express().set('trust proxy', 1)
  app.use((req, _res, next) => {
    const subject = req.get('x-subject')
    const user = { issuer: 'https://as.example', subject }
    req.session = { id: req.get('x-session'), ...(subject !== '' && { user }) } as never
    next()
  })
  app.get('/sign-in', limits.signingIn, accepted)
  app.get('/onboarding', limits.byPerson, accepted)
  app.get('/admin', limits.adminPages, accepted)
  app.get('/callback/:id', (req, res) => {
    limits.countCallback(req, req.params.id)
    res.status(204).end()
  })
  const { countCallback, countOptOut, countRejectedLogoutToken, ...handlers } = limits
  const counted = {
    countCallback,
    countOptOut,
    countRejectedLogoutToken: (req: Request) => countRejectedLogoutToken(req),
  }
  app.get('/limits/:name', (req, res, next) => {
    const name = req.params.name
    if (!(name in counted))
      return void handlers[name as keyof typeof KEYS & keyof typeof handlers](req, res, next)
    counted[name as keyof typeof counted](req, req.get('x-key') || undefined)
    next()
  })
  app.get('/limits/:name', accepted)
  app.use(refused)
  const server = createServer(app)
  closers.push(() => server.close().closeAllConnections())
  const port = await listen(server)
  /** @returns the refusal of each request, or undefined */
  async function send(...targets: Target[]): Promise<(Refusal | undefined)[]> {
    const socket = connect(port, '127.0.0.1')
    for (const [index, target] of targets.entries())
      socket.write(requestText(target, index === targets.length - 1))
    return responsesIn(await text(socket)).map(refusalIn)
  }
  /** The number of refusals among so many requests. */
  const refusals = async (count: number, target: Target) =>
    (await send(...Array.from({ length: count }, () => target))).filter((one) => one?.status === 429).length
  return { clock, noted, send, refusals, limits }
}

it.each([
  { seconds: 0, again: 0 },
  { seconds: 1.9, again: 0 },
  { seconds: 2, again: 1 },
  { seconds: 6, again: 3 },
  { seconds: 59, again: 29 },
  { seconds: 60, again: 30 },
  { seconds: 3_600, again: 30 },
  // A clock that is set back blocks no one.
  { seconds: -3_600, again: 0 },
])('an address at its limit can start $again sign-ins $seconds s later', async ({ seconds, again }) => {
  const { clock, refusals } = await setUpLimit()
  expect(await refusals(PER_MINUTE, signIn())).toBe(0)
  clock.now += seconds * 1000
  expect(await refusals(PER_MINUTE + 1, signIn())).toBe(PER_MINUTE + 1 - again)
  clock.now += 60_000
  expect(await refusals(PER_MINUTE, signIn())).toBe(0)
})

it('a counted address keeps none of the header from which the proxy’s client was read', async () => {
  const { send } = await setUpLimit()
  const addresses = 2_000
  const headerBytes = 8_000
  const from = (number: number) =>
    signIn(`${'x'.repeat(headerBytes)}, 198.151.${100 + (number >> 8)}.${100 + (number & 0xff)}`)
  await collectGarbage()
  const before = heldBytes()
  await send(...Array.from({ length: addresses }, (_, number) => from(number)))
  await collectGarbage()
  expect(heldBytes() - before).toBeLessThan((addresses * headerBytes) / 10)
})

it('one sign-in may return thirty times a minute, without slowing others', async () => {
  const { send, refusals } = await setUpLimit()
  expect(await refusals(31, comeBack('ada'))).toBe(1)
  expect(await send(comeBack('grace'), signIn())).toEqual([undefined, undefined])
})

/** What each limit counts by, without the shares of networks; `of`: the key; requests without it count by address. */
const KEYS = {
  signingIn: { of: 'address', sharedWith: ['countCallback'] },
  countCallback: { of: 'key', sharedWith: ['signingIn'] },
  signingOut: { of: 'session', sharedWith: [] },
  countOptOut: { of: 'key', sharedWith: [] },
  readingReports: { of: 'address', sharedWith: [] },
  byPerson: { of: 'subject', sharedWith: ['adminPages'] },
  adminPages: { of: 'subject', sharedWith: ['byPerson'] },
  sessionsPage: { of: 'subject', sharedWith: [] },
  countRejectedLogoutToken: { of: 'address', sharedWith: [] },
} satisfies Record<Exclude<keyof Limits, 'starting' | 'redeeming' | 'checkingLogoutToken'>, object>

const REQUESTER = { address: ADDRESS, subject: 'ada', session: 'one', key: 'mine' }
const OTHERS = { address: '198.51.100.7', subject: 'grace', session: 'two', key: 'yours' }
const requestOf = (name: string, { address, subject, session, key }: typeof REQUESTER): Target => ({
  path: `/limits/${name}`,
  headers: { 'x-forwarded-for': address, 'x-subject': subject, 'x-session': session, 'x-key': key },
})
const NAMES = Object.keys(KEYS) as (keyof typeof KEYS)[]

it.each(NAMES)('the limit %s counts by its own key alone', async (name) => {
  const { refusals } = await setUpLimit()
  const { of } = KEYS[name]
  expect(await refusals(201, requestOf(name, REQUESTER))).toBeGreaterThan(0)
  for (const attribute of Object.keys(OTHERS) as (keyof typeof OTHERS)[]) {
    const changed = { ...REQUESTER, [attribute]: OTHERS[attribute] }
    expect([attribute, await refusals(1, requestOf(name, changed))]).toEqual([
      attribute,
      Number(attribute !== of),
    ])
  }
})

it.each(NAMES)('the limit %s refuses no other stranger, and no other requests', async (name) => {
  const { refusals } = await setUpLimit()
  const { of, sharedWith } = KEYS[name]
  const [own, other] =
    of === 'subject' ? [{}, { subject: 'bob' }] : [{ subject: '' }, { address: '10.0.0.1' }]
  const stranger = { ...REQUESTER, key: '', ...own }
  await refusals(201, requestOf(name, stranger))
  expect(await refusals(1, requestOf(name, { ...stranger, ...other }))).toBe(0)
  const refused: string[] = []
  for (const one of NAMES) if ((await refusals(1, requestOf(one, stranger))) > 0) refused.push(one)
  expect(new Set(refused)).toEqual(new Set([name, ...sharedWith]))
})

// prettier-ignore
it.each([
  { opened: 'by another site don’t count', headers: { 'sec-fetch-site': 'cross-site' }, refused: 0 },
  { opened: 'by a sibling domain don’t count', headers: { 'sec-fetch-site': 'same-site' }, refused: 0 },
  { opened: 'by another site, in an old browser, don’t count', headers: { referer: `${INTRANET}/` }, refused: 0 },
  { opened: 'from the address bar count', headers: { 'sec-fetch-site': 'none' }, refused: 1 },
  { opened: 'by our page, in an old browser, count', headers: { referer: `${ONRAMP}/onboarding` }, refused: 1 },
  { opened: 'by a program count', headers: {}, refused: 1 },
])('pages opened $opened toward the limit of our own pages', async ({ headers, refused }) => {
  const { refusals } = await setUpLimit()
  expect(await refusals(201, open(headers))).toBe(1)
  expect(await refusals(1, open({ 'sec-fetch-site': 'same-origin' }))).toBe(refused)
  expect(await refusals(1, open(headers, 'grace'))).toBe(0)
})

it('admin pages that another site opens don’t count toward the admin’s limit', async () => {
  const { refusals } = await setUpLimit()
  const openFrom = (site: string) => open({ 'sec-fetch-site': site }, 'ada', '/admin')
  expect(await refusals(5, openFrom('cross-site'))).toBe(1)
  expect(await refusals(200, openFrom('same-origin'))).toBe(0)
  expect(await refusals(1, open({ 'sec-fetch-site': 'same-origin' }))).toBe(1)
  expect(await refusals(200, open({ 'sec-fetch-site': 'cross-site' }))).toBe(0)
})

it('a rejected request gets Retry-After until a tenth is free, and is logged once', async () => {
  const { send, refusals, noted } = await setUpLimit()
  await refusals(PER_MINUTE, signIn())
  expect(await send(signIn())).toEqual([{ status: 429, retryAfter: '6' }])
  expect(noted).toMatchObject([{ event: 'limited', what: 'address' }])
})

it('beyond the maximum number of networks, the least recently used is forgotten', async () => {
  const { send, limits } = await setUpLimit(2)
  const addressOf = (network: number) => `2001:db8:0:${network.toString(16)}::1`
  const from = (network: number) => signIn(addressOf(network))
  // Without HTTP, which would take a second.
  for (let network = 0; network < 19_999; network++)
    limits.countCallback({ ip: addressOf(network) } as Request)
  const [known, forgotten] = [0, 1]
  const last = await send(...[known, known, 19_999, 20_000, known, forgotten, forgotten].map(from))
  expect(last.map((one) => one !== undefined)).toEqual([false, true, false, false, true, false, false])
})

const waitingLimits = createLimits({ perNetwork: 1, publicUrl: ONRAMP }, () => {}, Date.now)

/** Begins requests that wait, of one network; every other one fails at the end. @returns accepted ones, a refusal */
async function begin(
  share: 'starting' | 'redeeming' | 'checkingLogoutToken',
  network: number,
  count: number,
) {
  const req = { ip: `10.0.${network >> 8}.${network & 255}`, session: {} } as unknown as Request
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let accepted = 0
  const work = () => (accepted++ % 2 === 0 ? ended : ended.then(() => Promise.reject(new Error('failed'))))
  const requests = Array.from({ length: count }, () => waitingLimits[share](req, work))
  const all = Promise.allSettled(requests)
  const refusal: unknown = accepted < count && (await requests.at(-1)?.catch((error: unknown) => error))
  return { accepted, refusal, end: () => (end(), all) }
}

// prettier-ignore
it.each([
  { what: 'begin sign-ins', share: 'starting', ofNetwork: 100, others: 29, each: 9, own: 10, code: 'too_many' },
  { what: 'redeem codes', share: 'redeeming', ofNetwork: 100, others: 29, each: 9, own: 30, code: 'too_many' },
  { what: 'redeem codes', share: 'redeeming', ofNetwork: 100, others: 599, each: 2, own: 2, code: 'too_many' },
  { what: 'post logout tokens', share: 'checkingLogoutToken', ofNetwork: 500, others: 29, each: 9, own: 23, code: 'too_many_requests' },
] as const)('a network may $what at once: $ofNetwork alone, $own beside $others others', async (row) => {
  const { share, ofNetwork, each, code } = row
  // More in sum than all networks may have at once.
  for (let network = 0; network < 30; network++) {
    const { accepted, refusal, end } = await begin(share, network, ofNetwork + 1)
    expect([network, accepted, refusal]).toMatchObject([network, ofNetwork, { code, retryAfter: 5 }])
    await end()
  }

  const others = await Promise.all(Array.from({ length: row.others }, (_, n) => begin(share, n, each)))
  const own = await begin(share, 999, ofNetwork)
  expect([...new Set(others.map(({ accepted }) => accepted)), own.accepted]).toEqual([each, row.own])
  await Promise.all([...others, own].map(({ end }) => end()))
})
