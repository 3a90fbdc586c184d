// Emails rendered by a browser, like in webmail: on a phone, in dark mode, from right to left, and without the style
// elements that some programs drop.
import type { BrowserContextOptions } from 'playwright-core'
import { expect, it } from 'vitest'
import { createNoticeComposer } from '../../src/campaigns/mail/email.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { openChromium } from '../helpers/chromium.ts'
import { shared } from '../helpers/shared.ts'
import { ACME, useEmails, picture, png } from '../campaigns/emails.ts'
import { axeFindings, overflowAt } from './examine.ts'

const browser = shared(openChromium)
const write = useEmails()

const NAMES = ['Slack', 'Wiki '.repeat(12), 'مساحة العمل', 'SupercalifragilisticexpialidociousWorkspace']
const looks = {
  'without a company': {},
  'of a company': { file: ACME },
  'with a logo': {
    file: { ...ACME, logo: { light: 'light', dark: 'dark' } },
    pictures: { light: picture('png', png(320, 64)), dark: picture('png', png(300, 64)) },
  },
  'about access that ended': { file: ACME, isLapse: true },
  'from right to left': { file: ACME, person: { email: 'ada@acme.example', language: 'ar' } },
}

/** Rules about landmarks, which the mail program provides. */
const OF_PAGES = /^(light|dark): (landmark-one-main|region|page-has-heading-one)/

/** Opens an email in a page. */
async function show(html: string, options: BrowserContextOptions = {}) {
  const page = await browser.newPage(options)
  await page.setContent(html)
  expect((await axeFindings(page)).filter((finding) => !OF_PAGES.test(finding))).toEqual([])
  return page
}

it.each(Object.entries(looks))(
  'an email %s is readable in both schemes and fits a phone',
  async (_title, look) => {
    const page = await show(write({ apps: NAMES, ...look }).html)
    expect(await overflowAt(page, 320)).toBeLessThanOrEqual(0)
    const button = await page.getByRole('link', { name: /^Connect (my apps|again)$/ }).boundingBox()
    expect(button?.height).toBeGreaterThanOrEqual(48)
  },
)

it('an email to admins with any commands is readable on a phone', async () => {
  const from = { name: '', address: 'search@acme.example' }
  const { html } = createNoticeComposer(from, resolveCompany(ACME, new Map()))(
    'admin@acme.example',
    {
      subject: 'This week',
      heading: 'This week',
      paragraphs: ['More people are ready.'],
      figures: [
        { label: 'Off the list, or unknown to search', value: '50,812', change: '+1,031', href: '/' },
      ],
      needs: [{ title: 'Slack: 9 of 9', detail: 'Find the cause.', command: `onramp ${'x'.repeat(60)}` }],
      commands: [`onramp keep ${'x'.repeat(60)} --release slack_1`],
      link: { href: 'https://search-setup.acme.example/admin', label: 'Open the figures' },
    },
    'digest',
  )

  const page = await show(html)
  expect(await overflowAt(page, 320)).toBeLessThanOrEqual(0)
  const figure = await page.getByText('50,812').boundingBox()
  expect(figure?.height, 'A figure stays on one line').toBeLessThan(30)
})

it('an email without its style elements keeps its colors, button and width', async () => {
  const { html } = write({ file: ACME })
  const bare = html.replaceAll(/<style>.*?<\/style>|<meta name="[^"]*color-scheme[^"]*"[^>]*>/gs, '')
  const page = await show(bare, { viewport: { width: 900, height: 800 }, colorScheme: 'dark' })
  const button = await page.getByRole('link', { name: 'Connect my apps' }).boundingBox()
  expect(button?.height).toBeGreaterThanOrEqual(48)
  expect((await page.locator('table.card').boundingBox())?.width).toBe(560)
  expect(await page.getByText('It takes about 3 minutes').first().isVisible()).toBe(false)
})
