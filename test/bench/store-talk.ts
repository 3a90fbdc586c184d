// What a server asks of Redis: commands, and how many times it waits for an answer before it asks further. A proxy that
// holds answers back for a moment, so that what is asked at once counts as one round trip.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

export type Talk = { commands: number; roundTrips: number }

export type StoreTalk = {
  port: number
  /** What was asked while the work was under way: the least of several times, since pings come in between. */
  during(work: () => Promise<void>): Promise<Talk>
}

const HOLD_MS = 4
const TIMES = 5
/** An array of RESP and its first word: the name of a command. */
const COMMAND = /(?:^|\r\n)\*\d+\r\n\$\d+\r\n([A-Z]+)/gi

export async function startStoreTalk(target: number): Promise<StoreTalk> {
  let talk: Talk = { commands: 0, roundTrips: 0 }
  let isAnswered = true

  const server = createServer({ noDelay: true }, (client) => {
    const redis = connect({ port: target, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, redis]) socket.on('error', () => socket.destroy())
    client.on('close', () => redis.destroy())
    redis.on('close', () => client.destroy())
    client.on('data', (chunk: Buffer) => {
      const names = [...chunk.toString('latin1').matchAll(COMMAND)].map(([, name = '']) => name.toUpperCase())
      const asked = names.filter((name) => name !== 'PING').length
      talk.commands += asked
      if (asked > 0 && isAnswered) talk.roundTrips++
      if (asked > 0) isAnswered = false
      redis.write(chunk)
    })
    redis.on('data', (chunk: Buffer) => {
      setTimeout(() => {
        isAnswered = true
        client.write(chunk)
      }, HOLD_MS)
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    async during(work) {
      const talks: Talk[] = []
      for (let time = 0; time < TIMES; time++) {
        talk = { commands: 0, roundTrips: 0 }
        await work()
        talks.push(talk)
      }
      const least = (value: (one: Talk) => number) => Math.min(...talks.map(value))
      return { commands: least((one) => one.commands), roundTrips: least((one) => one.roundTrips) }
    },
  }
}
