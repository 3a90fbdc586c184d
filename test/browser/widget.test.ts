// <onramp-status> as a card and compact, on an intranet page with a strict Content-Security-Policy.
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { resolveCompany } from '../../src/company/company.ts'
import { axeFindings, overflowAt, styleOf } from './examine.ts'
import { shared } from '../helpers/shared.ts'
import { languages } from '../helpers/texts.ts'
import { widgetOf } from '../helpers/widget.ts'
import { useSite } from './visitor.ts'

const STYLE = `onramp-status::part(card) { border-color: rgb(1, 2, 3) } #own { --onramp-brand: rgb(4, 5, 6); --onramp-on-brand: white }
  html { background: light-dark(#ffffff, #111111) }
  #link a { color: light-dark(#003399, #ccddff) }
  onramp-status::part(label) { font-style: italic }`

/** The globals of a browser that these tests use. */
type Changeable = { setAttribute: (name: string, value: string) => void }

const company = resolveCompany(
  {
    product: 'Acme Search',
    color: { light: '#0b6e5f', dark: '#4fd1b5' },
    links: { search: { url: 'https://search.acme.example/' } },
  },
  new Map(),
)
const script = await widgetOf(company)

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const intranet = shared(serveIntranet)
/** A page of another origin, which is not allowed. */
const otherIntranet = shared(serveIntranet)
const site = useSite(() => ({ settings: { RETURN_TO_ORIGINS: originOf(intranet) } }))

const pageOf = (lang: string, url: string) => {
  const link = `<a href="${url}/onboarding">Connect your apps</a>`
  return `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Intranet</title><link rel="stylesheet" href="/style.css"><script src="${url}/widget.js" async></script>
<main><h1>Intranet</h1><onramp-status form="card" id="card">${link}</onramp-status>
<p><onramp-status form="compact" id="compact" data-many="{n} left">${link}</onramp-status></p>
<onramp-status form="card" id="own" lang="de"></onramp-status><p><onramp-status id="link" lang="ar">${link}</onramp-status></p></main>`
}

/** The page of the intranet: /LANGUAGE. */
async function serveIntranet(): Promise<Server> {
  const server = createServer((req, res) => {
    const isStyle = req.url === '/style.css'
    res.setHeader('content-type', isStyle ? 'text/css' : 'text/html; charset=utf-8')
    res.setHeader(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; script-src ${site.running.url}; connect-src ${site.running.url}; require-trusted-types-for 'script'`,
    )
    res.end(isStyle ? STYLE : pageOf(req.url?.slice(1) ?? 'en', site.running.url))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Someone who is signed in, on the intranet's page in this language. */
async function onIntranet(lang: string, person = 'ada'): Promise<{ page: Page; complaints: string[] }> {
  const visitor = await site.arrive({ person })
  const { page } = visitor
  await visitor.open()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.route(`${site.running.url}/widget.js`, (route) =>
    route.fulfill({ body: script, contentType: 'text/javascript' }),
  )
  await page.goto(`${originOf(intranet)}/${lang}`)
  for (const id of ['card', 'compact', 'own', 'link'])
    await page.locator(`#${id}[state=known]`).waitFor({ state: 'attached' })
  return { page, complaints }
}

it('the widget shows a person’s progress as a card and compact', async () => {
  const { page, complaints } = await onIntranet('en')
  const card = page.locator('#card').getByRole('group', { name: 'Connect your apps' })
  expect((await card.innerText()).split(/\n+/)).toEqual([
    '5 apps left to connect',
    '0 of 5 connected',
    'Connect your apps',
  ])
  expect(await page.locator('#compact').getByRole('link').innerText()).toBe('5 left')
  expect(await page.locator('#compact').getByRole('img', { name: '0 of 5 connected' }).count()).toBe(1)
  expect(complaints).toEqual([])
  await card.getByRole('link', { name: 'Connect your apps' }).click()
  await page.waitForURL(`${site.running.url}/onboarding`)
})

it('the widget has the language of its element, its page or the browser', async () => {
  const { page } = await onIntranet('de-CH')
  expect(await page.locator('#card .figures').innerText()).toBe('0 von 5 verbunden')
  expect(await page.locator('#own a.link').innerText()).toBe(languages.byTag('de')('widget.title'))
  expect(await page.locator('#link > a').getAttribute('lang')).toBe('ar')

  await page.goto(`${originOf(intranet)}/sv`)
  await page.locator('#card .figures').waitFor()
  expect(await page.locator('#card .figures').innerText()).toBe('0 of 5 connected')

  await page
    .locator('#card')
    .evaluate((element) => (element as unknown as Changeable).setAttribute('lang', 'ar'))
  const root = page.locator('#card .root')
  expect([await root.getAttribute('dir'), await root.locator('.figures').innerText()]).toEqual([
    'rtl',
    languages.byTag('ar')('widget.progress', { connected: 0, total: 5 }),
  ])
})

it('the widget has the company’s color, unless the page styles its parts and properties', async () => {
  const { page } = await onIntranet('en')
  expect(await styleOf(page.locator('#card .link'), 'backgroundColor')).toBe('rgb(11, 110, 95)')
  expect(await styleOf(page.locator('#own .link'), 'backgroundColor')).toBe('rgb(4, 5, 6)')
  expect(await styleOf(page.locator('#card .root'), 'borderTopColor')).toBe('rgb(1, 2, 3)')
  expect(await styleOf(page.locator('#card .label'), 'fontStyle')).toBe('italic')
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await styleOf(page.locator('#card .link'), 'backgroundColor')).toBe('rgb(79, 209, 181)')
})

it('the widget is accessible in both schemes, and fits a phone', async () => {
  const { page } = await onIntranet('en')
  expect(await overflowAt(page, 320)).toBeLessThanOrEqual(0)
  for (const selector of ['#card .link', '#compact .root']) {
    const box = await page.locator(selector).boundingBox()
    expect(box?.height, selector).toBeGreaterThanOrEqual(44)
  }
  expect(await axeFindings(page)).toEqual([])
})

it('the widget links to search, without counts or bar, if nothing can be connected', async () => {
  const { page } = await onIntranet('en', 'carol')
  const card = page.locator('#card')
  expect((await card.locator('.root').innerText()).split(/\n+/)).toEqual([
    'Search is ready for you',
    'Open Acme Search',
  ])
  expect(await page.locator('.progress').count()).toBe(0)
  const open = card.getByRole('link', { name: 'Open Acme Search' })
  expect(await open.getAttribute('href')).toBe('https://search.acme.example/')
  expect(await card.locator('.done').count()).toBe(0)
})

it('the widget shows the number of waiting apps after sign-in, with one request per language', async () => {
  const visitor = await site.arrive({ person: 'ada' })
  const { page } = visitor
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/status')) calls.push(request.url())
  })
  const home = `${originOf(intranet)}/en`
  await page.goto(home)
  await page.locator('#card[state=unknown]').waitFor({ state: 'attached' })
  expect(await page.locator('#card a').innerText()).toBe('Connect your apps')

  await page.locator('#card a').click()
  await visitor.chooseAccount()
  await page.goto(`${site.running.url}/onboarding?return_to=${encodeURIComponent(home)}`)
  calls.length = 0
  await page.getByRole('link', { name: /^Back to 127\.0\.0\.1/ }).click()
  await page.locator('#compact[state=known]').waitFor({ state: 'attached' })
  expect(await page.locator('#card .figures').innerText()).toBe('0 of 5 connected')
  expect(calls.map((url) => new URL(url).search).sort()).toEqual([
    '?language=ar',
    '?language=de',
    '?language=en',
  ])
})

it('the widget gets no data on a page of a forbidden origin', async () => {
  const visitor = await site.arrive({ person: 'ada' })
  await visitor.open()
  await visitor.page.goto(`${originOf(otherIntranet)}/en`)
  await visitor.page.locator('#card[state=unknown]').waitFor({ state: 'attached' })
  expect(await visitor.page.locator('#card a').first().innerText()).toBe('Connect your apps')
})
