// Any web page can make an admin's browser open our pages again and again, and drop each view at once.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crowdOf, settle } from '../helpers/crowd.ts'
import { residentMb } from '../bench/machine.ts'
import { startOnramp, type OnrampProcess } from '../helpers/processes.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { timed } from './outage.ts'

const PEOPLE = 8_000
const HEAP_MB = 160
const VIEWS = 500
const SECONDS = 30

let redis: RedisServer
let running: Running
let onramp: OnrampProcess
let grace: TestBrowser
beforeAll(async () => {
  redis = await startRedis()
  running = await run({ settings: { REDIS_URL: redis.url, ADMIN_EMAILS: 'grace@acme.example' } })
  await settle(running, crowdOf(PEOPLE, Date.now()))
  await running.stopOnramp()
  onramp = await startOnramp({ ...running.env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` })
  grace = await signIn(running, 'grace')
})
afterAll(async () => {
  await onramp.end('SIGKILL')
  await running.close()
  await redis.close()
})

const PATHS = [
  '/admin',
  '/admin/people?q=a',
  '/admin/apps',
  '/admin/people.csv',
  '/admin/departments',
  '/admin/report.json',
]

/** Sends a request, and drops it a moment later. */
function drop(number: number): void {
  const path = number % 2 === 0 ? '/admin/people' : (PATHS[number % PATHS.length] ?? '')
  const headers = {
    accept: 'text/html',
    cookie: grace.cookieHeader(running.url),
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  }
  const outgoing = request(running.url + path, { headers, agent: false })
  outgoing.once('error', () => {}).end()
  setTimeout(() => outgoing.destroy(), 5 + (number % 7) * 5)
}

it(
  'an admin whose browser drops views by the hundred sees their own page, and no one else waits',
  { timeout: 200_000 },
  async () => {
    const flood = { hasEnded: false }
    const [health, memory, views]: [number[], number[], number[]] = [[], [], []]
    const probing = (async () => {
      for (; !flood.hasEnded; await sleep(50)) {
        health.push((await timed(async () => (await fetch(`${running.url}/healthz`)).text())).milliseconds)
        memory.push(residentMb(onramp.pid))
      }
    })()
    const looking = (async () => {
      for (; !flood.hasEnded; await sleep(2_000))
        for (const path of ['/admin/people', '/admin']) {
          const view = await timed(() => grace.open(running.url + path))
          expect(view.result.status).toBe(200)
          views.push(view.milliseconds)
        }
    })()
    for (let number = 0; number < VIEWS; number++) {
      drop(number)
      await sleep((SECONDS * 1000) / VIEWS)
    }
    flood.hasEnded = true
    await Promise.all([probing, looking])

    const [early, late] = [memory.slice(0, memory.length / 2), memory.slice(memory.length / 2)]
    // One of a hundred may wait for something else on a busy machine.
    expect(health.toSorted((one, other) => one - other)[Math.floor(health.length * 0.99)]).toBeLessThan(250)
    expect(Math.max(...views)).toBeLessThan(5_000)
    expect(Math.max(...late)).toBeLessThan(Math.max(...early) + 30)
    expect(onramp.hasEnded()).toBe(false)
  },
)
