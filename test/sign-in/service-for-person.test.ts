// One person with many tabs, and many people: a few pages at once, the others queued.
import { setImmediate as nextTurn } from 'node:timers/promises'
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { afterEach, expect, it, vi } from 'vitest'
import { AccessTokenRejected } from '../../src/client-api/errors.ts'
import type { ListedApp } from '../../src/client-api/responses.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { Problem } from '../../src/problem.ts'
import { SignInAgain } from '../../src/sign-in/require-sign-in.ts'
import { ServiceForPerson } from '../../src/sign-in/service-for-person.ts'

afterEach(() => void vi.useRealTimers())

type Deps = ConstructorParameters<typeof ServiceForPerson>[0]
const uncalled = () => Promise.reject(new Error('not called here'))
const serviceWith = (serviceClient: Partial<Deps['serviceClient']>, own: Partial<Deps> = {}) =>
  new ServiceForPerson({
    serviceClient: { search: uncalled, checkDatasourceAuth: uncalled, ...serviceClient },
    tokenRefresh: { refresh: () => Promise.resolve(undefined) },
    isExternalIdp: false,
    callbackUrl: '',
    company: neutralCompany,
    audit: () => {},
    now: () => 0,
    ...own,
  })
const requestOf = (subject: string, tokens: object = {}) => {
  const session = { user: { issuer: '', subject }, tokens: { accessToken: subject, issuedAt: 0, ...tokens } }
  return { session } as unknown as express.Request
}

/** A service whose responses a test releases. */
function slowService() {
  /** The queries of pending calls, in order. */
  const answers = new Map<string, () => void>()
  const requests: string[] = []
  const pages = new Map<string, AbortController>()
  let arrived = 0
  let most = 0
  const service = serviceWith({
    async search(_credentials, { query }) {
      requests.push(query)
      await new Promise<void>((resolve) => {
        answers.set(query, resolve)
        most = Math.max(most, answers.size)
      })
      answers.delete(query)
      if (query === 'fails') throw new Problem(503, 'search_unavailable')
      return { results: [], requestId: undefined }
    },
  })
  const failed: ErrorRequestHandler = (error: Problem, _req, res, _next) =>
    void res.status(error.status ?? 500).json({ code: error.code, retryAfter: error.retryAfter })
  const app = express()
    .get('/:person/:query', async (req, res) => {
      const { person, query } = req.params
      Object.assign(req, requestOf(person))
      const page = new AbortController()
      pages.set(query, page)
      arrived++
      res.json(await service.search(req, { query, pageSize: 1 }, page.signal))
    })
    .use(failed)
  /** Resolves once the page has queued its call. */
  const open = async (person: string, query: string) => {
    const before = arrived
    const page = Promise.resolve(request(app).get(`/${person}/${query}`))
    await expect.poll(() => arrived, { interval: 1 }).toBe(before + 1)
    return { page }
  }
  async function openAll(person: string, queries: string[]) {
    const opened: Promise<request.Response>[] = []
    for (const query of queries) opened.push((await open(person, query)).page)
    return opened
  }
  const respondTo = async (query: string) => {
    await expect.poll(() => answers.has(query), { interval: 1 }).toBe(true)
    answers.get(query)?.()
  }
  const drop = (query: string) => pages.get(query)?.abort(new Problem(500, 'internal'))
  return { open, openAll, answer: respondTo, requests, drop, most: () => most }
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `q${index}`)

it('someone with 190 open pages has eight calls at once', async () => {
  const { open, openAll, answer, requests, most } = slowService()
  const queries = numbered(190)
  const pages = await openAll('ada', queries)
  expect(requests).toEqual(queries.slice(0, 8))

  const other = await open('grace', 'hers')
  await answer('hers')
  expect((await other.page).status).toBe(200)
  expect(requests).toEqual([...queries.slice(0, 8), 'hers'])

  for (const query of queries) await answer(query)
  expect(new Set((await Promise.all(pages)).map(({ status }) => status))).toEqual(new Set([200]))
  expect(requests.filter((query) => query !== 'hers')).toEqual(queries)
  expect(most()).toBe(9)
})

it('a page closed while its call is queued never calls the service', async () => {
  const { open, openAll, answer, requests, drop } = slowService()
  const first = await openAll('ada', numbered(8))
  const dropped = await open('ada', 'dropped')
  const last = await open('ada', 'last')
  drop('dropped')
  expect((await dropped.page).status).toBe(500)
  for (const query of [...numbered(8), 'last']) await answer(query)
  await Promise.all([...first, last.page])
  expect(requests).toEqual([...numbered(8), 'last'])
})

it('a failed call makes room for the next one', async () => {
  const { openAll, answer, requests } = slowService()
  const pages = await openAll('ada', ['fails', ...numbered(8)])
  for (const query of ['fails', ...numbered(8)]) await answer(query)
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([503, ...Array<number>(8).fill(200)])
  expect(requests).toHaveLength(9)
})

it('the 209th simultaneous call of one person gets 429, and the 208th is queued', async () => {
  const { open, openAll, answer } = slowService()
  const queries = numbered(208)
  const pages = await openAll('ada', queries)
  const { page } = await open('ada', 'more')
  const { status, body } = await page
  expect([status, body]).toEqual([429, { code: 'too_many_requests', retryAfter: 10 }])
  for (const query of queries) await answer(query)
  expect(new Set((await Promise.all(pages)).map((done) => done.status))).toEqual(new Set([200]))
})

/** Checks for people's pages, which a test finishes, and the audited refusals. @param respond instead of the test */
function slowChecks(respond?: () => Promise<ListedApp[]>) {
  const running: (() => void)[] = []
  const started: string[] = []
  const audited: unknown[] = []
  const failures: Problem[] = []
  const checkDatasourceAuth: Deps['serviceClient']['checkDatasourceAuth'] = async (credentials) => {
    if (credentials.kind === 'oauth') started.push(credentials.accessToken)
    if (respond !== undefined) return await respond()
    await new Promise<void>((resolve) => running.push(resolve))
    return []
  }
  const service = serviceWith({ checkDatasourceAuth }, { audit: ({ event }) => void audited.push(event) })
  const checks: Promise<unknown>[] = []
  /** Opens pages, each of which has one check. */
  const check = (subject: string, times: number, kind: 'own' | 'otherSite' | 'widget') => {
    for (let n = 0; n < times; n++) {
      const req = requestOf(subject)
      const page = service.inTurn(req, { kind }, () => service.checkDatasourceAuth(req))
      checks.push(page.catch((problem: Problem) => (failures.push(problem), problem.status)))
    }
  }
  const finishAll = async () => {
    do {
      for (const finish of running.splice(0)) finish()
      await nextTurn()
    } while (running.length > 0)
    const results = await Promise.all(checks.splice(0))
    return { refusals: results.filter((result) => result === 429).length }
  }
  return { service, check, finishAll, audited, running, started, failures }
}

it.each([
  ['have expired', 1],
  ['were rejected by the service', 9_000_000],
])('people whose tokens %s take no turn from others while they are refreshed', async (_title, expiresAt) => {
  const checkDatasourceAuth: Deps['serviceClient']['checkDatasourceAuth'] = async (credentials) => {
    if (credentials.kind === 'oauth' && credentials.accessToken !== 'ada')
      throw new AccessTokenRejected('invalid_token')
    return await Promise.resolve([])
  }
  const refresh = () => new Promise<never>(() => {})
  const service = serviceWith({ checkDatasourceAuth }, { tokenRefresh: { refresh }, now: () => 1_000_000 })
  const open = (subject: string, expires: number) => {
    const req = requestOf(subject, { refreshToken: 'refresh', expiresAt: expires })
    return service.inTurn(req, {}, () => service.checkDatasourceAuth(req))
  }
  for (let n = 0; n < 200; n++) void open(`person ${n}`, expiresAt)
  await nextTurn()
  await expect(open('ada', 9_000_000)).resolves.toEqual([])
})

it('a page whose session ends during an early refresh leads to the sign-in', async () => {
  vi.useFakeTimers()
  const refresh = (req: Partial<express.Request>) => {
    delete req.session
    return new Promise<never>(() => {})
  }
  const service = serviceWith({}, { tokenRefresh: { refresh }, now: () => 9_000_000 })
  const req = requestOf('ada', { refreshToken: 'refresh', expiresAt: 9_001_000 })
  const page = service
    .inTurn(req, {}, () => service.checkDatasourceAuth(req))
    .catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(1_100)
  expect(await page).toBeInstanceOf(SignInAgain)
})

it('pages that wait for tokens are counted among those of the person', async () => {
  const refresh = () => new Promise<never>(() => {})
  const service = serviceWith({}, { tokenRefresh: { refresh }, now: () => 1_000_000 })
  const open = (subject: string) => {
    const req = requestOf(subject, { refreshToken: 'refresh', expiresAt: 1 })
    return Promise.race([service.inTurn(req, {}, () => service.checkDatasourceAuth(req)), nextTurn('waits')])
  }
  for (let n = 0; n < 208; n++) await expect(open('ada')).resolves.toBe('waits')
  await expect(open('ada')).rejects.toMatchObject({ status: 429 })
  await expect(open('grace')).resolves.toBe('waits')
})

it('another site’s pages may have twenty calls of a person, or two in a crowd', async () => {
  const { check, finishAll, audited } = slowChecks()
  check('ada', 20, 'otherSite')
  check('ada', 1, 'otherSite')
  expect([await finishAll(), audited]).toEqual([{ refusals: 1 }, ['limited']])

  for (const n of Array(25).keys()) check(`visitor ${n}`, 20, 'otherSite')
  check('ada', 2, 'otherSite')
  check('ada', 1, 'otherSite')
  expect(await finishAll()).toEqual({ refusals: 1 })

  check('ada', 20, 'otherSite')
  expect(await finishAll()).toEqual({ refusals: 0 })
})

it('another site’s pages keep no own page waiting', async () => {
  const { check, finishAll, running } = slowChecks()
  for (const n of Array(25).keys()) check(`visitor ${n}`, 20, 'otherSite')
  await nextTurn()
  expect(running).toHaveLength(64)
  check('visitor 1', 9, 'own')
  await nextTurn()
  expect(running).toHaveLength(72)
  expect(await finishAll()).toEqual({ refusals: 0 })
})

it('people whose calls wait for another site’s pages take turns', async () => {
  const { check, finishAll, running, started } = slowChecks()
  for (const n of Array(4).keys()) check(`visitor ${n}`, 20, 'otherSite')
  check('ada', 2, 'otherSite')
  await nextTurn()
  expect(started).toHaveLength(64)

  for (const finish of running.splice(0, 4)) finish()
  await nextTurn()

  expect(started.slice(64)).toEqual(['visitor 3', 'ada', 'visitor 3', 'ada'])
  expect(await finishAll()).toEqual({ refusals: 0 })
  expect(started).toHaveLength(82)
})

it('of 300 people’s own pages 128 are under way, and each has its turn', async () => {
  const { check, finishAll, running, started } = slowChecks()
  for (const n of Array(300).keys()) check(`person ${n}`, 1, 'own')
  await nextTurn()
  expect(running).toHaveLength(128)
  expect(await finishAll()).toEqual({ refusals: 0 })
  expect(started).toHaveLength(300)
})

it.each([
  { kind: 'own', more: 'otherSite', max: 128, seconds: 10 },
  { kind: 'widget', more: 'own', max: 64, seconds: 5 },
] as const)(
  'a check ($kind) fails after $seconds seconds without a turn',
  async ({ kind, more, ...rule }) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { check, finishAll, running, failures } = slowChecks()
    for (const n of Array(rule.max + 1).keys()) check(`person ${n}`, 1, kind)
    for (const n of Array(64).keys()) check(`visitor ${n}`, 1, more)
    await nextTurn()
    expect(running).toHaveLength(rule.max + 64)
    vi.advanceTimersByTime(rule.seconds * 1_000 - 1)
    await nextTurn()
    expect(failures).toEqual([])
    vi.advanceTimersByTime(60_000)
    await nextTurn()
    // Those under way have as long as they need.
    const failure = { status: 503, code: 'service_unavailable', retryAfter: 5 }
    expect(failures).toEqual([expect.objectContaining(failure)])
    expect(await finishAll()).toEqual({ refusals: 0 })
    expect(failures).toHaveLength(1)
  },
)

it('a page whose browser has gone before its turn makes no check', async () => {
  const { service, started } = slowChecks()
  const req = requestOf('ada')
  const gone = AbortSignal.abort(new Error('gone'))
  await expect(service.inTurn(req, { signal: gone }, () => service.checkDatasourceAuth(req))).rejects.toThrow(
    'gone',
  )
  expect(started).toEqual([])
})

it.each([
  [100, 9],
  [101, 4],
])('of nine pages with %i apps each, %i work at once', async (apps, atMost) => {
  const list = Array.from({ length: apps }, (_, n) => ({
    instance: `app${n}_1`,
    name: '',
    status: 'awaiting' as const,
  }))
  const { service } = slowChecks(() => Promise.resolve(list))
  const working: (() => void)[] = []
  const pages = Array.from({ length: 9 }, (_, n) => {
    const req = requestOf(`${n}`)
    return service.inTurn(req, {}, async () => {
      await service.checkDatasourceAuth(req)
      await new Promise<void>((resolve) => working.push(resolve))
    })
  })
  await nextTurn()
  expect(working).toHaveLength(atMost)
  for (let finished = 0; finished < 9; finished++) {
    working.shift()?.()
    await nextTurn()
  }
  await Promise.all(pages)
})

it('a person with many pages keeps no slot from others', async () => {
  const { check, finishAll, running, started } = slowChecks()
  check('eve', 200, 'own')
  for (const n of Array(119).keys()) check(`person ${n}`, 1, 'own')
  check('ada', 2, 'own')
  await nextTurn()
  expect(running).toHaveLength(8 + 119 + 1)
  for (const finish of running.splice(0, 2)) finish()
  await nextTurn()
  expect(started.slice(-2)).toEqual(['eve', 'ada'])
  expect(await finishAll()).toEqual({ refusals: 0 })
})
