// Two processes on one Redis behind a proxy that polls their readiness, each restarted while people work and sign in.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until, type OnrampProcess } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { freePort, run, signIn, startAlone } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import type { Hop } from '../helpers/test-browser.ts'
import { expectSignedIn, startPageLoad } from './outage.ts'
import { startBalancer } from '../helpers/network.ts'

const redis = shared(startRedis)
const settings = { DRAIN_SECONDS: '1', SIGN_INS_PER_MINUTE: '100000' }
const running = shared(() => run({ settings: { REDIS_URL: redis.url, ...settings } }))
const ports: number[] = []
const processes: OnrampProcess[] = []
const startOn = (port: number) => startAlone(running, { PORT: String(port) })
beforeAll(async () => {
  ports.push(await freePort('localhost'), await freePort('localhost'))
  for (const port of ports) processes.push(await startOn(port))
})
afterAll(async () => void (await Promise.all(processes.map((process) => process.close()))))
const proxy = shared(() => startBalancer(Number(running.env['PORT']), ports))

/** Signs people in, one after another, each with a new browser. */
function startSigningIn(people: readonly string[]) {
  const stopping = new AbortController()
  const pages: Hop[] = []
  const hops: Hop[] = []
  const working = (async () => {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const browser = await signIn(running, people[turn % people.length] ?? '')
      pages.push(browser.page)
      hops.push(...browser.hops)
    }
  })()
  const stop = async () => {
    stopping.abort()
    await working
  }
  return { pages, hops, stop }
}

it('a rolling restart of two processes loses no request and no sign-in', async () => {
  const page = `${running.url}/onboarding`
  const browsers = await Promise.all(['ada', 'bob', 'carol'].map((person) => signIn(running, person)))
  const load = startPageLoad(running.url, browsers)
  const signIns = [startSigningIn(['dan', 'eve']), startSigningIn(['frank', 'bob'])]

  for (const [index, port] of ports.entries()) {
    const ended = await processes[index]?.end('SIGTERM')
    expect(ended?.code).toBe(0)
    expect(ended?.milliseconds).toBeLessThan(10_000)
    expect(proxy.ready()).not.toContain(port)
    processes[index] = await startOn(port)
    await until(() => proxy.ready().length === 2, 'both to be ready')
  }

  await load.stop()
  await Promise.all(signIns.map((signingIn) => signingIn.stop()))
  expect(load.counts()).toEqual({ 200: load.responses.length })
  expect(load.responses.length).toBeGreaterThan(100)
  const [pages, hops] = [signIns.flatMap((one) => one.pages), signIns.flatMap((one) => one.hops)]
  expect(pages.length).toBeGreaterThan(10)
  expect(pages.filter(({ status, url }) => status !== 200 || url !== page)).toEqual([])
  expect(hops.filter(({ status }) => status >= 400)).toEqual([])
  await expectSignedIn(browsers, running)
})
