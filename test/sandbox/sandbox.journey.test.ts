// The sandbox as a whole: where it listens, how it stops, what it writes down.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { runSandbox } from '../../packages/sandbox/src/run.ts'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { check } from './client-calls.ts'

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
      await expect(startSandbox({ hosts: { control: host } })).rejects.toThrow('loopback')
    },
  )

  it('gives every server the host that it is told', async () => {
    const { urls } = await start({ hosts: { service: '127.0.0.3', datasource: '127.0.0.4' } })
    expect(new URL(urls.service).hostname).toBe('127.0.0.3')
    expect(new URL(urls.datasource).hostname).toBe('127.0.0.4')
    expect(new URL(urls.authorizationServer).hostname).toBe('127.0.0.1')
  })

  it('is reached at another address where it is told to listen there, and is known by its own', async () => {
    const { urls, mail } = await start({ bind: '127.0.0.9', mailPort: 0 })
    for (const url of Object.values(urls)) {
      const { hostname, port } = new URL(url)
      expect(hostname).toBe('127.0.0.1')
      expect((await fetch(`http://127.0.0.9:${port}/`)).status).toBeLessThan(500)
    }
    const { port } = new URL(mail?.url ?? '')
    const socket = connect(Number(port), '127.0.0.9')
    await once(socket, 'data')
    socket.destroy()
  })

  it('says what is wrong with SANDBOX_BIND', async () => {
    await expect(runSandbox({ SANDBOX_BIND: 'everywhere' })).rejects.toThrow('SANDBOX_BIND')
  })

  it('serves the service under a base path, and nothing beside it', async () => {
    const { urls } = await start({ basePath: '/tenant/a' })
    expect(urls.service).toMatch(/\/tenant\/a$/)
    expect((await fetch(`${urls.service}/`)).status).toBe(200)
    expect((await fetch(new URL('/', urls.service))).status).toBe(404)
  })

  it.each(['tenant/a', '/tenant/', '/'])('refuses %s as a base path', async (basePath) => {
    await expect(startSandbox({ basePath })).rejects.toThrow('begins with /')
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
