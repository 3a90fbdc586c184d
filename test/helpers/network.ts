// A slow connection to a store, and a reverse proxy in front of several processes.
import { once } from 'node:events'
import { Agent, createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'
import { statusOf } from './processes.ts'

/**
 * Between a program and its Redis; each direction stays in order.
 * @param ms delay of each chunk @param writeMs of a chunk that writes, so that another program's read can overtake it
 * @param refuses closes the connection for a matching chunk, as proxies do for unknown commands
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
  const port = await listen(server)
  return {
    port,
    delay: (milliseconds: number) => void (answerMs = milliseconds),
    /** Connects new connections to another port. */
    leadTo: (other: number) => void (leadsTo = other),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

export type ReadyPorts = {
  /** Ports whose process was ready when last polled. */
  ports(): number[]
  /** The next ready port in turn, or undefined. */
  next(): number | undefined
  stop(): void
}

export async function watchReadiness(ports: readonly number[], host = 'localhost'): Promise<ReadyPorts> {
  let ready: number[] = []
  let turn = 0
  const poll = async () => {
    const statuses = await Promise.all(ports.map((port) => statusOf(`http://${host}:${port}/readyz`)))
    ready = ports.filter((_, index) => statuses[index] === 200)
  }
  await poll()
  const pollTimer = setInterval(() => void poll(), 100)
  return {
    ports: () => ready,
    next: () => ready[turn++ % ready.length],
    stop: () => clearInterval(pollTimer),
  }
}

/** A round-robin reverse proxy for ready processes. It doesn't retry, so that tests notice lost requests. */
export async function startBalancer(port: number, targets: readonly number[]) {
  const agent = new Agent({ keepAlive: true })
  const ready = await watchReadiness(targets)
  const server = createHttpServer((req, res) => {
    const { method, url: path, headers } = req
    const to = { agent, host: 'localhost', port: ready.next(), method, path, headers }
    const forwardedRequest = request(to, (response) => {
      res.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(res)
      response.on('error', () => res.destroy())
    })
    forwardedRequest.on('error', () => {
      if (res.headersSent) res.destroy()
      else res.writeHead(502).end()
    })
    req.pipe(forwardedRequest)
  })
  await listen(server, 'localhost', port)
  return {
    ready: () => ready.ports(),
    async close() {
      ready.stop()
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
