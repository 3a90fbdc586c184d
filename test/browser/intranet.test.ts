// An intranet page on another port of the same host: another origin, the same site, as intranet.acme.example and
// onramp.acme.example are.
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { Running } from '../helpers/running.ts'
import { Visitor } from './visitor.ts'

let intranet: Server
let other: Server
let running: Running
let browser: Browser

const portOf = (server: Server) => (server.address() as AddressInfo).port

async function servePage(): Promise<Server> {
  const server = createServer((_req, res) => {
    const script = `<script src="${running.url}/widget.js" async></script>`
    const link = `<a href="${running.url}/onboarding">Connect your apps</a>`
    res.setHeader('content-type', 'text/html; charset=utf-8')
    res.end(`<!doctype html><title>Intranet</title>${script}<onramp-status>${link}</onramp-status>
      <footer><onramp-status data-many="{n} left">${link}</onramp-status></footer>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

beforeAll(async () => {
  intranet = await servePage()
  other = await servePage()
  running = await runOnThreeSites({
    settings: { RETURN_TO_ORIGINS: `http://127.0.0.1:${portOf(intranet)}` },
  })
  browser = await openChromium()
})
afterAll(async () => {
  await browser.close()
  await running.close()
  intranet.close()
  other.close()
})

const home = (server: Server) => `http://127.0.0.1:${portOf(server)}/`

it('says on the intranet how many apps wait, once the person is signed in, and is a link before', async () => {
  const visitor = await Visitor.arrive(browser, running, { person: 'ada' })
  const { page } = visitor
  const link = page.locator('onramp-status a').first()
  await page.goto(home(intranet))
  await page.locator('onramp-status[state=unknown]').first().waitFor({ state: 'attached' })
  expect(await link.innerText()).toBe('Connect your apps')

  await visitor.open(`/onboarding?return_to=${encodeURIComponent(home(intranet))}`)
  await page.getByRole('link', { name: /^Back to 127\.0\.0\.1/ }).click()

  await page.locator('onramp-status[state=known]').first().waitFor({ state: 'attached' })
  expect(await link.innerText()).toBe('5 apps left to connect')
  await link.click()
  await page.waitForURL(`${running.url}/onboarding`)
  await visitor.leave()
})

it('asks once for all its elements on a page', async () => {
  const visitor = await Visitor.arrive(browser, running, { person: 'ada' })
  const { page } = visitor
  await visitor.open()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/status')) asked.push(request.url())
  })
  await page.goto(home(intranet))
  await page.locator('footer onramp-status[state=known]').waitFor({ state: 'attached' })
  expect(await page.locator('onramp-status a').allInnerTexts()).toEqual(['5 apps left to connect', '5 left'])
  expect(asked).toHaveLength(1)
  await visitor.leave()
})

it('tells nothing to a page of an origin that is not allowed, and a link stays a link there', async () => {
  const visitor = await Visitor.arrive(browser, running, { person: 'ada' })
  await visitor.open()
  await visitor.page.goto(home(other))
  await visitor.page.locator('onramp-status[state=unknown]').first().waitFor({ state: 'attached' })
  expect(await visitor.page.locator('onramp-status a').first().innerText()).toBe('Connect your apps')
  await visitor.leave()
})
