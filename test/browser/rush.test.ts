// Datasources that agree without a page: browsers give up after some 20 redirects in a row.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { Running } from '../helpers/running.ts'
import { Visitor } from './visitor.ts'

let browser: Browser
let running: Running

beforeAll(async () => {
  ;[browser, running] = await Promise.all([
    openChromium(),
    runOnThreeSites({ sandbox: { switches: { autoConsent: true } } }),
  ])
})

afterAll(async () => {
  await browser.close()
  await running.close()
})

const FURTHER = 12

/** The service, with so many more redirects on the way to each app, as single sign-on has them. @param target its address */
async function startLongWay(target: () => string): Promise<Server> {
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '', target())
    const hop = Number(url.searchParams.get('hop') ?? 0)
    if (req.method === 'GET' && hop < FURTHER) {
      url.searchParams.set('hop', String(hop + 1))
      return void res.writeHead(302, { location: url.pathname + url.search }).end()
    }
    url.searchParams.delete('hop')
    if (req.method === 'GET') return void res.writeHead(302, { location: url.href }).end()
    const { host: _host, ...headers } = req.headers
    const answered = request(url, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    req.pipe(answered)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

describe('someone with six apps that need no click and redirect twelve times each', () => {
  it('clicks once and ends with everything connected, at one check more than apps', async () => {
    let service = ''
    const server = await startLongWay(() => service)
    const { port } = server.address() as AddressInfo
    const here = await runOnThreeSites({
      sandbox: { switches: { autoConsent: true } },
      settings: { SERVICE_BASE_URL: `http://127.0.0.1:${port}` },
    })
    try {
      service = here.sandbox.urls.service
      const datasources = Array.from({ length: 6 }, (_, index) => ({
        instance: `app_${index + 1}`,
        displayName: `App ${index + 1}`,
      }))
      here.sandbox.people.push({ id: 'six', name: 'Sim Six', email: 'six@acme.example', datasources })
      const visitor = await Visitor.arrive(browser, here, { person: 'six' })
      await visitor.open()
      const before = here.sandbox.count('checkdatasourceauth')
      await visitor.goOn()
      await visitor.page.getByRole('heading', { name: 'You’re all set' }).waitFor({ timeout: 30_000 })
      const connected = Object.values(here.sandbox.state('six'))
      expect(new Set(connected)).toEqual(new Set(['authorized']))
      expect(here.sandbox.count('checkdatasourceauth') - before).toBe(datasources.length + 1)
      expect(visitor.complaints).toEqual([])
    } finally {
      await here.close()
      server.close()
    }
  }, 60_000)
})

describe('somebody with forty datasources that all agree at once', () => {
  it('clicks once and ends with everything connected, without too many redirects in a row', async () => {
    const visitor = await Visitor.arrive(browser, running, { person: 'grace' })
    await visitor.open()
    await visitor.goOn()
    await visitor.page.getByRole('heading', { name: 'You’re all set' }).waitFor({ timeout: 30_000 })
    expect(Object.values(running.sandbox.state('grace'))).toEqual(
      Array.from({ length: 40 }, () => 'authorized'),
    )
    expect(visitor.complaints).toEqual([])
  }, 60_000)
})
