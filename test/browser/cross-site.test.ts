// A hostile page on another site, in real Chromium: what it embeds starts no sign-in, and its links still work.
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { invite } from '../helpers/running.ts'
import { useSite, type Visitor } from './visitor.ts'

const ELSEWHERE = '127.0.0.2'

let hostile: Server
const site = useSite(() => ({ settings: { SIGN_INS_PER_MINUTE: '100000' } }))
let html = ''
let invitation: string

beforeAll(async () => {
  hostile = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8')
    res.end(`<!doctype html><title>Elsewhere</title><body>${html}</body>`)
  })
  hostile.listen(0, ELSEWHERE)
  await once(hostile, 'listening')
  invitation = `/invite/${await invite(site.running)}`
})
afterEach(() => site.running.sandbox.reset())
afterAll(() => hostile.close())

const home = () => `http://${ELSEWHERE}:${(hostile.address() as AddressInfo).port}/`

/** The authorization requests of a sign-in. */
const started = () => site.running.sandbox.requests.filter(({ operation }) => operation === 'authorization')

async function visit(page: string): Promise<Visitor> {
  html = page
  const visitor = await site.arrive({ person: 'ada' })
  await visitor.page.goto(home())
  return visitor
}

it.each<[string, (url: string) => string]>([
  ['an image', (url) => `<img src="${url}">`],
  ['a script', (url) => `<script src="${url}"></script>`],
  ['a style sheet', (url) => `<link rel="stylesheet" href="${url}">`],
  ['a frame', (url) => `<iframe src="${url}"></iframe>`],
  ['a frame without an origin', (url) => `<iframe sandbox src="${url}"></iframe>`],
  ['an object', (url) => `<object data="${url}"></object>`],
  ['an embedded thing', (url) => `<embed src="${url}">`],
  ['a video', (url) => `<video src="${url}"></video>`],
  [
    'a fetch',
    (url) => `<script>fetch('${url}', { mode: 'no-cors', credentials: 'include' }).catch(() => {})</script>`,
  ],
  ['a fetch with CORS', (url) => `<script>fetch('${url}').catch(() => {})</script>`],
  [
    'a form inside a frame',
    (url) =>
      `<iframe name="f"></iframe><form target="f" action="${url}"></form><script>document.forms[0].submit()</script>`,
  ],
])('%s on another site starts no sign-in and sets no cookie', async (_what, embed) => {
  const urls = ['/sign-in', `${invitation}/start`, '/onboarding'].map((path) => site.running.url + path)
  const visitor = await visit(urls.map(embed).join(''))
  await expect
    .poll(
      () => visitor.requests.filter((request) => urls.some((one) => request.url().startsWith(one))).length,
    )
    .toBeGreaterThan(0)
  await visitor.page.waitForTimeout(300)
  expect(started()).toEqual([])
  expect(await visitor.context.cookies(site.running.url)).toEqual([])
  await visitor.leave()
})

it.each<[string, (url: string) => string]>([
  ['that is followed', (url) => `<a href="${url}">Connect your apps</a>`],
  ['that opens a tab', (url) => `<a href="${url}" target="_blank">Connect your apps</a>`],
  ['without a referrer', (url) => `<a href="${url}" rel="noreferrer">Connect your apps</a>`],
])('a link on another site %s leads to the sign-in, and back to the page', async (_how, link) => {
  const visitor = await visit(link(`${site.running.url}/onboarding?datasource=slack`))
  const opened = visitor.context.waitForEvent('page', { timeout: 2_000 }).catch(() => undefined)
  await visitor.page.getByRole('link').click()
  if (link('').includes('_blank')) visitor.page = (await opened) ?? visitor.page
  await visitor.page.waitForURL((url) => url.href.startsWith(site.running.sandbox.urls.authorizationServer))
  await visitor.chooseAccount()
  expect(visitor.page.url()).toBe(`${site.running.url}/onboarding?datasource=slack`)
  await visitor.leave()
})
