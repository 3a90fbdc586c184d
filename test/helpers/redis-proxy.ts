// A TCP proxy in front of Redis: its answers come late, or new connections lead to another server.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type RedisProxy = {
  port: number
  /** Every answer from now on comes so many milliseconds late. */
  delay(milliseconds: number): void
  /** Connections from now on lead there; those that stand go on as they are. */
  leadTo(port: number): void
  close(): Promise<void>
}

export async function startRedisProxy(target: number): Promise<RedisProxy> {
  let late = 0
  let upstreamPort = target
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(upstreamPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      if (late === 0) client.write(chunk)
      else setTimeout(() => client.write(chunk), late)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    delay(milliseconds) {
      late = milliseconds
    },
    leadTo(port) {
      upstreamPort = port
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
