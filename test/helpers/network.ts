// What stands between in real life: a wire with a delay in front of a store, and a balancer in front of several processes.
import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'

export type Between = { port: number; close(): Promise<void> }

/**
 * Between a program and its Redis: every chunk takes so long, and one that writes takes longer, so that a read by somebody
 * else can arrive before it. What goes the same way stays in order.
 */
export async function startDelay(
  target: number,
  { ms, writeMs }: { ms: number; writeMs: number },
): Promise<Between> {
  const sockets = new Set<Socket>()
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
    const upstream = connect(target, '127.0.0.1')
    pass(socket, upstream, (chunk) => (isWrite(chunk) ? writeMs : ms))
    pass(upstream, socket, () => ms)
  })
  return await opened(server, '127.0.0.1', 0, () => {
    for (const socket of sockets) socket.destroy()
  })
}

/** Sends each request to the next of the processes in turn, without changing anything in it. */
export async function startBalancer(host: string, port: number, targets: number[]): Promise<Between> {
  let turn = 0
  const server = createHttpServer((req, res) => {
    const target = targets[turn++ % targets.length]
    const onward = request(
      { host, port: target, method: req.method, path: req.url, headers: req.headers, agent: false },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    onward.on('error', () => res.destroy())
    req.pipe(onward)
  })
  return await opened(server, host, port, () => server.closeAllConnections())
}

async function opened(server: Server, host: string, port: number, cut: () => void): Promise<Between> {
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      cut()
      await closed
    },
  }
}
