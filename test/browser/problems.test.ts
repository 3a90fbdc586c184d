// The error page of every problem, in real Chromium: axe, width and title. web/error-page.test.ts has its words.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import pino from 'pino'
import { expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { Problem, type ProblemCode } from '../../src/problem.ts'
import { createErrorPage, problemTexts } from '../../src/web/error-page.ts'
import { createPages } from '../../src/web/pages.ts'
import { securityHeaders } from '../../src/web/security-headers.ts'
import { keysUnder, t } from '../helpers/texts.ts'
import { openChromium } from '../helpers/chromium.ts'
import { shared } from '../helpers/shared.ts'
import { axeFindings, overflowAt } from './examine.ts'

const { displayName } = neutralCompany
const codes = keysUnder('problem.')
  .filter((key) => key.endsWith('.title'))
  .map((key) => key.slice(0, -'.title'.length)) as ProblemCode[]
const LONG = 'An app with a name of an unusual length '.repeat(3)

const problemOf = (code: ProblemCode) => {
  const datasource = { instance: 'long_1', personsApps: [{ instance: 'long_1', name: LONG }] }
  return new Problem(503, code, { datasource, retryAfter: 40 })
}

const browser = shared(openChromium)
const page = shared(() => browser.newPage())
/** Elements and classes of the pages that axe has seen. */
const examined = new Set<string>()
const SHAPE = `[...document.querySelectorAll('*')].map((one) => [one.tagName, one.getAttribute('class')]).join()`

/** The pages and the error page of the app, and a route that fails on request. */
function appThatFails() {
  const pages = createPages({
    company: neutralCompany,
    publicUrl: 'http://127.0.0.1',
    checkReturnTo: () => undefined,
    isAdmin: () => false,
  })
  const app = express()
  app.use(securityHeaders(false), pages.assets.routes)
  app.get('/fail/:code', (req) => {
    throw problemOf(req.params.code as ProblemCode)
  })
  app.use(
    createErrorPage({
      log: pino({ level: 'silent' }),
      sendPage: pages.send,
      languages: pages.languages,
      publicUrl: 'http://127.0.0.1',
      tryAgainPathFor: (path) => path || undefined,
      displayName,
      countProblem: () => {},
      now: Date.now,
    }),
  )
  return app
}

const server = shared(async () => {
  const listening = appThatFails().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return listening
})
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

it.each(codes)('the error page is accessible, and fits a phone: %s', async (code) => {
  const { title } = problemTexts(problemOf(code), t, displayName)
  await page.goto(`${url()}/fail/${code}`)
  const shape = await page.evaluate<string>(SHAPE)

  expect(examined.has(shape) ? [] : await axeFindings(page)).toEqual([])
  examined.add(shape)
  expect(await overflowAt(page, 320)).toBeLessThanOrEqual(0)
  expect(await page.locator('h1').innerText()).toBe(title)
  expect(await page.title()).toBeOneOf([`${title} - Search setup`, title])
})
