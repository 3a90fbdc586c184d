// The load: so many connections, each of which asks again as soon as it was answered (a closed loop). Plain sockets and
// requests made beforehand, because it shares a processor with Redis and the upstream and must not be what is measured.
import { connect, type Socket } from 'node:net'

export type Target = {
  name: string
  port: number
  /** One signed-in session each: every request is another person's, and the next load goes on where the last one ended. */
  cookies: readonly string[]
  /** How many requests were made. */
  asked: number
}

export type Load = Awaited<ReturnType<typeof applyLoad>>

/** What Chromium sends with an address that was typed, but for Accept-Encoding: nobody here compresses. */
const requestFor = (port: number, cookie: string) =>
  Buffer.from(
    [
      'GET /onboarding HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: keep-alive',
      'Upgrade-Insecure-Requests: 1',
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
      'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'Sec-Fetch-Site: none',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-User: ?1',
      'Sec-Fetch-Dest: document',
      'Accept-Language: en-GB,en;q=0.9',
      `Cookie: ${cookie}`,
      '',
      '',
    ].join('\r\n'),
  )

const made = new WeakMap<readonly string[], Buffer[]>()

function requestsFor({ port, cookies }: Target): Buffer[] {
  const requests = made.get(cookies) ?? cookies.map((cookie) => requestFor(port, cookie))
  made.set(cookies, requests)
  return requests
}

type Client = { socket: Socket; sentAt: number; head: string; missing: number }

const END_OF_HEAD = '\r\n\r\n'

/** Takes in what came. @returns whether the answer is whole. @throws for any answer but a 200 of known length */
function take(client: Client, chunk: Buffer): boolean {
  if (client.missing > 0) {
    client.missing -= chunk.length
    return client.missing <= 0
  }
  client.head += chunk.toString('latin1')
  const end = client.head.indexOf(END_OF_HEAD)
  if (end < 0) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(client.head.slice(0, end))?.[1]
  if (!client.head.startsWith('HTTP/1.1 200 ') || length === undefined)
    throw new Error(`answered "${client.head.slice(0, client.head.indexOf('\r'))}", which is no page`)
  client.missing = end + END_OF_HEAD.length + Number(length) - client.head.length
  client.head = ''
  return client.missing <= 0
}

/**
 * Asks for `seconds`, or `most` times, and leaves the connections closed.
 * @throws at the first answer that is not a page, or a connection that breaks
 */
export async function applyLoad(target: Target, connections: number, seconds: number, most = Infinity) {
  const latencies: number[] = []
  const started = performance.now()
  const until = started + seconds * 1000
  const last = target.asked + most
  const requests = requestsFor(target)
  const ask = (client: Client) => {
    client.sentAt = performance.now()
    client.socket.write(requests[target.asked++ % requests.length] ?? '')
  }
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port: target.port, host: '127.0.0.1', noDelay: true })
      const client = { socket, sentAt: 0, head: '', missing: 0 }
      const fail = (error: unknown) => {
        socket.destroy()
        reject(new Error(`${target.name} failed under load`, { cause: error }))
      }
      socket.on('connect', () => ask(client))
      socket.on('error', fail)
      socket.on('close', () => fail(new Error('the server closed the connection')))
      socket.on('data', (chunk: Buffer) => {
        try {
          if (!take(client, chunk)) return
        } catch (error) {
          return fail(error)
        }
        const now = performance.now()
        if (now > until || target.asked >= last) {
          resolve()
          socket.destroy()
        } else {
          latencies.push(now - client.sentAt)
          ask(client)
        }
      })
    })
  await Promise.all(Array.from({ length: connections }, run))
  const requestsPerSecond = (latencies.length * 1000) / (performance.now() - started)
  return { requests: latencies.length, requestsPerSecond, ...percentilesOf(latencies) }
}

/** Of milliseconds; NaN where there are none. */
export function percentilesOf(values: readonly number[]) {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}
