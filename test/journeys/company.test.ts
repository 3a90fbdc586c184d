// What a company file changes for people: names, languages, what is said of apps, their order, and what is hidden.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerConsent, openWorld, type World } from '../helpers/journey.ts'
import { sqlite } from '../helpers/stores.ts'
import { linksOf } from '../helpers/test-browser.ts'

const FILE = `
name: Acme
product: Acme Search
languages: [en, ar]
links:
  privacy: { url: https://intranet.acme.example/privacy }
  home: { url: https://intranet.acme.example/, label: { en: Back to the Acme intranet } }
texts: { en: { overview.lead: All of Acme in one place. } }
examples: { en: [Q4 roadmap] }
datasources:
  gdrive: { order: 1, reads: { en: [Files shared with you] }, never: { en: [It cannot delete anything] }, why: { en: Plans are kept there }, account: { en: your Acme account }, required: true }
  github: { order: 2, help: { en: Needs the VPN } }
  slack_1: { hidden: true }
`

const folder = mkdtempSync(join(tmpdir(), 'onramp-company-'))
let world: World
beforeAll(async () => {
  const file = join(folder, 'company.yaml')
  writeFileSync(file, FILE)
  world = await openWorld(sqlite, { settings: { COMPANY_FILE: file } })
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

it('the company file names the company and its search, and replaces texts', async () => {
  const { browser } = await world.begin(3)
  expect(browser.page.body).toContain('<title>0 of 2 connected - Connect your apps to Acme Search</title>')
  expect(browser.text).toContain('All of Acme in one place.')
  expect(linksOf(browser.page.body)).toContain('https://intranet.acme.example/privacy')
})

it('the company file says what search reads, what it never does, why, and which account to use, before people leave', async () => {
  const { browser } = await world.begin(3)
  const words = ['Files shared with you', 'It cannot delete anything', 'Plans are kept there']
  for (const text of [...words, 'Use your Acme account', 'Needs the VPN'])
    expect(browser.text).toContain(text)
})

it('the company file puts apps into its order, and leaves out those that it hides from the walk, its count and its status', async () => {
  const { browser } = await world.begin(3)
  expect(linksOf(browser.page.body).filter((href) => href.startsWith('/onboarding/connect/'))).toEqual([
    '/onboarding/connect/gdrive_1',
    '/onboarding/connect/github_1',
  ])
  expect(browser.page.body).not.toContain('slack_1')
  await browser.click('/onboarding/connect/gdrive_1')
  await answerConsent(browser, 'allow')
  // What the company says of GitHub is read before leaving for it.
  expect(browser.text).toContain('Next up: GitHub.')
  await browser.click('/onboarding/connect/github_1')
  await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You’re all set')
  expect(browser.text).toContain('Both apps are connected.')
  expect(linksOf(browser.page.body)).toContain('/search?q=Q4%20roadmap')
  expect(browser.text).toContain('Back to the Acme intranet')
  const status = await browser.open(`${world.url}/api/status`)
  expect(JSON.parse(status.body)).toMatchObject({ connected: 2, pending: 0 })
  const hidden = await browser.open(`${world.url}/onboarding/connect/slack_1`, {
    from: `${world.url}/onboarding`,
  })
  expect(hidden.status).toBe(404)
})

it('the company file offers its languages only', async () => {
  const { browser } = await world.begin(3)
  const arabic = await browser.open(`${world.url}/onboarding?lang=ar`)
  expect(arabic.body).toContain('<html lang="ar" dir="rtl">')
  expect(arabic.headers['content-language']).toBe('ar')
  expect(arabic.headers['vary']).toContain('Accept-Language')
  const kept = await browser.open(`${world.url}/onboarding`)
  expect(kept.body).toContain('<html lang="ar" dir="rtl">')
  expect((await browser.open(`${world.url}/onboarding?lang=de`)).body).toContain('<html lang="ar"')
})
