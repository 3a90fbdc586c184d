// Refreshing on real Redis with two processes of 100 requests each, a slow token endpoint, and a process that is
// killed.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { until } from '../helpers/processes.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { refreshesOf } from './at-plain-server.ts'
import { get, getMany, signInAt, startTwo } from './two-processes.ts'
import { shared } from '../helpers/shared.ts'

const REQUESTS = 100
const SLOW_MS = 3_000

const twoProcesses = shared(() => startTwo())
afterEach(() => twoProcesses.sandbox.reset())

/** Signs in a person whose access token has expired, at a slow token endpoint. */
async function signInExpired(person = 'ada'): Promise<TestBrowser> {
  twoProcesses.sandbox.switches.set({ accessTokenSeconds: 1 })
  const browser = await signInAt(twoProcesses, person)
  expect(browser.page.status).toBe(200)
  await sleep(1_100)
  twoProcesses.sandbox.switches.set({ accessTokenSeconds: 3_600 })
  twoProcesses.sandbox.clearRequests()
  return browser
}

const answered = (status: number, count = REQUESTS) => Array.from({ length: count }, () => status)
/** A process that has called the token endpoint holds the lease. */
const waitForRefresh = () => until(() => twoProcesses.sandbox.count('token') > 0, 'a refresh')

/** Expires the lease, as after forty seconds. */
async function leaseRunsOut(): Promise<void> {
  const keys = [...(await twoProcesses.redis.dump()).keys()].filter((key) => key.includes('lease:refresh:'))
  expect(keys).toHaveLength(1)
  await twoProcesses.redis.ask('DEL', ...keys)
}

it('200 requests of an expired session to two processes refresh once', async () => {
  const browser = await signInExpired()
  twoProcesses.sandbox.switches.set({ faults: { tokenDelayMs: SLOW_MS } })
  const [one, other] = twoProcesses.processes
  const all = await Promise.all([getMany(REQUESTS, one.url, browser), getMany(REQUESTS, other.url, browser)])
  expect(all.flat().map(({ status }) => status)).toEqual(answered(200, 2 * REQUESTS))
  expect(refreshesOf(twoProcesses)).toBe(1)
  expect(twoProcesses.sandbox.count('token')).toBe(1)
})

it('people wait for the lease of a killed process, and get their page', async () => {
  const browser = await signInExpired('carol')
  twoProcesses.sandbox.switches.set({ answers: { token: { hang: true, times: 1 } } })
  const [holder, waiter] = twoProcesses.processes
  const cut = getMany(REQUESTS, holder.url, browser)
  await waitForRefresh()
  await holder.end('SIGKILL')
  expect((await cut).map(({ status }) => status)).toEqual(answered(0))
  expect((await getMany(10, waiter.url, browser)).map(({ status }) => status)).toEqual(answered(503, 10))
  await leaseRunsOut()
  expect((await getMany(10, waiter.url, browser)).map(({ status }) => status)).toEqual(answered(200, 10))
  expect(refreshesOf(twoProcesses)).toBe(1)
  await twoProcesses.startAgain(0)
  expect((await get(twoProcesses.processes[0].url, browser)).status).toBe(200)
})
