// The folder of the embedded store: only for its owner, and for one server at a time.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { restrictAccess, FolderUnusable, classifySqliteError } from '../../src/records/sqlite-folder.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { openStore } from '../../src/records/store.ts'
import { createLog } from '../../src/web/log.ts'
import { runDoctor } from '../doctor/setup.ts'
import { BARE_ENV, spawnOne, statusOf, until, type Spawned } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'

type StoreSettings = Parameters<typeof openStore>[0]

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
const openOnes = (data: string) => modesIn(data).filter((mode) => !mode.endsWith(' 600'))

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

/** A live server, which is never ready because these tests have no authorization server. */
async function serve(data: string, prefix: string[] = [], more: Record<string, string> = {}) {
  const env = { ...(await settings(data)), ...more }
  const node = join(import.meta.dirname, '../../node_modules/.bin/node')
  const words = [...prefix, node, '--disable-warning=ExperimentalWarning', 'src/server.ts']
  const child = spawnOne(words[0] ?? '', words.slice(1), { ...BARE_ENV, ...env })
  started.push(child)
  const url = `${env['PUBLIC_URL']}/healthz`
  await until(async () => child.hasEnded() || (await statusOf(url)) === 200, 'a server, or its end')
  return child
}

it.each(['000', '777'])('only the owner can read the embedded store under umask %s', async (umask) => {
  const data = join(folder, 'new')
  const server = await serve(data, ['bash', '-c', `umask ${umask} && exec "$@"`, 'serve'])
  expect(server.hasEnded(), server.output()).toBe(false)
  expect(modeOf(data)).toBe('700')
  expect(modesIn(data)).toEqual(expect.arrayContaining(['onramp.sqlite 600', 'onramp.sqlite-wal 600']))
  expect(openOnes(data)).toEqual([])
})

it('existing files lose the rights of others, like a folder without other files', async () => {
  const before = createSqliteRecords(folder)
  await before.put('key', 'value', 60)
  chmodSync(folder, 0o755)
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644)
  const now = createSqliteRecords(folder)
  expect(await now.get('key')).toBe('value')
  expect(openOnes(folder)).toEqual([])
  expect(modeOf(folder)).toBe('700')
  expect(now.readableByOthers).toEqual([])
  now.close()
  before.close()
})

it('a folder with other files keeps its rights and is named in the log', async () => {
  writeFileSync(join(folder, 'notes.txt'), 'of someone else', { mode: 0o644 })
  chmodSync(folder, 0o777)
  const lines: unknown[] = []
  const log = { warn: (fields: object) => void lines.push(fields), info: () => {} }
  const store = openStore({ DATA_DIR: folder, REDIS_URL: undefined } as StoreSettings, log)
  expect(modeOf(folder)).toBe('777')
  expect(openOnes(folder)).toEqual(['notes.txt 644'])
  expect(lines).toEqual([{ paths: [folder] }])
  await store.close()
})

it.skipIf(!existsSync('/usr/bin/bindfs') || process.getuid?.() !== 0)(
  'an embedded store on FUSE (needs bindfs, as root) recommends Redis',
  async () => {
    const data = join(folder, 'mounted')
    mkdirSync(data)
    execFileSync('/usr/bin/bindfs', [mkdtempSync(join(folder, 'behind-')), data])

    try {
      const server = await serve(data)
      expect(server.output()).toMatch(/"fileSystem":"FUSE".*network file system.*REDIS_URL/)
      await server.end('SIGTERM')
      const { findings } = await runDoctor(await settings(data))
      const place = findings.find(({ check, status }) => check === 'store.sqlite' && status === 'warn')
      expect(place).toMatchObject({
        says: expect.stringContaining('(FUSE)'),
        settings: ['DATA_DIR', 'REDIS_URL'],
      })
    } finally {
      execFileSync('umount', [data])
    }
  },
)

it('files whose rights can’t be changed are named', () => {
  // Not even root can change the rights of a file there.
  const open = join(folder, 'onramp.lock-journal')
  symlinkSync('/proc/self/status', open)
  expect(restrictAccess(folder)).toEqual([open])
})

const whyOf = async (more: Record<string, string>) => {
  const server = await serve(folder, [], more)
  expect((await server.end('SIGKILL')).code).toBe(1)
  return server.output()
}

it('a server that can’t start names a PORT in use', async () => {
  const other = createServer().listen(0, 'localhost')
  await once(other, 'listening')
  const port = String((other.address() as AddressInfo).port)
  expect(await whyOf({ PORT: port })).toContain(
    `"msg":"onramp cannot start: can't listen on PORT ${port} of HOST localhost (EADDRINUSE): another process listens there: stop it, or change PORT"`,
  )
  other.close()
})

it('a server whose database file is invalid names DATA_DIR', async () => {
  const file = join(folder, 'onramp.sqlite')
  writeFileSync(file, 'this is not a database, however long it may be'.repeat(40))

  expect(await whyOf({})).toContain(
    `"msg":"onramp cannot start: the store in DATA_DIR (${folder}) can't be opened (file is not a database): restore a backup`,
  )

  const open = (data: string) =>
    openStore({ DATA_DIR: data, REDIS_URL: undefined } as StoreSettings, createLog('silent'), {
      isServer: true,
    })
  expect(() => open(folder)).toThrow(FolderUnusable)

  rmSync(file)
  await open(folder).close()
  mkdirSync(join(folder, 'barred/onramp.sqlite'), { recursive: true })
  expect(() => open(join(folder, 'barred'))).toThrow(
    /give ownership of the folder and its files to the user running onramp$/,
  )
})

it('a second server on a DATA_DIR ends after ten seconds', async () => {
  const first = await serve(folder)
  const second = await serve(folder)
  const { code } = await second.end('SIGKILL')
  expect(second.hasEnded()).toBe(true)
  expect(code).toBe(1)
  expect(first.hasEnded()).toBe(false)
  expect(second.output()).toContain(`another onramp server uses DATA_DIR (${folder})`)
  expect(second.output()).toContain('REDIS_URL')
})

it('a DATA_DIR can be used once the previous server was killed or is ending', async () => {
  const first = await serve(folder)
  await first.end('SIGKILL')
  const second = await serve(folder, [], { DRAIN_SECONDS: '1' })
  second.signal('SIGTERM')
  const third = await serve(folder)
  expect(third.hasEnded(), third.output()).toBe(false)
  expect(second.hasEnded()).toBe(true)
})

it.each<[object | undefined, string, string]>([
  [{ errcode: 26, errstr: 'file is not a database' }, 'damaged', 'file is not a database'],
  [{ errcode: 267, errstr: 'corrupt index' }, 'damaged', 'corrupt index'],
  [{ errcode: 5, errstr: 'locked' }, 'busy', 'locked'],
  [{ errcode: 8, errstr: 'read-only' }, 'rights', 'read-only'],
  [{ errcode: 14, errstr: 'unable to open', code: 'ERR_SQLITE_ERROR' }, 'rights', 'unable to open'],
  [{ code: 'EACCES' }, 'rights', 'EACCES'],
  [{ code: 'ENOSPC' }, 'other', 'ENOSPC'],
  [undefined, 'other', 'unknown'],
])('a store that can’t be opened because of %o is reported as %s', (error, kind, reason) => {
  expect(classifySqliteError(error)).toEqual({ kind, reason })
})
