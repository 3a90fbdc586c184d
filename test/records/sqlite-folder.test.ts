// The folder of the embedded store between processes: for one user of the machine, and for one server at a time.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FolderUnusable } from '../../src/records/sqlite-folder.ts'
import { openStore, type StoreSettings } from '../../src/records/store.ts'
import { createLog } from '../../src/web/log.ts'
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
async function serve(
  data: string,
  prefix: string[] = [],
  more: Record<string, string> = {},
): Promise<Spawned> {
  const env = { ...(await settings(data)), ...more }
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
})

describe('a server that cannot start', () => {
  const whyOf = async (more: Record<string, string>) => {
    const server = await serve(folder, [], more)
    expect((await server.end('SIGKILL')).code).toBe(1)
    return server.output()
  }

  it('names PORT where another process has it', async () => {
    const other = createServer().listen(0, 'localhost')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    expect(await whyOf({ PORT: port })).toContain(
      `"msg":"onramp cannot start: can't listen on PORT ${port} of HOST localhost (EADDRINUSE): another process listens there: end it, or set another PORT"`,
    )
    other.close()
  })

  it('names DATA_DIR where the file there is no database, and holds the folder no longer', async () => {
    const file = join(folder, 'onramp.sqlite')
    writeFileSync(file, 'this is not a database, however long it may be'.repeat(40))
    expect(await whyOf({})).toContain(
      `"msg":"onramp cannot start: the store in DATA_DIR (${folder}) can't be opened (file is not a database): restore a backup`,
    )
    const settings = { DATA_DIR: folder, REDIS_URL: undefined } as StoreSettings
    const open = () => openStore(settings, createLog('silent'), { isServer: true })
    expect(open).toThrow(FolderUnusable)
    rmSync(file)
    await open().close()
    mkdirSync(join(folder, 'barred/onramp.sqlite'), { recursive: true })
    settings.DATA_DIR = join(folder, 'barred')
    expect(open).toThrow(/give the folder and what is in it to the user running onramp$/)
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
