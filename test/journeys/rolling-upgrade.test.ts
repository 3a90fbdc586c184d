// While servers are replaced one by one, the release before and this one run side by side, on one Redis and behind one
// address: what someone begins at one of them goes on at the other. What they keep: test/records/rolling-upgrade.test.ts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerConsent } from '../helpers/journey.ts'
import { unpackPreviousVersion } from '../helpers/previous-version.ts'
import { startOnramp, type OnrampProcess } from '../helpers/processes.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { startRoundRobin, type RoundRobin } from '../helpers/round-robin.ts'
import { chooseAccount, freePort, run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const [PREVIOUS, THIS] = [0, 1] as const

const previous = unpackPreviousVersion()
let redis: RedisServer
let running: Running
let proxy: RoundRobin
let processes: OnrampProcess[] = []
const ports: number[] = []

beforeAll(async () => {
  redis = await startRedis()
  running = await run({ settings: { REDIS_URL: redis.url, DRAIN_SECONDS: '0' } })
  await running.stopOnramp()
  ports.push(await freePort('localhost'), await freePort('localhost'))
  const env = (version: number) => ({ ...running.env, PORT: `${ports[version]}` })
  processes = await Promise.all([
    // Its folder has another name each time, so that nothing of what is compiled would be found again.
    startOnramp({ ...env(PREVIOUS), NODE_DISABLE_COMPILE_CACHE: '1' }, previous.folder),
    startOnramp(env(THIS)),
  ])
  proxy = await startRoundRobin(Number(running.env['PORT']), ports)
})
afterAll(async () => {
  await proxy.close()
  await Promise.all(processes.map((one) => one.end('SIGKILL')))
  await running.close()
  await redis.close()
  previous.remove()
})

let person = 0
/** Someone whom no other test knows. */
function newcomer(): string {
  const id = `newcomer${++person}`
  const datasources = ['slack', 'github', 'jira'].map((name) => ({
    instance: `${name}_1`,
    displayName: name,
  }))
  running.sandbox.people.push({ id, name: id, email: `${id}@acme.example`, datasources })
  return id
}

const at = (version: number) => proxy.leadTo(ports[version] ?? 0)

/** What /api/status says at a version; only its status where no one is signed in. */
async function statusAt(version: number, browser: TestBrowser): Promise<unknown> {
  at(version)
  const { status, body } = await browser.open(`${running.url}/api/status`, { follow: false })
  return status === 200 ? JSON.parse(body) : status
}

describe('the release before', () => {
  it('is another one, with sources of its own', () => {
    const app = (folder: string) => readFileSync(join(folder, 'src/app.ts'), 'utf8')
    expect(app(previous.folder)).not.toBe(app('.'))
  })
})

describe.each([
  ['the release before', PREVIOUS, THIS],
  ['this release', THIS, PREVIOUS],
])('what someone begins at %s', (_name, first, second) => {
  it('goes on at the other: a sign-in', async () => {
    const browser = new TestBrowser()
    at(first)
    await browser.open(`${running.url}/onboarding`)
    at(second)
    await chooseAccount(running, browser, newcomer())
    expect(browser.page.url).toBe(`${running.url}/onboarding`)
    expect(await statusAt(first, browser)).toMatchObject({ signedIn: true, pending: 3 })
  })

  it('goes on at the other: a walk, with what was skipped', async () => {
    at(first)
    const id = newcomer()
    const browser = await signIn(running, id)
    await browser.submit('/onboarding/skip/jira_1')
    await browser.click('/onboarding/connect/slack_1')
    at(second)
    await answerConsent(browser, 'allow')
    expect(new URL(browser.page.url).origin).toBe(running.sandbox.urls.datasource)
    at(first)
    await answerConsent(browser, 'deny')
    expect(running.sandbox.state(id)).toMatchObject({ slack_1: 'authorized', github_1: 'waiting' })
    const found = await statusAt(first, browser)
    expect(found).toMatchObject({ connected: 1, pending: 1, skipped: 1 })
    expect(await statusAt(second, browser)).toEqual(found)
    await browser.open(`${running.url}/onboarding`)
    await browser.submit('/onboarding/unskip/jira_1')
    expect(await statusAt(first, browser)).toMatchObject({ pending: 2, skipped: 0 })
  })

  it('ends at the other: a sign-in, by signing out, and that of another browser from the list', async () => {
    at(first)
    const id = newcomer()
    const [browser, elsewhere] = [await signIn(running, id), await signIn(running, id)]
    at(second)
    await browser.open(`${running.url}/sessions`)
    await browser.submit('/sessions/end/')
    expect(await statusAt(first, elsewhere)).toBe(401)
    expect(await statusAt(first, browser)).toMatchObject({ signedIn: true })
    at(second)
    await browser.open(`${running.url}/onboarding`)
    const cookie = browser.cookieHeader(running.url)
    await browser.submit('/sign-out')
    browser.setCookie(running.url, ...(cookie.split('=') as [string, string]))
    expect(await statusAt(first, browser)).toBe(401)
  })
})
