// The process is killed between a consent and the return from it.
import { afterEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { openWorld, type World } from '../helpers/journey.ts'
import { startOnramp, type OnrampProcess } from '../helpers/processes.ts'
import { signIn } from '../helpers/running.ts'
import { stores } from '../helpers/stores.ts'

describe.each(stores)('a process that is killed, on %s', (_name, open) => {
  let world: World | undefined
  let running: OnrampProcess | undefined
  afterEach(async () => {
    await running?.end('SIGKILL')
    await world?.close()
  })

  it('loses nothing: after it is back, the return goes on to the next datasource', async () => {
    world = await openWorld(open)
    await world.stopOnramp()
    running = await startOnramp(world.env)
    const person = world.newcomer(3)
    const browser = await signIn(world, person)
    await browser.submit('/onboarding/skip/gdrive_1')
    await browser.click('/onboarding/connect/slack_1')
    const path = new URL(browser.page.url).pathname
    await browser.submit(`${path}/allow`, { follow: false })
    const back = await browser.open(browser.hops.at(-1)?.location ?? '', { follow: false })
    await running.end('SIGKILL')
    await expect(browser.open(back.location ?? '')).rejects.toThrow('ECONNREFUSED')

    running = await startOnramp(world.env)
    await browser.open(back.location ?? '')
    expect(browser.text).toContain('Allow access?')
    expect(browser.text).toContain('GitHub')
    await browser.submit(`${new URL(browser.page.url).pathname}/allow`)
    expect(browser.text).toContain(t('finished.titleSome'))
    expect(world.sandbox.count('token')).toBe(1)
  })
})
