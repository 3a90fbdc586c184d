// The folder of the embedded store: for one user of the machine, and for one server at a time.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { BARE_ENV, spawnOne, statusOf, until, type Spawned } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'

let folder: string
const started: Spawned[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-folder-'))
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.end('SIGKILL')))
  rmSync(folder, { recursive: true })
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const modesIn = (data: string) => readdirSync(data).map((name) => `${name} ${modeOf(join(data, name))}`)

async function settings(data: string): Promise<Record<string, string>> {
  const port = String(await freePort('localhost'))
  return {
    HOST: 'localhost',
    PORT: port,
    PUBLIC_URL: `http://localhost:${port}`,
    SERVICE_BASE_URL: 'http://localhost:9',
    OIDC_ISSUER: 'http://localhost:9',
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: 'a-secret',
    SESSION_SECRET: 'x'.repeat(40),
    DATA_DIR: data,
  }
}

/** A server that is alive; the authorization server of these tests is not there, so it is never ready. */
async function serve(data: string, prefix: string[] = []): Promise<Spawned> {
  const env = await settings(data)
  const node = join(import.meta.dirname, '../../node_modules/.bin/node')
  const words = [...prefix, node, '--disable-warning=ExperimentalWarning', 'src/server.ts']
  const child = spawnOne(words[0] ?? '', words.slice(1), { ...BARE_ENV, ...env })
  started.push(child)
  const url = `${env['PUBLIC_URL']}/healthz`
  await until(async () => child.hasEnded() || (await statusOf(url)) === 200, 'a server, or its end')
  return child
}

describe('the files of the embedded store', () => {
  it.each(['000', '022', '777'])('are their owner’s only under umask %s', async (umask) => {
    const data = join(folder, 'new')
    const server = await serve(data, ['bash', '-c', `umask ${umask} && exec "$@"`, 'serve'])
    expect(server.hasEnded(), server.output()).toBe(false)
    expect(modeOf(data)).toBe('700')
    const modes = modesIn(data)
    expect(modes).toContain('onramp.sqlite 600')
    expect(modes).toContain('onramp.sqlite-wal 600')
    expect(modes.filter((mode) => !mode.endsWith(' 600'))).toEqual([])
  })

  it('that an earlier version left open are closed to others, and so is a folder that has nothing else', async () => {
    const earlier = createSqliteRecords(folder)
    await earlier.put('key', 'value', 60)
    chmodSync(folder, 0o755)
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
    const now = createSqliteRecords(folder)
    expect(await now.get('key')).toBe('value')
    expect(modesIn(folder).filter((mode) => !mode.endsWith(' 600'))).toEqual([])
    expect(modeOf(folder)).toBe('700')
    expect(now.openToOthers).toEqual([])
    now.close()
    earlier.close()
  })

  it('are closed in a folder that others use too, which stays as it is and is told of', () => {
    const data = join(folder, 'common')
    mkdirSync(data)
    writeFileSync(join(data, 'notes.txt'), 'of someone else', { mode: 0o644 })
    chmodSync(data, 0o777)
    const records = createSqliteRecords(data)
    expect(modeOf(data)).toBe('777')
    expect(modeOf(join(data, 'notes.txt'))).toBe('644')
    expect(modesIn(data)).toContain('onramp.sqlite 600')
    expect(records.openToOthers).toEqual([data])
    records.close()
  })
})

describe('a folder of the embedded store', () => {
  it('takes one server: a second one says why it ends, and the first serves on', async () => {
    const first = await serve(folder)
    const second = await serve(folder)
    expect(second.hasEnded()).toBe(true)
    expect((await second.end('SIGKILL')).code).toBe(1)
    expect(second.output()).toContain('another onramp server uses DATA_DIR')
    expect(second.output()).toContain(folder)
    expect(second.output()).toContain('REDIS_URL')
    expect(first.hasEnded()).toBe(false)
  })

  it.each(['SIGKILL', 'SIGTERM'] as const)('takes the next server at once after %s', async (signal) => {
    const first = await serve(folder)
    await first.end(signal)
    const next = await serve(folder)
    expect(next.hasEnded(), next.output()).toBe(false)
  })

  it('is read by a command beside the server, which neither stops nor is stopped', async () => {
    const server = await serve(folder)
    const node = join(import.meta.dirname, '../../node_modules/.bin/node')
    const words = ['--disable-warning=ExperimentalWarning', 'src/cli/main.ts', 'invite', 'report', '--json']
    const env = { ...BARE_ENV, ...(await settings(folder)) }
    const command = spawnOne(node, words, env)
    started.push(command)
    await until(() => command.hasEnded(), 'the report')
    expect(command.output()).toContain('"people":0')
    expect(server.hasEnded()).toBe(false)
  })
})
