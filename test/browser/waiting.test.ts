// The page that waits for a consent to show, in real Chromium: it holds nobody up and leaves the focus alone.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { defaultPeople, type Person } from '../../packages/sandbox/src/people.ts'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { Running } from '../helpers/running.ts'
import { Visitor } from './visitor.ts'

/** Somebody new for each test, with Ada's five datasources. */
const people: Person[] = Array.from({ length: 4 }, (_, index) => {
  const datasources = defaultPeople.find(({ id }) => id === 'ada')?.datasources ?? []
  return { id: `ada${index}`, name: 'Ada Lovelace', email: `ada${index}@acme.example`, datasources }
})

let browser: Browser
let auto: Running
let arrivals = 0

beforeAll(async () => {
  ;[browser, auto] = await Promise.all([openChromium(), runOnThreeSites({ sandbox: { people } })])
})

beforeEach(() => auto.sandbox.switches.reset())

afterAll(async () => {
  await browser.close()
  await auto.close()
})

const arrive = () => Visitor.arrive(browser, auto, { person: people[arrivals++]?.id ?? '' })

describe('the page that waits', () => {
  it('is stopped with the keyboard: the focus is on what waits once, and no look takes it back', async () => {
    const ada = await arrive()
    auto.sandbox.switches.set({ consentDelaySeconds: 600 })
    await ada.open()
    await ada.goOnAndAllow()
    await ada.reads('Checking your Slack connection…')
    expect(await ada.focused()).toBe('Checking your Slack connection…')
    const active = () => ada.page.evaluate<string>('document.activeElement.tagName')

    const looks: string[] = []
    for (let look = 0; look < 2; look++) {
      await ada.page.waitForEvent('load')
      looks.push(await active())
    }
    expect(looks).toEqual(['BODY', 'BODY'])

    const pressed: string[] = []
    while (pressed.at(-1) !== 'Turn off automatic checks' && pressed.length < 12) {
      await ada.page.keyboard.press('Tab')
      await ada.page.waitForTimeout(500)
      pressed.push(await ada.focused())
    }
    expect(pressed.at(-1)).toBe('Turn off automatic checks')
    await ada.page.keyboard.press('Enter')
    await ada.reads('This page does not look again by itself now.')

    await ada.page.keyboard.press('Tab')
    await ada.page.getByRole('link', { name: 'Go on with GitHub' }).focus()
    await ada.page.keyboard.press('Enter')
    await ada.reads('The service asks to read what you can see in GitHub.')
    expect(ada.complaints).toEqual([])
  })

  it('holds nobody up who said no: the next app is one press away', async () => {
    const ada = await arrive()
    await ada.open()
    await ada.goOn()
    await ada.answer('Deny')
    await ada.reads('Checking your Slack connection…')
    await ada.page.keyboard.press('Tab')
    expect(await ada.focused()).toBe('Turn off automatic checks')
    await ada.page.keyboard.press('Tab')
    expect(await ada.focused()).toBe('Go on with GitHub')
    await ada.page.keyboard.press('Enter')

    await ada.answer('Allow')
    await ada.reads('The service asks to read what you can see in Google Drive.')
    expect(ada.complaints).toEqual([])
  })
})
