// Datasources that agree without a page: browsers give up after some 20 redirects in a row.
import { afterAll, expect, it } from 'vitest'
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Person } from '../../packages/sandbox/src/people.ts'
import { useSite } from './visitor.ts'

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

const datasources = Array.from({ length: 6 }, (_, index) => ({
  instance: `app_${index + 1}`,
  displayName: `App ${index + 1}`,
}))
const person: Person = { id: 'six', name: 'Sim Six', email: 'six@acme.example', datasources }

let server: Server
const site = useSite(async () => {
  server = await startLongWay(() => site.running.sandbox.urls.service)
  const { port } = server.address() as AddressInfo
  return {
    sandbox: { switches: { autoConsent: true }, people: [person] },
    settings: { SERVICE_BASE_URL: `http://127.0.0.1:${port}` },
  }
})
afterAll(() => server.close())

it('someone with six apps that need no click and redirect twelve times each clicks once and ends with everything connected, at one check more than apps', async () => {
  const { sandbox } = site.running
  const visitor = await site.arrive({ person: 'six' })
  await visitor.open()
  const before = sandbox.count('checkdatasourceauth')
  await visitor.goOn()
  await visitor.page.getByRole('heading', { name: 'You’re all set' }).waitFor({ timeout: 30_000 })
  expect(new Set(Object.values(sandbox.state('six')))).toEqual(new Set(['authorized']))
  expect(sandbox.count('checkdatasourceauth') - before).toBe(datasources.length + 1)
  expect(visitor.complaints).toEqual([])
})
