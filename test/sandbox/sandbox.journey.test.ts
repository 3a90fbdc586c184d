// The sandbox as a whole: addresses, shutdown and journal.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { runSandbox, startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import type { Sandbox, SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'
import { listen } from '../helpers/listen.ts'
import { check } from './client-calls.ts'

let sandbox: Sandbox | undefined
afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
})

async function start(options?: SandboxOptions): Promise<Sandbox> {
  return (sandbox = await startSandbox(options))
}

it.each(['0.0.0.0', '::', '192.168.1.1', 'example.com'])(
  'the sandbox refuses the host %s',
  async (control) => {
    await expect(startSandbox({ hosts: { control } })).rejects.toThrow('loopback')
  },
)

it('the sandbox can listen on another address, and keeps its public one', async () => {
  const { urls, mail } = await start({ bind: '127.0.0.9', mailPort: 0 })
  for (const url of Object.values(urls)) {
    const { hostname, port } = new URL(url)
    expect(hostname).toBe('127.0.0.1')
    expect((await fetch(`http://127.0.0.9:${port}/`)).status).toBeLessThan(500)
  }
  const socket = connect(Number(new URL(mail?.url ?? '').port), '127.0.0.9')
  await once(socket, 'data')
  socket.destroy()
})

it.each(['SANDBOX_BIND', 'SANDBOX_PORT', 'SANDBOX_COMPANY', 'SANDBOX_HEADER_PREFIX'])(
  'the sandbox explains its refusal of %s',
  async (name) => {
    await expect(runSandbox({ [name]: 'no such: value' })).rejects.toThrow(name)
  },
)

it.each(['tenant/a', '/tenant/', '/'])('the sandbox refuses %s as a path', async (service) => {
  await expect(startSandbox({ paths: { service } })).rejects.toThrow('begins with /')
})

it('the sandbox leaves no port open if one is in use', async () => {
  const taken = createServer()
  await expect(startSandbox({ ports: { datasource: await listen(taken) } })).rejects.toThrow('EADDRINUSE')
  taken.close()
})

it('the sandbox stops at once despite open connections and pending responses', async () => {
  const { urls, close } = await start({ switches: { answers: { search: { hang: true } } } })
  await fetch(`${urls.service}/`)
  const pending = fetch(`${urls.service}/rest/api/v1/search`, { method: 'POST' }).catch(() => 'cut')
  await expect.poll(() => sandbox?.count('search')).toBe(1)
  const before = performance.now()
  await close()
  expect(performance.now() - before).toBeLessThan(1000)
  expect(await pending).toBe('cut')
})

it('the journal counts requests and names their person', async () => {
  const running = await start()
  await check(running, 'ada')
  await check(running, 'bob')
  expect(running.count('checkdatasourceauth')).toBe(2)
  expect(running.count('service.checkdatasourceauth')).toBe(2)
  const listed = running.requests.map(({ person, status }) => `${person} ${status}`)
  expect(listed).toEqual(['ada 200', 'bob 200'])
  running.clearRequests()
  expect(running.count('checkdatasourceauth')).toBe(0)
})
