// The clients of Redis as the library is asked for them: the same address, user, password, TLS and database whether it is one
// server, a primary that Sentinels name, or a cluster. The library is a fake here; redis-connection.test.ts and test/faults
// have real servers.
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { NoSuchPrimary, openerOf, primaryUrl } from '../../src/records/redis-clients.ts'

type Given = Record<string, unknown> & { url?: string; socket?: Record<string, unknown> }
type Listener = (error: Error) => void

/** What the servers say, by the host and port of an address; a function may throw. */
const fake = vi.hoisted(() => ({
  made: [] as { options: unknown; said: unknown[] }[],
  answers: {} as Record<string, (said: string) => unknown>,
  cluster: undefined as unknown,
  listeners: {} as Record<string, (error: Error) => void>,
}))

vi.mock('redis', () => {
  function clientOf(options: { url: string }) {
    const said: unknown[] = []
    fake.made.push({ options, said })
    const { host } = new URL(options.url)
    const ask = async (what: string) => {
      said.push(what)
      return await Promise.resolve(fake.answers[host]?.(what) ?? null)
    }
    const client = {
      on: (event: string, listener: Listener) => {
        fake.listeners[event] = listener
        return client
      },
      connect: () => ask('connect'),
      get: (key: string) => ask(`GET ${key}`),
      role: () => ask('ROLE'),
      sendCommand: (words: string[]) => ask(words.join(' ')),
      destroy: () => said.push('destroyed'),
    }
    return client
  }
  return {
    RedisClient: { factory: () => clientOf },
    createCluster: (options: unknown) => {
      const said: unknown[] = []
      fake.made.push({ options, said })
      const cluster = {
        masters: [{ host: 'b.example', port: 7001 }],
        on: (event: string, listener: Listener) => {
          fake.listeners[event] = listener
          return cluster
        },
        connect: () => Promise.resolve(fake.answers['cluster']?.('connect')),
        get: (key: string) => {
          said.push(`GET ${key}`)
          return Promise.resolve(fake.answers['cluster']?.('GET'))
        },
        destroy: () => said.push('destroyed'),
      }
      return cluster
    },
  }
})

beforeEach(() => {
  Object.assign(fake, { made: [], answers: {}, listeners: {} })
})

const lost = vi.fn<Listener>()
const URL_OF_ALL = 'rediss://ann:s%40crt@one.example:6380/2'
const options = () => fake.made.map(({ options: given }) => given as Given)
const fails = (message: string) => () => {
  throw new Error(message)
}

/** What every client is made with: it never reconnects, and gives up a silent server. */
const SOCKET = { connectTimeout: 1_500, socketTimeout: 3_000, reconnectStrategy: false }
const CLIENT = {
  commandOptions: { timeout: 0 },
  disableOfflineQueue: true,
  pingInterval: 1_000,
  commandsQueueMaxLength: 10_000,
}

const standalone = { kind: 'standalone' } as const
const SENTINELS = [
  { host: 's1.example', port: 26379 },
  { host: 'fd00::2', port: 26380 },
]
const sentinel = { kind: 'sentinel', sentinels: SENTINELS, name: 'main' } as const
const ASKED = 'SENTINEL GET-MASTER-ADDR-BY-NAME main'

describe('one server', () => {
  it('is opened at its address, asked for one key below the prefix, tells later failures, and is closed', async () => {
    const opened = await openerOf(URL_OF_ALL, standalone, 'acme:')(lost)
    expect(options()).toEqual([{ ...CLIENT, url: URL_OF_ALL, socket: SOCKET }])
    expect(fake.made[0]?.said).toEqual(['connect', 'GET acme:probe'])
    const failure = new Error('gone')
    fake.listeners['error']?.(failure)
    expect(lost).toHaveBeenCalledWith(failure)
    opened.close()
    expect(fake.made[0]?.said.at(-1)).toBe('destroyed')
  })

  it('that cannot be opened leaves nothing open', async () => {
    fake.answers['one.example:6380'] = (said) => said.startsWith('GET') && fails('NOPERM')()
    await expect(openerOf(URL_OF_ALL, standalone)(lost)).rejects.toMatchObject({
      cause: { message: 'NOPERM' },
    })
    expect(fake.made[0]?.said.at(-1)).toBe('destroyed')
  })
})

describe('a primary that Sentinels name', () => {
  it('is asked of each Sentinel, without user, password and database, and has all of them itself', async () => {
    fake.answers['s1.example:26379'] = (said) => (said === ASKED ? ['fd00::9', '6390'] : undefined)
    fake.answers['[fd00::2]:26380'] = fails('away')
    fake.answers['[fd00::9]:6390'] = (said) => (said === 'ROLE' ? { role: 'master' } : undefined)
    await openerOf(URL_OF_ALL, sentinel)(lost)
    const socket = { ...SOCKET, connectTimeout: 1_000, socketTimeout: 1_000 }
    expect(options()).toEqual([
      { url: 'rediss://s1.example:26379', RESP: 2, disableClientInfo: true, socket },
      { url: 'rediss://[fd00::2]:26380', RESP: 2, disableClientInfo: true, socket },
      { ...CLIENT, url: 'rediss://ann:s%40crt@[fd00::9]:6390/2', socket: SOCKET },
    ])
    expect(fake.made.slice(0, 2).map(({ said }) => said.at(-1))).toEqual(['destroyed', 'destroyed'])
  })

  it('is asked with the password only of a Sentinel that wants one', async () => {
    const one = { ...sentinel, sentinels: SENTINELS.slice(0, 1) }
    for (const [refusal, asked] of [
      [
        'NOAUTH Authentication required.',
        ['rediss://s1.example:26379', 'rediss://ann:s%40crt@s1.example:26379'],
      ],
      ['ERR other', ['rediss://s1.example:26379']],
    ] as const) {
      Object.assign(fake, { made: [] })
      fake.answers['s1.example:26379'] = fails(refusal)
      await expect(primaryUrl(URL_OF_ALL, one)).rejects.toThrow('no Sentinel names a primary')
      expect(options().map(({ url }) => url)).toEqual(asked)
    }
  })

  it('is missed for the best of the reasons: a Sentinel that answered, before one that is away', async () => {
    fake.answers['s1.example:26379'] = fails('away')
    fake.answers['[fd00::2]:26380'] = () => null
    const error = await primaryUrl(URL_OF_ALL, sentinel).catch((thrown: Error) => thrown)
    expect(error).toMatchObject({
      message: 'no Sentinel names a primary: see REDIS_SENTINELS and REDIS_SENTINEL_NAME',
      cause: expect.any(NoSuchPrimary) as NoSuchPrimary,
    })
    fake.answers['[fd00::2]:26380'] = fails('away too')
    await expect(primaryUrl(URL_OF_ALL, sentinel)).rejects.toMatchObject({ cause: { message: 'away' } })
  })
})

describe('a cluster', () => {
  it('has user, password and TLS of the address at every node, and is found again by the nodes that were known', async () => {
    const open = openerOf(URL_OF_ALL, { kind: 'cluster' }, 'acme:')
    const opened = await open(lost)
    const secured = { ...CLIENT, username: 'ann', password: 's@crt', socket: { ...SOCKET, tls: true } }
    expect(options()).toEqual([{ rootNodes: [{ url: URL_OF_ALL }], defaults: secured }])
    expect(fake.made[0]?.said).toEqual(['GET acme:probe'])
    opened.close()
    expect(fake.made[0]?.said.at(-1)).toBe('destroyed')
    await open(lost)
    expect(options()[1]?.['rootNodes']).toEqual([
      { url: URL_OF_ALL },
      { socket: { host: 'b.example', port: 7001 } },
    ])
  })

  it('tells failures once it is open, and before that why it does not open', async () => {
    lost.mockClear()
    const failure = new Error('a node is gone')
    fake.answers['cluster'] = (said) => {
      if (said === 'connect') fake.listeners['node-error']?.(failure)
      return fails('no nodes')()
    }
    const open = openerOf('redis://one.example', { kind: 'cluster' })
    await expect(open(lost)).rejects.toBe(failure)
    expect([lost.mock.calls, fake.made[0]?.said.at(-1)]).toEqual([[], 'destroyed'])
    delete fake.answers['cluster']
    await open(lost)
    for (const event of ['error', 'node-error']) fake.listeners[event]?.(failure)
    expect(lost).toHaveBeenCalledTimes(2)
  })
})
