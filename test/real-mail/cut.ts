// A TCP proxy to the mail server that breaks one connection in the middle of an email. The bytes are encrypted, so it
// recognizes an email by its length.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const BEFORE_AN_EMAIL = 5_000

/** middle: half of an email has arrived; answer: all of it has arrived, and the server's reply is lost. */
export type Where = 'middle' | 'answer'

/** The sender notices only after all of it was sent. */
const SILENCE_MS = 500

export async function startCut(target: number, where: Where) {
  let hasCut = false
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const onward = connect(target, '127.0.0.1')
    const both = [client, onward]
    const end = () => both.forEach((socket) => socket.destroy())
    for (const socket of both) sockets.add(socket.on('error', end).on('close', end))
    let bytes = 0
    client.on('data', (chunk: Buffer) => {
      const space = Math.max(0, BEFORE_AN_EMAIL - bytes)
      bytes += chunk.length
      if (hasCut || where === 'answer' || bytes <= BEFORE_AN_EMAIL) return void onward.write(chunk)
      hasCut = true
      onward.write(chunk.subarray(0, space))
      client.pause()
      return void pause(SILENCE_MS).then(end)
    })
    onward.on('data', (chunk: Buffer) => {
      if (hasCut || where !== 'answer' || bytes <= BEFORE_AN_EMAIL) return void client.write(chunk)
      hasCut = true
      return end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    hasCut: () => hasCut,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
