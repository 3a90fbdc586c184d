// The first view on a phone of 390 x 664, with a company file and without scripts: it has the next action.
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { defaultPeople, type Datasource, type Person } from '../../packages/sandbox/src/people.ts'
import { smallTargets } from './examine.ts'
import { useSite, type Visitor } from './visitor.ts'
import { connectAll, slack } from './ways.ts'

const COMPANY = fileURLToPath(new URL('../../examples/acme/company.yaml', import.meta.url))
const SEARCH = 'https://search.acme.example/'
const PHONE = { width: 390, height: 664 }

const people: Person[] = []
const someone = (datasources: Datasource[]) => {
  const id = `ada${people.length}`
  people.push({ id, name: 'Ada Lovelace', email: `${id}@acme.example`, datasources })
  return id
}
const fiveApps = defaultPeople.find(({ id }) => id === 'ada')?.datasources ?? []
const off: Datasource = { ...slack, authStatus: 'DISABLED' }

const inEachLanguage = () => ['en', 'de', 'ar'].map((lang) => ({ lang, person: someone(fiveApps) }))
const [first, declined, unconfirmed] = [inEachLanguage(), inEachLanguage(), inEachLanguage()]
const [finished, partly, turnedOff, undone, searching] = [
  someone(fiveApps.slice(0, 2)),
  someone(fiveApps.slice(0, 2)),
  someone([off]),
  someone(fiveApps),
  someone([{ ...slack, authorized: true }]),
]

const siteWith = (settings: Record<string, string> = {}) =>
  useSite(() => ({
    settings: { COMPANY_FILE: COMPANY, ADVANCE: 'confirm', ...settings },
    sandbox: { people },
  }))
const site = siteWith()
/** CONFIRM_SECONDS is over at once. */
const impatientSite = siteWith({ CONFIRM_SECONDS: '0' })
beforeEach(() => site.running.sandbox.switches.reset())

const arrive = (person = '', locale = 'en', at = site) =>
  at.arrive({ person, locale, viewport: PHONE, javaScriptEnabled: false })

const mainButtons = ({ page }: Visitor) =>
  page.locator('main .button:not(.secondary), main button:not(.secondary, .plain)').allInnerTexts()

/** The bottom of an element without scrolling, in pixels. */
const endOf = async ({ page }: Visitor, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  return box === null ? Infinity : box.y + box.height
}

it.each(first)('the main button of the overview is in the first view, in $lang', async ({ lang, person }) => {
  const ada = await arrive(person, lang)
  await ada.open()
  expect(await endOf(ada, '.step > .button')).toBeLessThanOrEqual(PHONE.height)
  expect(await ada.page.locator('.step > .lines:has(~ .button) li').count()).toBe(3)
  expect(await ada.page.locator('.step > .about li').count()).toBe(5)
  expect(await ada.page.locator('.step > .button ~ :visible').count()).toBe(3)
  // In right-to-left languages, arrows are mirrored and words aren't.
  const mirrored = await ada.page.evaluate<string[]>(
    "[...document.querySelectorAll('main :is(p, li, span, h1, h2, a)')].filter((one) => getComputedStyle(one).transform !== 'none').map((one) => one.textContent)",
  )
  expect(mirrored).toEqual([])
})

it.each(declined)(
  'a person who declined can confirm it or continue to the next app in $lang',
  async ({ lang, person }) => {
    const ada = await arrive(person, lang)
    site.running.sandbox.switches.set({ consentDelaySeconds: 600 })
    await ada.open()
    await ada.goOn()
    await ada.answer('Deny')
    const declineButton = ada.page.locator('.banner form[action="/onboarding/declined/slack_1"] button')
    await declineButton.waitFor()
    expect(await endOf(ada, '.banner button')).toBeLessThanOrEqual(PHONE.height)
    expect(await endOf(ada, '.step > .button')).toBeLessThanOrEqual(PHONE.height)
    await declineButton.click()
    await ada.page.locator('.step.unconfirmed .button[href="/onboarding/connect/slack_1"]').click()
    await expect.poll(() => ada.isAt('datasource')).toBe(true)
  },
)

it.each(unconfirmed)(
  'a person whose confirmation timed out first sees a next step in $lang',
  async ({ lang, person }) => {
    const ada = await arrive(person, lang, impatientSite)
    await ada.open()
    await ada.goOn()
    await ada.answer('Deny')
    await ada.page.locator('.step.unconfirmed').waitFor()
    expect(await ada.page.locator('.fixes li').count()).toBe(2)
    expect(await ada.page.locator('.step.unconfirmed > .button').getAttribute('href')).toBe(
      '/onboarding/connect/slack_1',
    )
    expect(await ada.page.locator('.ways button').count()).toBe(2)
    expect(await endOf(ada, '.ways')).toBeLessThanOrEqual(PHONE.height)
  },
)

it('the last page links to the company’s search, and explains how to disconnect', async () => {
  const ada = await arrive(finished)
  await ada.open()
  await connectAll(ada)
  expect(await ada.page.locator('h1').innerText()).toBe('You’re all set, Ada')
  expect(await mainButtons(ada)).toEqual(['Open Acme Search'])
  expect(await endOf(ada, `a[href="${SEARCH}"]`)).toBeLessThanOrEqual(PHONE.height)
  expect(await ada.text()).toContain(
    `Connected for ${finished}@acme.example. You can disconnect an app any time`,
  )
  await ada.page.locator('.all > summary').click()
  await ada.page.locator('.entry summary').first().click()
  await ada.reads('Connected through your Acme workspace')
  expect(await smallTargets(ada.page)).toEqual([])
})

it('the last page with a skipped app links to search before the app', async () => {
  const ada = await arrive(partly)
  await ada.open()
  await ada.goOn()
  await ada.answer('Allow')
  await ada.page.locator('.banner').waitFor()
  await ada.skip('github_1')
  const buttons = ada.page.locator('main .actions .button')
  expect(await buttons.allInnerTexts()).toEqual(['Open Acme Search', 'Connect GitHub', 'Acme intranet'])
  expect(await mainButtons(ada)).toEqual(['Open Acme Search'])
  expect(await ada.text()).toContain(`Connected for ${partly}@acme.example.`)
})

it('after a search the company’s search and the first result are in the first view', async () => {
  const ada = await arrive(searching)
  await ada.open('/search')
  await ada.search('roadmap')
  expect(await mainButtons(ada)).toEqual(['Open Acme Search'])
  expect(await endOf(ada, '.result')).toBeLessThanOrEqual(PHONE.height)
  // Without results, the next step is another search.
  await ada.search('zebra')
  await ada.reads('No results for')
  expect(await mainButtons(ada)).toEqual(['Search'])
})

it('with all apps disabled, search is the only main action', async () => {
  const ada = await arrive(turnedOff)
  await ada.open()
  const main = ada.page.locator('main .button')
  expect(await main.allInnerTexts()).toEqual(['Open Acme Search', 'Acme intranet'])
  expect(await main.first().getAttribute('class')).toBe('button')
  await ada.reads('You don’t need to do anything.')
})

it('an app put back on the list has the focus', async () => {
  const ada = await arrive(undone)
  const putBack = async (instance: string) => {
    await ada.skip(instance)
    await ada.press(ada.page.locator(`form[action="/onboarding/unskip/${instance}"] button`))
    await ada.page.waitForURL(/from=/)
  }
  await ada.open()
  await putBack('slack_1')
  expect(await ada.focused()).toBe('Connect Slack')
  await putBack('confluence_1')
  expect(await ada.focused()).toBe('Confluence')
})
