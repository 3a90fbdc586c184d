// Requests that go on while processes restart or a store is away: pages, and forms, which a proxy must not repeat.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'

export type LoadRequest = { path: string; cookie: string; method?: 'GET' | 'POST' }
type LoadResponse = {
  request: LoadRequest
  at: number
  status: number
  milliseconds: number
  setCookie: boolean
}

/** Few people send all requests here, and each has a limit. */
const PAUSE_MS = 100

export type Load = ReturnType<typeof startLoad>

/** @param url the origin @param requests sent in turn by each worker @param ca a trusted certificate authority */
export function startLoad(url: string, requests: readonly LoadRequest[], { workers = 4, ca = '' } = {}) {
  const agent = new Agent({
    connections: workers,
    keepAliveTimeout: 1_000,
    ...(ca === '' ? {} : { connect: { ca }, allowH2: false }),
  })
  const responses: LoadResponse[] = []
  const stopController = new AbortController()
  async function send(sent: LoadRequest): Promise<void> {
    const { path, cookie, method = 'GET' } = sent
    const at = performance.now()
    const headers = {
      accept: 'text/html',
      cookie,
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': method === 'GET' ? 'none' : 'same-origin',
      ...(method === 'GET' ? {} : { origin: url, 'content-type': 'application/x-www-form-urlencoded' }),
    }
    const response = await request(url + path, { dispatcher: agent, method, headers }).then(
      async ({ statusCode, headers: received, body }) => {
        await body.dump()
        return { status: statusCode, setCookie: received['set-cookie'] !== undefined }
      },
      () => ({ status: 0, setCookie: false }),
    )
    responses.push({ request: sent, at, milliseconds: performance.now() - at, ...response })
  }
  const workersDone = Array.from({ length: workers }, async (_, worker) => {
    for (let turn = worker; !stopController.signal.aborted; turn++) {
      await send(requests[turn % requests.length] ?? { path: '/', cookie: '' })
      await sleep(PAUSE_MS)
    }
  })
  return {
    /** Status 0: the connection was refused or broke. */
    responses,
    /** Milliseconds between the first and the last response other than 200; 0 if there was none. */
    trouble() {
      const failures = responses.filter(({ status }) => status !== 200)
      const [first, last] = [failures[0], failures.at(-1)]
      return first === undefined || last === undefined ? 0 : last.at + last.milliseconds - first.at
    },
    counts() {
      const counts: Record<string, number> = {}
      for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    async stop() {
      stopController.abort()
      await Promise.all(workersDone)
      await agent.close()
    },
  }
}
