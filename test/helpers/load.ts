// Requests that go on while processes are restarted or a store is away: pages, and forms, which a proxy may not repeat as
// it likes.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

export type Asked = { path: string; cookie: string; method?: 'GET' | 'POST' }
type Answer = { asked: Asked; at: number; status: number; milliseconds: number; setCookie: boolean }

/** Few people ask for everything here, and each has a limit. */
const PACE_MS = 100

export type Load = ReturnType<typeof startLoad>

/** @param url the origin @param asks asked for in turn by each worker @param ca whose certificates are believed */
export function startLoad(url: string, asks: readonly Asked[], { workers = 4, ca = '' } = {}) {
  const agent = new Agent({
    connections: workers,
    keepAliveTimeout: 1_000,
    ...(ca === '' ? {} : { connect: { ca }, allowH2: false }),
  })
  const answers: Answer[] = []
  const stopping = new AbortController()
  async function ask(asked: Asked): Promise<void> {
    const { path, cookie, method = 'GET' } = asked
    const at = performance.now()
    const headers = {
      accept: 'text/html',
      cookie,
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': method === 'GET' ? 'none' : 'same-origin',
      ...(method === 'GET' ? {} : { origin: url, 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const answer = await request(url + path, { dispatcher: agent, method, headers }).then(
      async ({ statusCode, headers: sent, body }) => {
        await body.dump()
        return { status: statusCode, setCookie: sent['set-cookie'] !== undefined }
      },
      () => ({ status: 0, setCookie: false }),
    )
    answers.push({ asked, at, milliseconds: performance.now() - at, ...answer })
  }
  const working = Array.from({ length: workers }, async (_, worker) => {
    for (let turn = worker; !stopping.signal.aborted; turn++) {
      await ask(asks[turn % asks.length] ?? { path: '/', cookie: '' })
      await sleep(PACE_MS)
    }
  })
  return {
    /** Status 0: the connection was refused or broke. */
    answers,
    /** Milliseconds between the first and the last answer that was not 200; 0 when all were. */
    trouble() {
      const failed = answers.filter(({ status }) => status !== 200)
      const [first, last] = [failed[0], failed.at(-1)]
      return first === undefined || last === undefined ? 0 : last.at + last.milliseconds - first.at
    },
    /** How many answers there were of each status. */
    counts() {
      const counts: Record<string, number> = {}
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    async stop() {
      stopping.abort()
      await Promise.all(working)
      await agent.close()
    },
  }
}
