// A search as the person: from our own page, or because they typed or kept its address; never because of another site's link.
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { createSearchRoutes } from '../../src/search/routes.ts'
import type { SendPage } from '../../src/web/pages.ts'
import { languages } from '../helpers/texts.ts'

const ORIGIN = 'https://onramp.example'
const EVIL = 'https://evil.example'

async function open(path: string, headers: Record<string, string>) {
  const asked: string[] = []
  const sendPage: SendPage = (req, res, { data }) =>
    void res.json(typeof data === 'function' ? data(languages.of(req)) : data)
  const routes = createSearchRoutes({
    limit: (_req, _res, next) => next(),
    origin: ORIGIN,
    async searchFor(_req, { query }) {
      asked.push(query)
      return { results: [], requestId: undefined }
    },
    appIn: (instance) => ({ name: instance, logo: undefined, initial: '', tone: '' }),
    sendPage,
  })
  const { body } = await request(express().use(routes)).get(path).set(headers)
  return { asked, page: body as Record<string, unknown> }
}

it.each([
  ['our own page', { 'sec-fetch-site': 'same-origin' }, true],
  ['the address bar or a bookmark', { 'sec-fetch-site': 'none' }, true],
  ['another site', { 'sec-fetch-site': 'cross-site' }, false],
  ['a neighbor on the same domain', { 'sec-fetch-site': 'same-site' }, false],
  ['an older browser that says nothing', {}, true],
  ['our own page in an older browser', { referer: `${ORIGIN}/search` }, true],
  ['another site in an older browser', { referer: `${EVIL}/` }, false],
])(
  'a search that comes from %s is made only where it is the person who asks',
  async (_from, headers, isMade) => {
    const { asked, page } = await open('/search?q=layoffs', headers)
    expect(asked).toEqual(isMade ? ['layoffs'] : [])
    expect(page['query']).toBe('layoffs')
    expect(page['heading'] === undefined).toBe(!isMade)
  },
)

it('an empty search asks nothing', async () => {
  expect((await open('/search?q=+', { 'sec-fetch-site': 'none' })).asked).toEqual([])
})

it('a page that loads again on its own searches for nothing', async () => {
  const { asked } = await open('/search?q=layoffs&unattended=yes', { 'sec-fetch-site': 'same-origin' })
  expect(asked).toEqual([])
})
