// Connections that wait for a request or a reader: the oldest is closed when there are too many.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createBoundedServer } from '../../src/web/bounded-server.ts'
import { listen } from '../helpers/listen.ts'
import { until } from '../helpers/processes.ts'

const MAX_AWAITING_CLIENT = 3
/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(8 * 1024 * 1024)
/** Two of them are more than all unread responses may be. */
const HUGE = Buffer.alloc(24 * 1024 * 1024)

const server = createBoundedServer(
  (req, res) => {
    if (req.url !== '/never') res.end(req.url === '/large' ? LARGE : req.url === '/huge' ? HUGE : 'ok')
  },
  () => {},
  MAX_AWAITING_CLIENT,
)
let opened: Socket[] = []
/** Numbers of the connections that the server has closed, in the order of their opening. */
const closed = () => opened.flatMap((socket, number) => (socket.destroyed ? [number] : []))

let port: number
beforeAll(async () => void (port = await listen(server)))
beforeEach(() => {
  for (const socket of opened) socket.destroy()
  opened = []
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Opens a connection that sends bytes, and reads nothing. */
async function open(bytes: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {}).pause()
  opened.push(socket)
  await once(socket, 'connect')
  await new Promise((sent) => socket.write(bytes, sent))
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

const connectionCount = () =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

// prettier-ignore
it.each([
  { waitsFor: 'the rest of its request', bytes: 'GET / HTTP/1.1\r\n' },
  { waitsFor: 'its next request', bytes: get('/') },
  { waitsFor: 'a reader of its response', bytes: get('/large') },
  { waitsFor: 'a reader, and sent another request', bytes: get('/large') + get('/') },
  { waitsFor: 'a reader of its response to a body', bytes: 'POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab' },
])('the oldest connection that waits for $waitsFor is closed beyond the maximum', async ({ bytes }) => {
  const before = await connectionCount()
  for (let number = 0; number < MAX_AWAITING_CLIENT + 2; number++) await open(bytes)

  await until(async () => (await connectionCount()) - before <= MAX_AWAITING_CLIENT, 'closing', 5_000)
  for (const socket of opened) socket.resume()
  await until(() => closed().length >= 2, 'the end of both', 5_000)
  expect(closed()).toEqual([0, 1])
})

it('the oldest unread responses are closed beyond 32 MB', async () => {
  for (let number = 0; number < MAX_AWAITING_CLIENT; number++) await open(get('/huge'))

  await until(() => connectionCount().then((count) => count === 1), 'closing', 5_000)
  for (const socket of opened.slice(0, 2)) socket.resume()
  await until(() => closed().length === 2, 'the end of both', 5_000)
  expect(closed()).toEqual([0, 1])
})

it('a connection whose response isn’t ready yet is never closed for others', async () => {
  await open(get('/never'))
  for (let number = 0; number < MAX_AWAITING_CLIENT + 2; number++) await open('GET / HTTP/1.1\r\n')

  for (const socket of opened) socket.resume()
  await until(() => closed().length >= 2, 'the end of two', 5_000)
  expect(closed()).toEqual([1, 2])
})

describe('a crowd of a hundred connections', () => {
  const answered: (string | undefined)[] = []
  let onAnswer = () => {}
  const busy = createBoundedServer(
    (req, res) => {
      answered.push(req.url)
      onAnswer()
      const deadline = performance.now() + 1
      while (performance.now() < deadline);
      res.end('ok')
    },
    () => {},
    1_000,
  )
  let [busyPort, crowd] = [0, [] as Socket[]]
  beforeAll(async () => void (busyPort = await listen(busy)))
  beforeEach(async () => {
    answered.length = 0
    crowd = await Promise.all(Array.from({ length: 100 }, openHere))
  })
  afterEach(() => busy.closeAllConnections())
  afterAll(() => void busy.close())

  async function openHere() {
    const socket = connect({ port: busyPort, host: '127.0.0.1' }).on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  it('new connections are answered while a crowd keeps sending requests', async () => {
    for (const socket of crowd) {
      socket.on('data', () => socket.write(get('/crowd')))
      socket.write(get('/crowd'))
    }
    await until(() => answered.length > 300, 'the crowd')
    const before = answered.length

    const newcomers = Array.from({ length: 50 }, async () => {
      const socket = await openHere()
      socket.write(get('/'))
      await once(socket, 'data')
    })
    await Promise.all(newcomers)
    // If all requests ran at once, the crowd would get a hundred for each newcomer.
    expect(answered.length - before).toBeLessThan(2_000)
  })

  it('a queued request whose connection has closed is dropped', async () => {
    const gone = await openHere()
    // Only then has the server accepted all connections.
    for (const socket of [...crowd, gone]) socket.write(get('/'))
    await until(() => answered.length === 101, 'everyone')

    // The server has read the crowd's requests by then, so this one is the last in the queue.
    onAnswer = () => {
      onAnswer = () => {}
      gone.write(get('/gone'), () => gone.destroy())
    }
    for (const socket of crowd) socket.write(get('/crowd'))
    await until(() => answered.length >= 201, 'the crowd')
    crowd[0]?.write(get('/last'))
    await until(() => answered.includes('/last'), 'the last request')
    expect(answered).not.toContain('/gone')
  })
})
