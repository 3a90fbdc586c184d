// The pages of invitations and of administrators, with what every page has to pass (examine.ts).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { createInvitations } from '../../src/invites/token.ts'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import { crowdOf, settle } from '../helpers/crowd.ts'
import type { Running } from '../helpers/running.ts'
import { axeFindings, htmlFindings, overflowAt, smallTargets, weightOf } from './examine.ts'
import { Visitor } from './visitor.ts'

const DAY_MS = 86_400_000
const WIDTHS = [320, 1280]

let browser: Browser
let running: Running

beforeAll(async () => {
  running = await runOnThreeSites({ settings: { ADMIN_EMAILS: 'grace@acme.example', CONFIRM_SECONDS: '0' } })
  browser = await openChromium()
  await settle(running, crowdOf(600, Date.now()))
})
afterAll(async () => {
  await browser.close()
  await running.close()
})

const link = async (email: string, issuedDaysAgo = 0) => {
  const secrets = [running.env['SESSION_SECRET'] ?? '']
  const at = () => Date.now() - issuedDaysAgo * DAY_MS
  const token = await createInvitations({ secrets, audience: running.url, now: at }).issue(
    { email, datasources: [] },
    14,
  )
  return `${running.url}/invite/${token}`
}

type Case = {
  name: string
  title: string
  person: string
  /** Over the wire; other pages than this stay below 8 KiB. */
  mostBytes?: number
  reach: (v: Visitor) => Promise<void>
}

const press = ({ page }: Visitor, name: string) => page.getByRole('button', { name }).click()

const cases: Case[] = [
  {
    name: 'an invitation',
    title: 'Connect your apps to search',
    person: 'ada',
    reach: async ({ page }) => void (await page.goto(await link('ada@acme.example'))),
  },
  {
    name: 'an expired invitation',
    title: 'This link doesn’t work',
    person: 'ada',
    reach: async ({ page }) => void (await page.goto(await link('ada@acme.example', 99))),
  },
  {
    name: 'an invitation for somebody else',
    title: 'This invitation is for another account',
    person: 'bob',
    async reach(visitor) {
      await visitor.open()
      await visitor.page.goto(await link('ada@acme.example'))
    },
  },
  {
    name: 'reminders that can be stopped',
    title: 'Stop reminder emails?',
    person: 'ada',
    reach: async ({ page }) => void (await page.goto(`${await link('ada@acme.example')}/opt-out`)),
  },
  {
    name: 'reminders that were stopped',
    title: 'You won’t get any more reminders',
    person: 'ada',
    async reach(visitor) {
      await visitor.page.goto(`${await link('stopped@acme.example')}/opt-out`)
      await press(visitor, 'Stop reminders')
    },
  },
  {
    name: 'reminders that come again',
    title: 'Reminders are back on',
    person: 'ada',
    async reach(visitor) {
      await visitor.page.goto(`${await link('again@acme.example')}/opt-out`)
      await press(visitor, 'Stop reminders')
      await press(visitor, 'Turn reminders back on')
    },
  },
  {
    name: 'reminders of nobody',
    title: 'This unsubscribe link isn’t valid',
    person: 'ada',
    reach: async ({ page }) => void (await page.goto(`${running.url}/invite/a.b.c/opt-out`)),
  },
  {
    name: 'the page of administrators',
    title: 'Rollout progress',
    person: 'grace',
    mostBytes: 16_384,
    reach: (visitor) => visitor.open('/admin'),
  },
  {
    name: 'the page of administrators, nobody found',
    title: 'Rollout progress',
    person: 'grace',
    mostBytes: 16_384,
    reach: (visitor) => visitor.open('/admin?q=nobody-is-called-so&show=finished'),
  },
]

describe('every page of invitations', () => {
  it.each(cases)('passes: $name', async ({ title, person, mostBytes = 8_192, reach }) => {
    const visitor = await Visitor.arrive(browser, running, { person })
    const { page } = visitor
    let html = ''
    page.on('response', async (response) => {
      if (response.request().isNavigationRequest() && response.status() !== 303)
        html = await response.text().catch(() => '')
    })
    await reach(visitor)
    await page.waitForLoadState('networkidle')

    expect(await page.title()).toBe(`${title} - Search setup`)
    expect(await htmlFindings(html)).toEqual([])
    expect(html).not.toMatch(/undefined|\[object|NaN/)
    expect(weightOf(html)).toBeLessThanOrEqual(mostBytes)
    expect(await page.locator('h1').count()).toBe(1)
    for (const width of WIDTHS) {
      expect(await overflowAt(page, width)).toBeLessThanOrEqual(0)
      expect(await axeFindings(page)).toEqual([])
      expect(await smallTargets(page)).toEqual([])
    }
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  })
})

const BROKEN_WORDS = `[...document.querySelectorAll('.wide-table th, .wide-table td')].flatMap((cell) => {
  const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
  const broken = []
  for (let text = words.nextNode(); text !== null; text = words.nextNode())
    for (const found of text.data.matchAll(/[^\\s-]{2,30}(?=[\\s-]|$)/g)) {
      if (/\\S{31,}/.test(text.data)) continue
      const range = document.createRange()
      range.setStart(text, found.index)
      range.setEnd(text, found.index + found[0].length)
      if (range.getClientRects().length > 1) broken.push(found[0])
    }
  return broken
})`

const HEADINGS_OF_TWO_LINES = `[...document.querySelectorAll('thead th')]
  .filter((cell) => cell.getBoundingClientRect().height > 45).map((cell) => cell.textContent)`

/** Labels of the drawing that are smaller than ten pixels, or stick out of its card. */
const UNREADABLE = `(() => {
  const card = document.querySelector('section[aria-labelledby=plot]').getBoundingClientRect()
  return [...document.querySelectorAll('.plot-marks span, .plot-span span, .legend li')].filter((label) => {
    const box = label.getBoundingClientRect()
    const size = parseFloat(getComputedStyle(label).fontSize)
    return size < 10 || box.left < card.left || box.right > card.right
  }).map((label) => label.textContent)
})()`

describe('the page of administrators', () => {
  const at = async (page: Page, width: number) => {
    await page.setViewportSize({ width, height: 800 })
    return {
      words: await page.evaluate(BROKEN_WORDS),
      headings: await page.evaluate(HEADINGS_OF_TWO_LINES),
      labels: await page.evaluate(UNREADABLE),
    }
  }

  it('breaks no word in its tables and no label of its drawing, on a phone or elsewhere', async () => {
    const grace = await Visitor.arrive(browser, running, { person: 'grace' })
    await grace.open('/admin?show=waiting')
    for (const width of [320, 360, 768, 1280])
      expect(await at(grace.page, width), `${width}`).toEqual({ words: [], headings: [], labels: [] })
    await grace.leave()
  })
})

it('asking an administrator is as easy to find as "not now", where connecting did not work', async () => {
  const ada = await Visitor.arrive(browser, running, { person: 'ada' })
  await ada.open()
  await ada.goOn()
  await ada.answer('Deny')
  await ada.reads('Slack isn’t connected yet')
  const step = ada.page.locator('.step')
  const [notNow, administrator] = await Promise.all(
    ['Skip for now', 'I need an admin to approve this'].map((name) =>
      step.getByRole('button', { name }).boundingBox(),
    ),
  )
  expect(administrator?.height).toBe(notNow?.height)
  expect(await ada.page.locator('form[action="/onboarding/blocked/slack_1"]').count()).toBe(1)
  await step.getByRole('button', { name: 'I need an admin to approve this' }).click()
  await ada.reads('Slack waits for your administrator')
  await ada.leave()
})
