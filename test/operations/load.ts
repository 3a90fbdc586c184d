// Requests that go on while processes are restarted: pages, and forms, which a proxy may not repeat as it likes.
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'

export type Asked = { method: 'GET' | 'POST'; path: string; cookie: string }

/** At most this many requests, however long they go on. */
const MAX_REQUESTS = 100_000

/** @param ask what each worker asks for, again and again @param ca whose certificates are believed */
export function startLoad(url: string, ask: readonly Asked[], ca: string) {
  const agent = new Agent({
    connections: ask.length,
    keepAliveTimeout: 1_000,
    allowH2: false,
    connect: { ca },
  })
  const lost: string[] = []
  const counts = { GET: 0, POST: 0 }
  const stopping = new AbortController()
  const working = ask.map(async ({ method, path, cookie }) => {
    while (!stopping.signal.aborted && counts.GET + counts.POST < MAX_REQUESTS) {
      const headers = {
        accept: 'text/html',
        cookie,
        'sec-fetch-mode': 'navigate',
        'sec-fetch-site': method === 'GET' ? 'none' : 'same-origin',
        ...(method === 'GET' ? {} : { origin: url, 'content-type': 'application/x-www-form-urlencoded' }),
      }
      counts[method]++
      try {
        const answer = await request(url + path, { dispatcher: agent, method, headers })
        await answer.body.dump()
        if (answer.statusCode !== (method === 'GET' ? 200 : 303))
          lost.push(`${method} ${path}: ${answer.statusCode}`)
      } catch (error) {
        lost.push(`${method} ${path}: ${String(error)}`)
      }
      await pause(5)
    }
  })
  return {
    counts,
    /** What got no answer, or another one than it should. */
    lost,
    async stop() {
      stopping.abort()
      await Promise.all(working)
      await agent.close()
    },
  }
}
