// All processes of the morning: Redis with a replica and three Sentinels, the stand-in, and two processes of onramp
// that are restarted whenever they end.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { spawnNode, startOnramp, until, untilServing, type Spawned } from '../../helpers/processes.ts'
import { startSentinels, type SentinelSetUp } from '../../helpers/redis-topologies.ts'
import { freePort } from '../../helpers/running.ts'
import type { Network } from './browser.ts'
import { Gateway } from './gateway.ts'
import type { Fault, Ledger } from './ledger.ts'
import { Meter } from './meter.ts'
import type { Journal } from './stand-in.ts'

const fileAt = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const newSecret = () => randomBytes(32).toString('base64url')

/** Errors count as a fault's for so long after all is ready again. */
const SETTLING_MS = 4_000
const PROCESSES = 2

/** Less than usual, and more than a few busy processors may keep a Redis from answering. */
const DOWN_AFTER_MS = 2_000

/**
 * The heap that Node takes in a container of 512 MB, as in docs/operations.md and deploy/kubernetes. With a machine's
 * whole memory it keeps hundreds of megabytes of garbage, and no growth could be seen.
 */
const HEAP_MB = 304

export class Company {
  readonly network: Network
  readonly meter: Meter
  readonly #redis: SentinelSetUp
  readonly #settings: Record<string, string>
  readonly #ports: readonly number[]
  readonly #processes: Spawned[] = []
  /** Resolves when Redis has its replica again. */
  #replicated = Promise.resolve()

  private constructor(
    network: Network,
    meter: Meter,
    redis: SentinelSetUp,
    settings: Record<string, string>,
    ports: readonly number[],
  ) {
    this.network = network
    this.meter = meter
    this.#redis = redis
    this.#settings = settings
    this.#ports = ports
  }

  static async start(ledger: Ledger): Promise<Company> {
    const redis = await startSentinels(newSecret(), DOWN_AFTER_MS)
    const meter = new Meter()
    const port = await freePort()
    const standIn = `http://127.0.0.1:${port}`
    const child = spawnNode([fileAt('stand-in.ts')], { PORT: String(port) })
    await untilServing(child, standIn)
    const ports = await Promise.all(Array.from({ length: PROCESSES }, () => freePort()))
    const publicUrl = `http://127.0.0.1:${await freePort()}`
    const settings = {
      HOST: '127.0.0.1',
      PUBLIC_URL: publicUrl,
      SERVICE_BASE_URL: standIn,
      OIDC_ISSUER: standIn,
      OIDC_CLIENT_ID: 'onramp',
      OIDC_CLIENT_SECRET: newSecret(),
      SESSION_SECRET: newSecret(),
      REPORT_TOKEN: newSecret(),
      TRUST_PROXY: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...redis.settings,
    }
    const gateway = await Gateway.open(ports)
    const network = { publicUrl, gateway, standIn: new Pool(standIn, { connections: 256 }), ledger }
    const company = new Company(network, meter, redis, settings, ports)
    await Promise.all(ports.map((_, index) => company.#startProcess(index)))
    await until(() => gateway.areAllReady(), 'the gateway to see both')
    return company
  }

  async #startProcess(index: number): Promise<void> {
    const options = [`--max-heap-size=${HEAP_MB}`, '--import', fileAt('own-share.ts')]
    const child = await startOnramp({ ...this.#settings, PORT: String(this.#ports[index]) }, { options })
    this.#processes[index] = child
    this.meter.watch(child.pid)
  }

  async #replace(index: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { gateway } = this.network
    const port = this.#ports[index]!
    await this.#processes[index]?.end(signal)
    await until(() => !gateway.isReady(port), 'the gateway to see it')
    await this.#startProcess(index)
    await until(() => gateway.isReady(port), 'it to be ready again', 60_000)
  }

  async #failOver(): Promise<void> {
    const before = await this.#redis.primaryPort()
    await this.#redis.primary.kill()
    await until(async () => (await this.#redis.primaryPort()) !== before, 'another primary', 60_000)
    this.#replicated = this.#redis.bringBack()
    await until(() => this.network.gateway.areAllReady(), 'both to be ready again', 60_000)
  }

  /** @returns the milliseconds until everything was ready again */
  async let(fault: Fault): Promise<number> {
    const from = performance.now()
    if (fault === 'failover') await this.#failOver()
    else if (fault === 'kill -9') await this.#replace(0, 'SIGKILL')
    else for (const index of this.#ports.keys()) await this.#replace(index, 'SIGTERM')
    const taken = performance.now() - from
    await sleep(SETTLING_MS)
    return taken
  }

  async redisFacts(): Promise<{ version: string; failovers: number }> {
    await this.#replicated
    const info = String(await this.#redis.replica.ask('INFO', 'server'))
    return { version: /redis_version:(\S+)/.exec(info)?.[1] ?? '', failovers: this.#redis.failovers() }
  }

  async journal(): Promise<Journal> {
    return (await (await fetch(`${this.#settings['OIDC_ISSUER']}/journal`)).json()) as Journal
  }

  async peopleCsv(): Promise<string> {
    const headers = { authorization: `Bearer ${this.#settings['REPORT_TOKEN']}` }
    const response = await fetch(`http://127.0.0.1:${this.#ports[0]}/admin/people.csv`, { headers })
    if (!response.ok) throw new Error(`/admin/people.csv answered ${response.status}`)
    return await response.text()
  }
}
