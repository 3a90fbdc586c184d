// Switches that change what every server answers: replaced answers, outages, latency.
import { afterEach, describe, expect, it } from 'vitest'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { call, check } from './client-calls.ts'

let sandbox: Sandbox | undefined
afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
})

async function start(options?: SandboxOptions): Promise<Sandbox> {
  return (sandbox = await startSandbox(options))
}

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

  it('are refused for an operation that does not exist, so that a misspelt name does not pass for a test', async () => {
    const running = await start()
    expect(() => running.switches.set({ answers: { serach: { status: 500 } } })).toThrow('unknown operation')
    expect(() => running.count('serach')).toThrow('no operation')
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
    const running = await start({ switches: { latencyMs: { search: 500 } } })
    const duration = async (operation: string) => {
      const before = performance.now()
      await call(running, operation)
      return performance.now() - before
    }
    await duration('checkdatasourceauth')
    expect(await duration('search')).toBeGreaterThan(490)
    expect(await duration('checkdatasourceauth')).toBeLessThan(450)
    running.switches.set({ latencyMs: 500 })
    expect(await duration('checkdatasourceauth')).toBeGreaterThan(490)
  })
})
