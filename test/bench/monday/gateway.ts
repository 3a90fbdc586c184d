// The proxy in front of the two processes, within this process. It doesn't retry, so lost requests are noticed.
import { Pool, type Dispatcher } from 'undici'
import { watchReadiness, type ReadyPorts } from '../../helpers/network.ts'

const HOST = '127.0.0.1'

export class Gateway {
  readonly #ready: ReadyPorts
  readonly #pools: Map<number, Pool>

  private constructor(ready: ReadyPorts, ports: readonly number[]) {
    this.#ready = ready
    const poolOf = (port: number) =>
      new Pool(`http://${HOST}:${port}`, { connections: 128, keepAliveTimeout: 4_000 })
    this.#pools = new Map(ports.map((port) => [port, poolOf(port)]))
  }

  static async open(ports: readonly number[]): Promise<Gateway> {
    return new Gateway(await watchReadiness(ports, HOST), ports)
  }

  areAllReady = (): boolean => this.#ready.ports().length === this.#pools.size
  isReady = (port: number): boolean => this.#ready.ports().includes(port)

  /** @throws if no process is ready, or the one whose turn it was is lost */
  async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const pool = this.#pools.get(this.#ready.next() ?? 0)
    if (pool === undefined) throw Object.assign(new Error('no process is ready'), { code: 'NONE_READY' })
    return await pool.request(options)
  }

  async close(): Promise<void> {
    this.#ready.stop()
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
  }
}
