// One person with many tabs and a slow service: a few calls at once, the others queued, and other people unaffected.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import type { Credentials } from '../../src/client-api/credentials.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { Problem } from '../../src/problem.ts'
import { ServiceForPerson } from '../../src/sign-in/service-for-person.ts'

/** A service whose responses a test releases. */
function slowService() {
  /** The queries of pending calls, in order. */
  const answers = new Map<string, () => void>()
  const requests: string[] = []
  const pages = new Map<string, AbortController>()
  const checks: (() => void)[] = []
  let arrived = 0
  let most = 0
  const service = new ServiceForPerson({
    serviceClient: {
      async search(_credentials: Credentials, { query }) {
        requests.push(query)
        await new Promise<void>((resolve) => {
          answers.set(query, resolve)
          most = Math.max(most, answers.size)
        })
        answers.delete(query)
        if (query === 'fails') throw new Problem(503, 'search_unavailable')
        return { results: [], requestId: undefined }
      },
      async checkDatasourceAuth() {
        await new Promise<void>((resolve) => checks.push(resolve))
        return []
      },
    },
    tokenRefresh: { refresh: () => Promise.resolve(undefined) },
    isExternalIdp: false,
    callbackUrl: '',
    company: neutralCompany,
    now: () => 0,
  })
  const failed: ErrorRequestHandler = (error: Problem, _req, res, _next) =>
    void res.status(error.status ?? 500).json({ code: error.code, retryAfter: error.retryAfter })
  const app = express()
    .get('/:person/:query', async (req, res) => {
      const { person: subject, query } = req.params
      const session = { user: { issuer: '', subject }, tokens: { accessToken: '', issuedAt: 0 } }
      Object.assign(req, { session })
      const page = new AbortController()
      pages.set(query, page)
      arrived++
      const isForOtherSite = query.startsWith('linked')
      res.json(
        isForOtherSite
          ? await service.check(req, { isForOtherSite })
          : await service.search(req, { query, pageSize: 1 }, page.signal),
      )
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
    const pages: Promise<request.Response>[] = []
    for (const query of queries) pages.push((await open(person, query)).page)
    return pages
  }
  const respondTo = async (query: string) => {
    await expect.poll(() => answers.has(query), { interval: 1 }).toBe(true)
    answers.get(query)?.()
  }
  const drop = (query: string) => pages.get(query)?.abort(new Problem(500, 'internal'))
  const finishChecks = () => checks.splice(0).map((finish) => finish()).length
  return { open, openAll, answer: respondTo, requests, drop, finishChecks, most: () => most }
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

it('pages that another site opens never wait, and keep no own page waiting', async () => {
  const { open, openAll, answer, finishChecks } = slowService()
  const linked = await openAll('ada', ['linked1', 'linked2', 'linked3', 'linked4'])
  const fifth = await open('ada', 'linked5')
  expect((await fifth.page).status).toBe(429)
  const others = await openAll('grace', ['linked6'])

  const own = await openAll('ada', numbered(8))
  for (const query of numbered(8)) await answer(query)
  expect((await Promise.all(own)).map(({ status }) => status)).toEqual(Array(8).fill(200))

  expect(finishChecks()).toBe(5)
  expect((await Promise.all([...linked, ...others])).map(({ status }) => status)).toEqual(Array(5).fill(200))
  const again = await openAll('ada', ['linked7'])
  expect(finishChecks()).toBe(1)
  expect((await Promise.all(again))[0]?.status).toBe(200)
})
