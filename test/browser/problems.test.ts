// The page of every failure, shown by the real app in real Chromium: a heading, a next step, a reference.
import { createServer, type Server } from 'node:http'
import express from 'express'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { neutralCompany } from '../../src/company/company.ts'
import { Problem, type ProblemCode } from '../../src/problem.ts'
import { createErrorPage, problemTexts } from '../../src/web/error-page.ts'
import { createPages } from '../../src/web/pages.ts'
import { securityHeaders } from '../../src/web/security-headers.ts'
import { keysUnder, t } from '../helpers/texts.ts'
import { openChromium } from '../helpers/chromium.ts'
import { freePort } from '../helpers/running.ts'
import { axeFindings, htmlFindings, overflowAt } from './examine.ts'

const HOST = '127.0.0.1'
const { displayName } = neutralCompany
const codes = keysUnder('problem.')
  .filter((key) => key.endsWith('.title'))
  .map((key) => key.slice(0, -'.title'.length)) as ProblemCode[]
const LONG = 'An app with a name that is much longer than anybody would expect '.repeat(3)

const problemOf = (code: ProblemCode) => {
  const datasource = { instance: 'long_1', among: [{ instance: 'long_1', name: LONG }] }
  return new Problem(503, code, { datasource, retryAfter: 40 })
}

let browser: Browser
let server: Server
let page: Page
let url: string

/** The pages and the error page as the app has them, and one feature that fails on request. */
function appThatFails() {
  const pages = createPages({ company: neutralCompany, isHttps: false })
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
      origin: `http://${HOST}`,
      pathOf: (path) => path || undefined,
      displayName,
      count: () => {},
      now: Date.now,
    }),
  )
  return app
}

beforeAll(async () => {
  const port = await freePort(HOST)
  url = `http://${HOST}:${port}`
  server = createServer(appThatFails())
  await new Promise<void>((resolve) => server.listen(port, HOST, resolve))
  browser = await openChromium()
  page = await browser.newPage()
})

afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

it.each(codes)('the page of a failure says what happened and what to do: %s', async (code) => {
  const { title } = problemTexts(problemOf(code), t, displayName)
  const response = await page.goto(`${url}/fail/${code}`)

  expect(await htmlFindings((await response?.text()) ?? '')).toEqual([])
  expect(await axeFindings(page)).toEqual([])
  expect(await overflowAt(page, 320)).toBeLessThanOrEqual(0)
  expect(await page.locator('h1').innerText()).toBe(title)
  expect(await page.title()).toBeOneOf([`${title} - Search setup`, title])
  expect(await page.locator('.button').count()).toBeGreaterThan(0)
  const words = await page.locator('main').innerText()
  expect(words).toMatch(/[Rr]eference: [0-9a-f]{12}/)
  expect(words).not.toMatch(/\b50\d\b|undefined|OAuth|exception/i)
  // That one is for the people who keep a program.
  expect(code === 'token_refused' ? '' : words).not.toMatch(/token/i)
})
