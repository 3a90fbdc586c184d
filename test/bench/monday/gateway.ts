// What is in front of the two processes, without a process of its own: requests go in turn to those that say they are
// ready. It repeats nothing, so what a process loses is lost.
import { Pool, type Dispatcher } from 'undici'
import { statusOf } from '../../helpers/processes.ts'

const ASK_EVERY_MS = 200
const CONNECTIONS = 128

export type Gateway = Awaited<ReturnType<typeof createGateway>>

export async function createGateway(ports: readonly number[]) {
  const pools = ports.map((port) => {
    const origin = `http://127.0.0.1:${port}`
    return { port, origin, pool: new Pool(origin, { connections: CONNECTIONS, keepAliveTimeout: 4_000 }) }
  })
  let ready = pools
  let turn = 0

  const look = async () => {
    const answers = await Promise.all(pools.map(({ origin }) => statusOf(`${origin}/readyz`)))
    ready = pools.filter((_, index) => answers[index] === 200)
  }
  await look()
  const looking = setInterval(() => void look(), ASK_EVERY_MS)

  return {
    areAllReady: () => ready.length === pools.length,
    isReady: (port: number) => ready.some((one) => one.port === port),
    /** @throws where no process is ready, or the one whose turn it was is lost */
    async request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
      const next = ready[turn++ % ready.length]
      if (next === undefined) throw Object.assign(new Error('no process is ready'), { code: 'NONE_READY' })
      return await next.pool.request(options)
    },
    async close() {
      clearInterval(looking)
      await Promise.all(pools.map(({ pool }) => pool.destroy()))
    },
  }
}
