// Searches with the person's token: only from our own page, a typed address or a bookmark, never by another site's
// link.
import request from 'supertest'
import { expect, it, vi } from 'vitest'
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { createSearchRoutes } from '../../src/search/routes.ts'
import { ServiceForPerson } from '../../src/sign-in/service-for-person.ts'
import { sendJson, signedInApp } from '../helpers/json-pages.ts'

const ORIGIN = 'https://onramp.example'
const EVIL = 'https://evil.example'

/** Follows redirects with the same Fetch Metadata headers, as browsers do. */
async function open(path: string, headers: Record<string, string>, isDropped = false) {
  const calls: string[] = []
  let signal: AbortSignal | null | undefined
  const routes = createSearchRoutes({
    limit: (_req, _res, next) => next(),
    publicUrl: ORIGIN,
    service: new ServiceForPerson({
      serviceClient: {
        async search(_credentials, { query }, gone) {
          calls.push(query)
          signal = gone
          if (isDropped) await new Promise(() => {})
          return { results: [], requestId: undefined }
        },
        checkDatasourceAuth: () => Promise.reject(new Error('not checked here')),
      },
      tokenRefresh: { refresh: () => Promise.resolve(undefined) },
      audit: () => {},
      isExternalIdp: false,
      callbackUrl: `${ORIGIN}/onboarding/callback`,
      company: neutralCompany,
      now: () => 0,
    }),
    describeIn: createAppDescriptions(neutralCompany),
    sendPage: sendJson,
  })
  const app = signedInApp(() => ({ issuer: '', subject: 'ada' }), 0, routes)
  const page = request(app).get(path).set(headers).redirects(1)
  if (isDropped) {
    page.catch(() => {})
    await vi.waitUntil(() => signal !== undefined)
    page.abort()
    return { calls, gone: () => signal?.aborted, page: {}, address: '' }
  }
  const { body, redirects, status } = await page
  expect(status).toBe(200)
  const address = new URL(redirects.at(-1) ?? path, ORIGIN).search
  return { calls, gone: () => signal?.aborted, page: body as Record<string, unknown>, address }
}

const from = (site: string) => ({ 'sec-fetch-site': site })

it.each<[string, Record<string, string>]>([
  ['our own page', from('same-origin')],
  ['the address bar or a bookmark', from('none')],
  ['an older browser without Fetch Metadata', {}],
  ['our own page in an older browser', { referer: `${ORIGIN}/search` }],
])('a search from %s is made', async (_title, headers) => {
  const { calls, page } = await open('/search?q=layoffs', headers)
  expect(calls).toEqual(['layoffs'])
  expect(page['query']).toBe('layoffs')
  expect(page['heading']).toBeDefined()
})

it.each<[string, Record<string, string>, string?]>([
  ['another site', from('cross-site')],
  ['a neighbor on the same domain', from('same-site')],
  ['another site in an older browser', { referer: `${EVIL}/` }],
  ['another program, to a page that another site filled in', from('none'), '&unattended=yes'],
  ['our own page, which loads again on its own', from('same-origin'), '&unattended=yes'],
])('a search from %s is only filled in, not made', async (_title, headers, more = '') => {
  const { calls, page } = await open(`/search?q=layoffs${more}`, headers)
  expect(calls).toEqual([])
  expect(page['query']).toBe('layoffs')
  expect(page['heading']).toBeUndefined()
})

it('a page that another site filled in doesn’t search, also after a change of language', async () => {
  const { address } = await open('/search?q=layoffs', from('cross-site'))
  const own = from('same-origin')
  expect((await open(`/search${address}&lang=de`, own)).calls).toEqual([])
  expect((await open('/search?q=layoffs', own)).calls).toEqual(['layoffs'])
})

it('an empty search makes no request', async () => {
  expect((await open('/search?q=+', from('none'))).calls).toEqual([])
})

it('a search ends when its browser disconnects', async () => {
  const { gone } = await open('/search?q=layoffs', {}, true)
  await expect.poll(() => gone()).toBe(true)
})
