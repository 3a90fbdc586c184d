// Everything that a company's Monday needs, each in a process of its own: Redis with a replica and three Sentinels, the
// stand-in, and two processes of onramp that are started again whatever ends them.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { until } from '../../helpers/processes.ts'
import { startSentinels } from '../../helpers/redis-topologies.ts'
import { freePort } from '../../helpers/running.ts'
import { startNode, startServer, untilReady } from '../processes.ts'
import type { World } from './browser.ts'
import { createGateway } from './gateway.ts'
import type { Fault, Ledger } from './ledger.ts'
import { createMeter } from './meter.ts'
import type { Journal } from './stand-in.ts'

const fileAt = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const newSecret = () => randomBytes(32).toString('base64url')

/** How long what went wrong because of a fault may still be told of after all is ready again. */
const SETTLING_MS = 4_000
const PROCESSES = 2

/** Shorter than what is usual, and longer than everything on a few processors may keep a Redis from answering. */
const SILENCE_MS = 2_000

/**
 * What Node takes of itself in a container of 512 MB, which is what docs/operations.md and deploy/kubernetes give. With all
 * the memory of a machine it lets hundreds of megabytes of garbage lie, and nothing could be told from that.
 */
const HEAP_MB = 304

export type Company = Awaited<ReturnType<typeof startCompany>>

export async function startCompany(ledger: Ledger) {
  const redis = await startSentinels(newSecret(), SILENCE_MS)
  const standInPort = await freePort()
  const standIn = `http://127.0.0.1:${standInPort}`
  const { pid } = startNode(fileAt('stand-in.ts'), {
    name: 'stand-in',
    env: { PORT: String(standInPort) },
    pin: undefined,
  })
  await untilReady('stand-in', `${standIn}/jwks`)
  const publicUrl = `http://127.0.0.1:${await freePort()}`
  const reportToken = newSecret()
  const settings = {
    HOST: '127.0.0.1',
    PUBLIC_URL: publicUrl,
    SERVICE_BASE_URL: standIn,
    OIDC_ISSUER: standIn,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: newSecret(),
    SESSION_SECRET: newSecret(),
    REPORT_TOKEN: reportToken,
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'warn',
    ...redis.settings,
  }
  const meter = createMeter()
  meter.watch('stand-in', pid)
  const startOn = (port: number, index: number) => {
    const child = startServer(fileAt('../../..'), {
      name: `onramp-${index}`,
      options: [`--max-heap-size=${HEAP_MB}`, '--import', fileAt('own-share.ts')],
      env: { ...settings, PORT: String(port) },
      pin: undefined,
    })
    meter.watch('onramp', child.pid)
    return child
  }
  const ports = await Promise.all(Array.from({ length: PROCESSES }, () => freePort()))
  const processes = ports.map(startOn)
  await Promise.all(
    ports.map((port, index) => untilReady(`onramp-${index}`, `http://127.0.0.1:${port}/readyz`)),
  )
  const gateway = await createGateway(ports)
  const standInPool = new Pool(standIn, { connections: 256 })
  const world: World = { publicUrl, gateway, standIn, standInPool, ledger }

  async function replace(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const [child, port] = [processes[index], ports[index]]
    if (child === undefined || port === undefined) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
    await until(() => !gateway.isReady(port), 'the gateway to see it')
    processes[index] = startOn(port, index)
    await until(() => gateway.isReady(port), 'it to be ready again', 60_000)
  }

  /** Redis has its replica again. */
  let whole = Promise.resolve()
  async function failOver(): Promise<void> {
    const before = await redis.primaryPort()
    await redis.primary.kill()
    await until(async () => (await redis.primaryPort()) !== before, 'another primary', 60_000)
    whole = redis.bringBack()
    await until(() => gateway.areAllReady(), 'both to be ready again', 60_000)
  }

  const faults: Record<Fault, () => Promise<void>> = {
    'kill -9': () => replace(0, 'SIGKILL'),
    failover: failOver,
    'rolling restart': async () => {
      for (const index of ports.keys()) await replace(index, 'SIGTERM')
    },
  }

  return {
    world,
    meter,
    /** @returns how many milliseconds it took until all was as before */
    async let(fault: Fault): Promise<number> {
      const from = performance.now()
      await faults[fault]()
      const taken = performance.now() - from
      await new Promise((resolve) => setTimeout(resolve, SETTLING_MS))
      return taken
    },
    async redisFailovers() {
      await whole
      return redis.failovers()
    },
    redisVersion: async () =>
      /redis_version:(\S+)/.exec(String(await redis.replica.ask('INFO', 'server')))?.[1] ?? '',
    journal: async () => (await (await fetch(`${standIn}/journal`)).json()) as Journal,
    async peopleCsv(): Promise<string> {
      const headers = { authorization: `Bearer ${reportToken}` }
      const response = await fetch(`http://127.0.0.1:${ports[0]}/admin/people.csv`, { headers })
      if (!response.ok) throw new Error(`/admin/people.csv answered ${response.status}`)
      return await response.text()
    },
    async close() {
      meter.stop()
      await gateway.close()
      await standInPool.destroy()
      for (const child of processes) child.kill('SIGKILL')
      await redis.close()
    },
  }
}
