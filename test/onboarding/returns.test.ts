// Coming back from an app over HTTP: the service is asked, the person goes on without a click, and no one is sent in circles.
import { describe, expect, it } from 'vitest'
import { ada, consentOf, frontDoor, github, jira, listed, type Page } from './front-door.ts'
import { NOW } from './seen.ts'

const CLICK = '/onboarding/connect/slack_1'

describe('a return', () => {
  it('that the service confirms leads straight to the next, and the last one to the overview', async () => {
    const { at, to, back, asked, notes } = frontDoor()
    await to(CLICK)
    at.now += 10_000
    at.waiting = [github]
    expect(await to(back())).toBe(consentOf('github_1'))
    at.now += 10_000
    at.waiting = []
    expect(await to(back())).toBe('/onboarding?from=github_1')
    expect(asked).toHaveLength(3)
    expect(notes.map((note) => ({ ...note, user: undefined }))).toEqual([
      { event: 'step_started', datasource: 'slack_1' },
      { event: 'step_result', datasource: 'slack_1', result: 'connected' },
      { event: 'step_started', datasource: 'github_1' },
      { event: 'step_result', datasource: 'github_1', result: 'connected' },
    ])
    expect(notes.every((note) => 'user' in note && note.user === ada)).toBe(true)
  })

  it('leads to the overview in between where ADVANCE says so', async () => {
    const { at, to, back } = frontDoor({ advances: false })
    await to(CLICK)
    at.waiting = [github]
    expect(await to(back())).toBe('/onboarding?from=slack_1')
  })

  it('that is not confirmed yet shows the page, which looks again on its own', async () => {
    const { at, to, page, back, notes } = frontDoor()
    await to(CLICK)
    at.now += 10_000
    const path = back()
    const found = await page(path)
    expect(found).toMatchObject({
      checking: { title: 'Checking your Slack connection…', focus: true },
      refresh: { seconds: 3, url: `${path}&unattended=yes` },
      watch: { go: `${path}&unattended=yes` },
      script: 'wait',
    })
    await page(path)
    expect(notes.filter(({ event }) => event === 'step_result')).toEqual([
      { event: 'step_result', user: ada, datasource: 'slack_1', result: 'waiting' },
    ])
  })

  it('that says it failed is not waited for', async () => {
    const { to, back, notes } = frontDoor()
    await to(CLICK)
    expect(await to(`${back()}&error=access_denied`)).toBe('/onboarding?from=slack_1')
    expect(notes.at(-1)).toMatchObject({ event: 'step_result', result: 'unconfirmed' })
  })

  it('asked twice at once asks the service once', async () => {
    const { at, to, back, asked, notes } = frontDoor()
    await to(CLICK)
    at.waiting = [github]
    const path = back()
    expect(await Promise.all([to(path), to(path)])).toEqual([consentOf('github_1'), consentOf('github_1')])
    expect(asked).toHaveLength(2)
    expect(notes).toHaveLength(3)
  })

  it('is answered for itself, whatever other one comes at the same time', async () => {
    const { at, to, back } = frontDoor({ advances: false })
    const paths: string[] = []
    for (const instance of ['slack_1', 'github_1']) {
      await to(`/onboarding/connect/${instance}`)
      paths.push(back())
    }
    at.waiting = []
    expect(await Promise.all(paths.map((path) => to(path)))).toEqual([
      '/onboarding?from=slack_1',
      '/onboarding?from=github_1',
    ])
  })

  it.each(['', '?step=', '?step=someone-elses', '?step=a&step=b'])(
    'that ends nothing (%s) leads to the visit and asks nothing',
    async (query) => {
      const { get, to, asked } = frontDoor()
      await get('/onboarding?datasource=slack')
      expect(await to(`/onboarding/callback${query}`)).toBe('/onboarding?datasource=slack')
      expect(asked).toHaveLength(1)
    },
  )

  it('that is looked at again does not ask while another tab is leaving', async () => {
    const { at, to, page, back, asked } = frontDoor()
    await to(CLICK)
    const path = back()
    await page(path)
    await to('/onboarding/connect/github_1')
    expect(asked).toHaveLength(3)
    expect(await page(path)).toMatchObject({ checking: { instance: 'slack_1', focus: false } })
    expect(asked).toHaveLength(3)
    at.now = NOW + 15_000
    await page(path)
    expect(asked).toHaveLength(4)
  })

  it('one after the other without a page gets one, which goes on by itself, in a browser alone', async () => {
    const instances = Array.from({ length: 6 }, (_, index) => listed(`app_${index}`, `App ${index}`))
    const rush = async (headers?: Record<string, string>) => {
      const { at, to, get, back } = frontDoor()
      at.waiting = instances
      await to('/onboarding/connect')
      for (let count = 1; count < 4; count++) {
        at.waiting = instances.slice(count)
        await to(back())
      }
      at.waiting = instances.slice(4)
      const path = back()
      const { body, headers: said } = await get(path, headers)
      return { path, body: body as Page, location: said['location'] }
    }
    const { path, body } = await rush()
    expect(body).toMatchObject({ refresh: { seconds: 0, url: path }, mood: 'open' })
    expect(body).not.toHaveProperty('watch')
    expect(body).not.toHaveProperty('script')
    for (const headers of [
      { 'sec-fetch-dest': 'document' },
      { 'sec-fetch-dest': 'document', 'user-agent': 'curl/8' },
      { 'sec-fetch-dest': 'document', 'user-agent': 'not Mozilla/5.0' },
      { 'sec-fetch-dest': 'empty', 'user-agent': 'Mozilla/5.0' },
    ])
      expect((await rush(headers)).location).toBe(consentOf('app_4'))
  })

  it('is about an app that came meanwhile, too', async () => {
    const { at, to, back } = frontDoor()
    await to(CLICK)
    at.waiting = [jira]
    expect(await to(back())).toBe(consentOf('jira_1'))
  })
})
