// Fixture: a forward proxy that opens no tunnel, and records its requests.
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { listen } from '../helpers/listen.ts'

/** A proxy with this response to each CONNECT, or none. @returns its requests and its address */
export async function stubProxy(answer?: string) {
  const connects: { target: string | undefined; authorization: string | undefined }[] = []
  const sockets: Duplex[] = []
  const server = createServer().on('connect', (req, socket) => {
    connects.push({ target: req.url, authorization: req.headers['proxy-authorization'] })
    sockets.push(socket)
    if (answer !== undefined) socket.end(answer)
  })
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { connects, close, name: `127.0.0.1:${await listen(server)}` }
}
