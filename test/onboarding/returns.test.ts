// Coming back from an app over HTTP: the service is asked, the person goes on without a click, and no one is sent in circles.
import { expect, it } from 'vitest'
import { ada, consentOf, frontDoor, github } from './front-door.ts'
import { NOW } from './seen.ts'

const CLICK = '/onboarding/connect/slack_1'

it('a return that the service confirms leads straight to the next, and the last one makes the last page', async () => {
  const { at, to, page, back, calls, notes } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  at.waiting = [github]
  expect(await to(back())).toBe(consentOf('github_1'))
  at.now += 10_000
  at.waiting = []
  expect(await page(back())).toMatchObject({ state: 'done', arrived: true })
  expect(calls).toHaveLength(3)
  expect(notes.map((note) => ({ ...note, user: undefined }))).toEqual([
    { event: 'step_started', datasource: 'slack_1' },
    { event: 'step_result', datasource: 'slack_1', result: 'connected' },
    { event: 'step_started', datasource: 'github_1' },
    { event: 'step_result', datasource: 'github_1', result: 'connected' },
  ])
  expect(notes.every((note) => 'user' in note && note.user === ada)).toBe(true)
})

const vpn = { help: 'Connect to the VPN first.' }
const back = 'Allow access in Slack, and we’ll bring you back here.'
it.each<[string, Parameters<typeof frontDoor>[0], boolean]>([
  ['nothing', {}, false],
  ['all that but help, of every app', { all: { account: 'yours', never: ['Post.'], why: 'Plans.' } }, false],
  ['what to do before this app', { slack: vpn }, false],
  ['what to do first', { github: vpn }, true],
  ['what to do first, in another language', { github: { help: { de: 'Erst das VPN.' } } }, true],
  ['what to do first, of every app', { all: vpn }, true],
])('a return before an app of which the company says %s', async (_what, datasources, pauses) => {
  const { at, get, page, to, back: path } = frontDoor(datasources)
  const { card } = await page('/onboarding')
  expect(JSON.stringify(card).includes(back)).toBe(pauses)
  await to(CLICK)
  at.now += 10_000
  at.waiting = [github]
  expect((await get(path())).status).toBe(pauses ? 200 : 303)
})

it('a return that is not confirmed yet shows the page, which looks again on its own', async () => {
  const { at, to, page, back, notes } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  const path = back()
  const found = await page(path)
  expect(found).toMatchObject({
    confirming: { title: 'Checking Slack…', focus: true },
    refresh: { seconds: 5, url: `${path}&unattended=yes` },
    polling: { url: `${path}&unattended=yes` },
    script: 'walk',
  })
  await page(path)
  expect(notes.filter(({ event }) => event === 'step_result')).toEqual([
    { event: 'step_result', user: ada, datasource: 'slack_1', result: 'waiting' },
  ])
})

it('a return is the only way to go straight on: a page that waits ends at what was connected, and at the next button', async () => {
  const { at, to, page, back, calls } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  const path = back()
  await page(path)
  at.now += 5_000
  at.waiting = [github]
  const ended = await page(`${path}&unattended=yes`)
  expect(ended).toMatchObject({
    banner: { title: 'Slack connected', text: 'Next up: GitHub.' },
    card: { main: { href: '/onboarding/connect/github_1' } },
    focusesMain: true,
  })
  expect([ended['refresh'], calls.length]).toEqual([undefined, 3])
})

it('a return that another tab held up, or whose check failed, ends at a page too', async () => {
  for (const hold of ['another tab', 'a failure'] as const) {
    const { at, to, get, page, back } = frontDoor()
    await to(CLICK)
    const path = back()
    at.now += 10_000
    at.fails = hold === 'a failure'
    await page(path)
    if (hold === 'another tab') await to('/onboarding/connect/github_1')
    await get(path)
    at.now += 20_000
    Object.assign(at, { fails: false, waiting: [github] })
    expect(await page(path)).toMatchObject({ banner: { title: 'Slack connected' } })
  }
})

it.each(['access_denied', 'server_error'])('a return that says error=%s is not waited for', async (error) => {
  const { at, to, page, back } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  const { confirming, refresh, card } = await page(`${back()}&error=${error}`)
  expect([confirming, refresh]).toEqual([undefined, undefined])
  expect(card).toMatchObject({
    title: 'Slack isn’t connected yet',
    paragraphs: [expect.stringContaining('Access wasn’t allowed')],
  })
})

it.each(['', 'step=&', 'step=made-up&'])(
  'a return with an error but without the open step (%j) may be another site’s link, and fails nothing',
  async (step) => {
    const { at, to, page, notes } = frontDoor()
    await to(CLICK)
    at.now += 10_000
    const { confirming } = await page(`/onboarding/callback?${step}error=1`)
    expect(confirming).toMatchObject({ title: 'Checking Slack…' })
    expect(notes.at(-1)).toMatchObject({ event: 'step_result', result: 'waiting' })
  },
)

it('a return that is requested twice at once checks once', async () => {
  const { at, to, back, calls, notes } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  at.waiting = [github]
  const path = back()
  expect(await Promise.all([to(path), to(path)])).toEqual([consentOf('github_1'), consentOf('github_1')])
  expect(calls).toHaveLength(2)
  expect(notes).toHaveLength(3)
})

it.each(['', '?step=', '?step=lost', '?status=success'])(
  'a return that has lost its query (%s) is one all the same: the service is asked, and no tab is blamed',
  async (query) => {
    const { at, to, page, calls } = frontDoor()
    await to(CLICK)
    at.now += 10_000
    at.waiting = [github]
    expect(await to(`/onboarding/callback${query}`)).toBe(consentOf('github_1'))
    expect(calls).toHaveLength(2)
    expect(await page('/api/status')).toMatchObject({ connected: 1, pending: 1 })
  },
)

it('a return whose check fails is recorded: the next page checks', async () => {
  const { at, to, get, page, back, calls, handed } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  at.fails = true
  expect((await get(back())).status).toBe(503)
  at.fails = false
  at.waiting = [github]
  expect(await page('/onboarding')).toMatchObject({ card: { instance: 'github_1' } })
  expect([calls.length, handed.length]).toEqual([3, 2])
  expect(await page('/api/status')).toMatchObject({ connected: 1, pending: 1 })
})

it('a return that is looked at again does not ask while another tab is leaving', async () => {
  const { at, to, page, back, calls, handed } = frontDoor()
  await to(CLICK)
  at.now += 10_000
  const path = back()
  await page(path)
  await to('/onboarding/connect/github_1')
  await page('/onboarding')
  expect(await page(path)).toMatchObject({ confirming: { instance: 'slack_1', focus: false } })
  expect([calls.length, handed.length]).toEqual([3, 3])
  at.now = NOW + 25_000
  await page(path)
  expect([calls.length, handed.length]).toEqual([4, 4])
})

it('a return that took no click gets a page that asks nothing and goes on, in a browser alone', async () => {
  const { at, to, page, back, calls } = frontDoor()
  await to(CLICK)
  at.now += 9_999
  at.waiting = [github]
  const path = back()
  const between = await page(path)
  expect(between).toEqual({
    view: 'onboarding/between',
    title: 'Checking Slack…',
    refresh: { seconds: 0, url: path },
  })
  expect(calls).toHaveLength(1)
  expect(await to(path)).toBe(consentOf('github_1'))
  expect(calls).toHaveLength(2)
  for (const headers of [
    { 'sec-fetch-dest': 'document' },
    { 'sec-fetch-dest': 'document', 'user-agent': 'curl/8' },
    { 'sec-fetch-dest': 'document', 'user-agent': 'not Mozilla/5.0' },
    { 'sec-fetch-dest': 'empty', 'user-agent': 'Mozilla/5.0' },
  ]) {
    const other = frontDoor()
    await other.to(CLICK)
    other.at.waiting = [github]
    const { headers: answered } = await other.get(other.back(), headers)
    expect(answered['location']).toBe(consentOf('github_1'))
  }
})
