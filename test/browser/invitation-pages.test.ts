// The pages of invitations, with what every page has to pass (examine.ts).
import { describe, expect, it } from 'vitest'
import { invite } from '../helpers/running.ts'
import { findingsOf } from './examine.ts'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite(() => ({ settings: { CONFIRM_SECONDS: '0' } }))

const link = async (email: string) => `${site.running.url}/invite/${await invite(site.running, { email })}`

type Case = {
  name: string
  title: string
  person: string
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
    name: 'reminders of nobody',
    title: 'This unsubscribe link isn’t valid',
    person: 'ada',
    reach: async ({ page }) => void (await page.goto(`${site.running.url}/invite/a.b.c/opt-out`)),
  },
]

describe('every page of invitations', () => {
  it.each(cases)('passes: $name', async ({ title, person, reach }) => {
    const visitor = await site.arrive({ person })
    const { page } = visitor
    let html = ''
    page.on('response', async (response) => {
      if (response.request().isNavigationRequest() && response.status() !== 303)
        html = await response.text().catch(() => '')
    })
    await reach(visitor)
    await page.waitForLoadState('networkidle')

    expect(await page.title()).toBe(`${title} - Search setup`)
    expect(await findingsOf(page, html)).toEqual([])
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  })
})
