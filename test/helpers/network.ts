// What stands between in real life: a wire in front of a store, and a reverse proxy in front of several processes.
import { once } from 'node:events'
import { Agent, createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { statusOf } from './processes.ts'

export type Wire = Awaited<ReturnType<typeof startWire>>

/**
 * Between a program and its Redis. What goes the same way stays in order.
 * @param ms how long every chunk takes
 * @param writeMs the same for one that writes: so that a read by another program can arrive before it
 * @param refuses closes the connection for a chunk that matches, as proxies do for a command that they don't know
 */
export async function startWire(
  target: number,
  { ms = 0, writeMs = ms, refuses }: { ms?: number; writeMs?: number; refuses?: RegExp } = {},
) {
  const sockets = new Set<Socket>()
  let [leadsTo, answerMs] = [target, ms]
  const pass = (from: Socket, to: Socket, delayOf: (chunk: Buffer) => number) => {
    let last = 0
    // Timers of different lengths end out of order; bytes must not.
    const underWay: Buffer[] = []
    sockets.add(from)
    from.on('data', (chunk: Buffer) => {
      last = Math.max(last, performance.now() + delayOf(chunk))
      underWay.push(chunk)
      setTimeout(() => {
        const oldest = underWay.shift()
        if (oldest !== undefined && to.writable) to.write(oldest)
      }, last - performance.now())
    })
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    from.on('error', () => to.destroy())
  }
  const isWrite = (chunk: Buffer) => /\r\n(SET|EVAL|DEL)\r\n/.test(chunk.toString('latin1'))
  const server = createServer((socket) => {
    const upstream = connect(leadsTo, '127.0.0.1')
    socket.on(
      'data',
      (chunk) => refuses?.test(chunk.toString('latin1')) === true && socket.end('-ERR unknown\r\n'),
    )
    pass(socket, upstream, (chunk) => (isWrite(chunk) ? writeMs : ms))
    pass(upstream, socket, () => answerMs)
  })
  const port = await opened(server, '127.0.0.1', 0)
  return {
    port,
    /** Every answer from now on comes so many milliseconds late. */
    delay: (milliseconds: number) => void (answerMs = milliseconds),
    /** Connections from now on lead there; those that stand go on as they are. */
    leadTo: (other: number) => void (leadsTo = other),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const ASK_EVERY_MS = 100

/**
 * A reverse proxy as small as can be: in turn to the processes that say they are ready. It repeats nothing, so what a process
 * loses is lost.
 */
export async function startBalancer(port: number, targets: readonly number[]) {
  const agent = new Agent({ keepAlive: true })
  let ready: number[] = []
  let turn = 0
  const look = async () => {
    const answers = await Promise.all(targets.map((one) => statusOf(`http://localhost:${one}/readyz`)))
    ready = targets.filter((_, index) => answers[index] === 200)
  }
  await look()
  const looking = setInterval(() => void look(), ASK_EVERY_MS)
  const server = createHttpServer((req, res) => {
    const { method, url: path, headers } = req
    const to = { agent, host: 'localhost', port: ready[turn++ % ready.length], method, path, headers }
    const onward = request(to, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
      answer.on('error', () => res.destroy())
    })
    onward.on('error', () => {
      if (res.headersSent) res.destroy()
      else res.writeHead(502).end()
    })
    req.pipe(onward)
  })
  await opened(server, 'localhost', port)
  return {
    /** Ports that were ready when last asked. */
    ready: () => ready,
    async close() {
      clearInterval(looking)
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}

async function opened(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
