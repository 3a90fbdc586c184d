// A reverse proxy as small as can be: in turn to whichever process says that it is ready. It repeats nothing, so what a
// process loses is lost.
import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { statusOf } from './processes.ts'

export type RoundRobin = {
  /** Ports that were ready when last asked. */
  ready(): number[]
  /** From now on every request goes there. */
  leadTo(port: number): void
  close(): Promise<void>
}

const ASK_EVERY_MS = 100

export async function startRoundRobin(listenOn: number, ports: readonly number[]): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true })
  let ready: number[] = []
  let turn = 0
  let chosen: number | undefined

  const look = async () => {
    const answers = await Promise.all(ports.map((port) => statusOf(`http://localhost:${port}/readyz`)))
    ready = ports.filter((_, index) => answers[index] === 200)
  }
  await look()
  const looking = setInterval(() => void look(), ASK_EVERY_MS)

  const pass = (req: IncomingMessage, res: ServerResponse) => {
    const port = chosen ?? ready[turn++ % ready.length]
    const { method, url: path, headers } = req
    const onward = request({ agent, host: 'localhost', port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
      answer.on('error', () => res.destroy())
    })
    onward.on('error', () => {
      if (res.headersSent) res.destroy()
      else res.writeHead(502).end()
    })
    req.pipe(onward)
  }
  const server = createServer(pass)
  server.listen(listenOn, 'localhost')
  await once(server, 'listening')
  return {
    ready: () => ready,
    leadTo: (port) => void (chosen = port),
    async close() {
      clearInterval(looking)
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}
