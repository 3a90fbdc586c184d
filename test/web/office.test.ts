// An office behind one address: everyone there signs in on one Monday morning, and no single address can abuse that.
import { afterEach, describe, expect, it } from 'vitest'
import { createInvitations } from '../../src/invites/token.ts'
import { answerOf } from '../helpers/faulty.ts'
import { startRedis } from '../helpers/redis.ts'
import { run, signIn, type RunOptions, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function start({ settings, ...options }: RunOptions, store: 'SQLite' | 'Redis'): Promise<Running> {
  const redis = store === 'Redis' ? await startRedis() : undefined
  if (redis !== undefined) closing.push(() => redis.close())
  const running = await run({
    ...options,
    settings: { ...settings, ...(redis === undefined ? {} : { REDIS_URL: redis.url }) },
  })
  closing.push(() => running.close())
  return running
}

/** Each once, a few at a time. */
async function each<T>(list: readonly T[], atOnce: number, visit: (one: T) => Promise<void>): Promise<void> {
  const left = list.values()
  const worker = async () => {
    for (const one of left) await visit(one)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

const open = (running: Running, path: string, browser = new TestBrowser()) =>
  browser.open(running.url + path, { follow: false })

async function startMany(running: Running, count: number, path = '/sign-in'): Promise<number[]> {
  const statuses: number[] = []
  await each(Array.from({ length: count }), 16, async () => {
    statuses.push((await open(running, path)).status)
  })
  return statuses
}

const LIMIT = 40
const limited = { SIGN_INS_PER_MINUTE: String(LIMIT) }

describe.each(['SQLite', 'Redis'] as const)('an office behind one address, on %s', (store) => {
  it('signs in, however many people it has', async () => {
    const running = await start({ settings: limited, sandbox: { company: 3 * LIMIT } }, store)
    await each(running.sandbox.people.slice(-3 * LIMIT), 12, async ({ id }) => {
      const browser = await signIn(running, id)
      expect(browser.page.url, browser.text).toBe(`${running.url}/onboarding`)
    })
  }, 60_000)

  it('signs in by invitations, from landing pages that each person opens twice', async () => {
    const running = await start({ settings: limited, sandbox: { company: 2 * LIMIT } }, store)
    const secrets = [running.env['SESSION_SECRET'] ?? '']
    const invitations = createInvitations({ secrets, audience: running.url, now: Date.now })
    await each(running.sandbox.people.slice(-2 * LIMIT), 4, async ({ id, email }) => {
      const browser = new TestBrowser()
      await browser.open(`${running.url}/invite/${await invitations.issue({ email, datasources: [] }, 14)}`)
      await browser.click('/invite/')
      await browser.post(browser.page.url, { person: id })
      expect(browser.page.status, browser.text).toBe(200)
      expect(browser.page.url).toContain(`${running.url}/onboarding`)
    })
  }, 60_000)

  it('finishes what it has started, though no more can be started', async () => {
    const running = await start({ settings: limited, sandbox: { company: 2 } }, store)
    const [ada, bob] = [new TestBrowser(), new TestBrowser()]
    await ada.open(`${running.url}/onboarding`)
    await bob.open(`${running.url}/onboarding`)
    expect(new Set(await startMany(running, LIMIT))).toEqual(new Set([303, 429]))
    const answer = await answerOf(running, ada)
    expect((await new TestBrowser().open(answer, { follow: false })).status).toBe(429)
    await ada.open(answer)
    expect(ada.page.url, ada.text).toBe(`${running.url}/onboarding`)
    await bob.post(bob.page.url, { person: 'bob' })
    expect(bob.page.url, bob.text).toBe(`${running.url}/onboarding`)
    await startMany(running, LIMIT)
    for (const address of [`${running.url}/sign-in/callback?state=x`, answer])
      expect((await ada.open(address, { follow: false })).status, address).toBe(429)
  }, 60_000)

  it('is refused no more because cookies of last week come along', async () => {
    const running = await start({ settings: limited }, store)
    const statuses: number[] = []
    for (let count = 0; count < LIMIT; count++) {
      const browser = new TestBrowser()
      browser.setCookie(running.url, 'onramp', 's:over.since-friday')
      statuses.push((await open(running, '/sign-in', browser)).status)
    }
    expect(new Set(statuses)).toEqual(new Set([303]))
  })
})

describe('one address', () => {
  it('has room for 280 people a second for five seconds, before the first is back', async () => {
    const running = await start({}, 'SQLite')
    expect(new Set(await startMany(running, 1_400))).toEqual(new Set([303]))
  }, 60_000)

  it('cannot fill the room for sign-ins, however long it goes on', async () => {
    const running = await start(
      { settings: { SIGN_INS_PER_MINUTE: '100', SIGN_INS_WAITING_MB: '1' } },
      'SQLite',
    )
    const statuses = await startMany(running, 400)
    const begun = statuses.filter((status) => status === 303).length
    expect(new Set(statuses)).toEqual(new Set([303, 429]))
    expect(begun).toBeLessThanOrEqual(100)
  }, 60_000)

  it('pushes nothing to the authorization server for sign-ins that could not be kept', async () => {
    const running = await start(
      { settings: { SIGN_INS_PER_MINUTE: '300', SIGN_INS_WAITING_MB: '1' } },
      'SQLite',
    )
    const statuses = await startMany(running, 250, `/sign-in?return_to=/onboarding?x=${'a'.repeat(1_000)}`)
    const begun = statuses.filter((status) => status === 303).length
    expect(begun).toBeLessThan(150)
    // Those that were under way when the last one was kept.
    expect(running.sandbox.count('par')).toBeLessThanOrEqual(begun + 16)
  }, 60_000)

  it('cannot have one person sign in without end', async () => {
    const running = await start({ settings: limited }, 'SQLite')
    const statuses: number[] = []
    for (let count = 0; count < 2 * LIMIT; count++) {
      const browser = new TestBrowser()
      const hop = await browser.open(`${running.url}/sign-in`)
      statuses.push(hop.status)
      if (hop.status === 200) await browser.post(browser.page.url, { person: 'ada' })
    }
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(LIMIT + 15)
    expect(statuses.at(-1)).toBe(429)
  }, 60_000)
})
