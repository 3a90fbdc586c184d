// The sandbox as a whole: where it listens, how it stops, its switches, its control.
import { createServer } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { runSandbox } from '../../src/sandbox/run.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { call, check, jsonOf } from './client-calls.ts'

let sandbox: Sandbox | undefined
afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
})

async function start(options?: SandboxOptions): Promise<Sandbox> {
  return (sandbox = await startSandbox(options))
}

describe('where it listens', () => {
  it.each(['0.0.0.0', '::', '192.168.1.1', 'example.com'])(
    'refuses %s, which is no loopback address',
    async (host) => {
      await expect(startSandbox({ host })).rejects.toThrow('loopback')
      await expect(startSandbox({ hosts: { control: host } })).rejects.toThrow('loopback')
    },
  )

  it('gives every server the host that it is told', async () => {
    const { urls } = await start({ hosts: { service: '127.0.0.3', datasource: '127.0.0.4' } })
    expect(new URL(urls.service).hostname).toBe('127.0.0.3')
    expect(new URL(urls.datasource).hostname).toBe('127.0.0.4')
    expect(new URL(urls.authorizationServer).hostname).toBe('127.0.0.1')
  })

  it('serves the service under a base path, and nothing beside it', async () => {
    const { urls } = await start({ basePath: '/tenant/a' })
    expect(urls.service).toMatch(/\/tenant\/a$/)
    expect((await fetch(`${urls.service}/`)).status).toBe(200)
    expect((await fetch(new URL('/', urls.service))).status).toBe(404)
  })

  it('leaves no port open when one of them is taken', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    await expect(startSandbox({ ports: { datasource: port } })).rejects.toThrow('EADDRINUSE')
    await new Promise((resolve) => taken.close(resolve))
  })

  it('says what is wrong with SANDBOX_PORT', async () => {
    await expect(runSandbox({ SANDBOX_PORT: 'http' })).rejects.toThrow('SANDBOX_PORT')
  })

  it('stops at once although connections are kept alive and answers are pending', async () => {
    const { urls, close } = await start({ switches: { answers: { search: { hang: true } } } })
    await fetch(`${urls.service}/`)
    const pending = fetch(`${urls.service}/rest/api/v1/search`, { method: 'POST' }).catch(() => 'cut')
    await expect.poll(() => sandbox?.count('search')).toBe(1)
    const before = performance.now()
    await close()
    expect(performance.now() - before).toBeLessThan(1000)
    expect(await pending).toBe('cut')
  })
})

describe('the journal', () => {
  it('counts what was asked and keeps who asked', async () => {
    const running = await start()
    await check(running, 'ada')
    await check(running, 'bob')
    expect(running.count('checkdatasourceauth')).toBe(2)
    expect(running.count('service.checkdatasourceauth')).toBe(2)
    expect(running.requests.map(({ person, status }) => [person, status])).toEqual([
      ['ada', 200],
      ['bob', 200],
    ])
    running.clearRequests()
    expect(running.count('checkdatasourceauth')).toBe(0)
  })
})

describe('replaced answers', () => {
  const search = async (running: Sandbox) => call(running, 'search', { token: 'any', body: {} })

  it('stand in for any operation, a number of times, after a number of normal ones', async () => {
    const running = await start()
    const headers = { 'retry-after': '7' }
    running.switches.set({
      answers: { search: { status: 429, body: 'slow down', headers, skip: 1, times: 1 } },
    })
    const statuses = [await search(running), await search(running), await search(running)].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([401, 429, 401])
    expect(running.requests.map(({ status }) => status)).toEqual([401, 429, 401])
  })

  it('stand in for endpoints of the authorization servers, both or one of them', async () => {
    const running = await start()
    running.switches.set({ answers: { jwks: { status: 503 }, 'externalIdp.discovery': { status: 500 } } })
    const status = async (url: string) => (await fetch(url)).status
    expect(await status(`${running.urls.authorizationServer}/jwks`)).toBe(503)
    expect(await status(`${running.urls.externalIdp}/jwks`)).toBe(503)
    expect(await status(`${running.urls.externalIdp}/.well-known/openid-configuration`)).toBe(500)
    expect(await status(`${running.urls.authorizationServer}/.well-known/openid-configuration`)).toBe(200)
  })

  it('can be JSON, or cut in the middle, or dripped, or no answer at all', async () => {
    const running = await start()
    running.switches.set({ answers: { search: { body: { results: [] } } } })
    expect(await (await search(running)).json()).toEqual({ results: [] })
    running.switches.set({ answers: { search: { body: 'a long answer', truncate: true } } })
    await expect(search(running).then((response) => response.text())).rejects.toThrow('terminated')
    running.switches.set({ answers: { search: { body: 'abc', drip: true } } })
    const before = performance.now()
    expect(await (await search(running)).text()).toBe('abc')
    expect(performance.now() - before).toBeGreaterThan(500)
    running.switches.set({ answers: { search: { close: true } } })
    await expect(search(running)).rejects.toThrow('fetch failed')
  })

  it('are merged one by one, and taken back with null', async () => {
    const running = await start()
    running.switches.set({ answers: { search: { status: 500 } } })
    running.switches.set({ answers: { jwks: { status: 500 } } })
    expect(Object.keys(running.switches.get().answers)).toEqual(['search', 'jwks'])
    running.switches.set({ answers: { search: null } })
    expect(Object.keys(running.switches.get().answers)).toEqual(['jwks'])
    running.switches.reset()
    expect(running.switches.get().answers).toEqual({})
  })
})

describe('servers that are down or slow', () => {
  it('authorizationServerDown cuts connections to both authorization servers and to nothing else', async () => {
    const running = await start({ switches: { authorizationServerDown: true } })
    await expect(fetch(`${running.urls.authorizationServer}/jwks`)).rejects.toThrow('fetch failed')
    await expect(fetch(`${running.urls.externalIdp}/jwks`)).rejects.toThrow('fetch failed')
    expect(await check(running, 'bob')).toHaveLength(2)
    running.switches.set({ authorizationServerDown: false, serviceDown: true })
    expect((await fetch(`${running.urls.authorizationServer}/jwks`)).status).toBe(200)
    await expect(check(running, 'bob')).rejects.toThrow('fetch failed')
  })

  it('latencyMs slows everything, or one operation', async () => {
    const running = await start({ switches: { latencyMs: { search: 150 } } })
    const duration = async (operation: string) => {
      const before = performance.now()
      await call(running, operation)
      return performance.now() - before
    }
    await duration('checkdatasourceauth')
    expect(await duration('search')).toBeGreaterThan(140)
    expect(await duration('checkdatasourceauth')).toBeLessThan(140)
    running.switches.set({ latencyMs: 150 })
    expect(await duration('checkdatasourceauth')).toBeGreaterThan(140)
  })
})

describe('control', () => {
  const json = { accept: 'application/json' }

  it('shows a page with every switch, every person and the last requests', async () => {
    const running = await start()
    await check(running, 'ada')
    const response = await fetch(`${running.urls.control}/`, { headers: { accept: 'text/html' } })
    const text = await response.text()
    for (const name of Object.keys(running.switches.get())) expect(text).toContain(`name="${name}"`)
    expect(text).toContain('ada@acme.example')
    expect(text).toContain('POST checkdatasourceauth')
    expect(text).toContain('Sandbox – for development only')
  })

  it('changes switches as JSON, and names what does not fit', async () => {
    const { urls, switches } = await start()
    const patch = async (body: unknown) =>
      fetch(`${urls.control}/control.json`, { method: 'PATCH', body: JSON.stringify(body) })
    expect((await patch({ denyAll: true })).status).toBe(200)
    expect(switches.get().denyAll).toBe(true)
    const refused = await patch({ denyAll: 'yes', nonsense: 1 })
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('denyAll')
    const shown = await jsonOf(await fetch(`${urls.control}/control.json`))
    expect(shown['switches']).toMatchObject({ denyAll: true })
  })

  it('changes switches by the form of the page', async () => {
    const { urls, switches } = await start({
      switches: { answers: { search: { status: 500 } }, denyAll: true },
    })
    const fields = {
      autoConsent: 'on',
      consentDelaySeconds: '40',
      answers: '{"jwks":{"status":503}}',
      tenantRedirectUrl: '',
    }
    const body = new URLSearchParams(fields)
    const headers = { accept: 'text/html' }
    const response = await fetch(`${urls.control}/control/switches`, {
      method: 'POST',
      body,
      headers,
      redirect: 'manual',
    })
    expect(response.status).toBe(303)
    expect(switches.get()).toMatchObject({ autoConsent: true, denyAll: false, consentDelaySeconds: 40 })
    expect(switches.get().answers).toEqual({ jwks: { status: 503 } })
  })

  it('authorizes, resets and lists requests', async () => {
    const running = await start()
    const { urls, state } = running
    const body = new URLSearchParams({ person: 'ada', instance: 'slack_1' })
    await fetch(`${urls.control}/control/authorize`, { method: 'POST', body, headers: json })
    expect(state('ada')['slack_1']).toBe('authorized')
    await check(running, 'ada')
    const listed = await fetch(`${urls.control}/requests.json?operation=checkdatasourceauth`)
    expect(await listed.json()).toHaveLength(1)
    await fetch(`${urls.control}/control/reset`, { method: 'POST', headers: json })
    expect(state('ada')['slack_1']).toBe('waiting')
    expect(running.requests).toEqual([])
  })

  it('refuses what a page of another site sends', async () => {
    const { urls } = await start()
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await fetch(`${urls.control}/control/reset`, { method: 'POST', headers })).status).toBe(403)
  })
})
