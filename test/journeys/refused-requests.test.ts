// A request that the service refuses for good, and a search that fails: what people are told, and what the log has.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { expectPage, openWorld, type World } from '../helpers/journey.ts'

describe('somebody', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  beforeEach(() => world.sandbox.reset())
  afterAll(() => world.close())

  it('is told that trying again will not help where the service refuses the return address', async () => {
    const answer = { status: 400, body: 'final_redirect_url is not allowed for this tenant' }
    const { browser } = await world.begin(1)
    const from = browser.page.url
    world.sandbox.switches.set({ answers: { checkdatasourceauth: answer } })
    const first = world.log.length

    for (const path of ['/onboarding', '/onboarding/connect/slack_1']) {
      const hop = await browser.open(world.url + path, { from })
      expect(hop.status).toBe(502)
      expectPage(hop)
      expect(hop.headers).not.toHaveProperty('retry-after')
      expect(browser.text).toContain('trying again won’t help')
      expect(hop.body).not.toContain(`>${t('problem.tryAgain')}<`)
    }

    const json = await browser.open(`${world.url}/api/status`)
    expect(JSON.parse(json.body)).toMatchObject({ status: 502, code: 'service_refused_return' })
    const lines = world.log.slice(first).filter((line) => line.includes('service_refused_return'))
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      expect(line).toContain('PUBLIC_URL')
      expect(line).toMatch(/It said: “.*allow/)
    }
  })
})
