// The contact for a failure: one name, in a link that already carries the reference.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'

let running: Running | undefined
const folder = mkdtempSync(join(tmpdir(), 'help-'))
afterEach(async () => {
  await running?.close()
  running = undefined
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The page of a service that refuses this person, where the company names such an address for help. */
async function refused(help: string | undefined) {
  const file = join(folder, 'company.yaml')
  const links =
    help === undefined ? '' : `\nlinks: { help: { url: '${help}', label: Contact the search team } }`
  writeFileSync(file, `name: Acme${links}\n`)
  running = await run({ settings: { COMPANY_FILE: file } })
  const browser = await signIn(running, 'ada')
  running.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 403 } } })
  const { body } = await browser.open(`${running.url}/onboarding`)
  const reference = /Reference: (\S+)/.exec(browser.text)?.[1]
  const hrefs = [...body.matchAll(/<a [^>]*href="([^"]*)"[^>]*>Contact the search team/g)].map(
    ([, href]) => href,
  )
  return { text: browser.text, reference, hrefs: new Set(hrefs) }
}

it.each([
  [
    'mailto:search@acme.example?subject=Search',
    'mailto:search@acme.example?subject=Search&amp;body=Reference%3A%20',
  ],
  ['https://desk.acme.example/new?form=7#top', 'https://desk.acme.example/new?form=7&amp;reference='],
])('someone who needs help finds the reference in the link to %s', async (help, beginning) => {
  const { text, reference, hrefs } = await refused(help)
  expect(reference).toBeDefined()
  const end = help.endsWith('#top') ? '#top' : ''
  expect(hrefs).toEqual(new Set([`${beginning}${reference}${end}`]))
  expect(text).not.toMatch(/\badmin\b/i)
})

it('someone who needs help sends it to their admin where the company names no one', async () => {
  const { text, hrefs } = await refused(undefined)
  expect(hrefs.size).toBe(0)
  expect(text).toMatch(/Send your admin this reference: [0-9a-f]+/)
})

it('someone who needs help gets none for a page that isn’t there', async () => {
  running = await run({})
  const browser = await signIn(running, 'ada')
  await browser.open(`${running.url}/nothing`)
  expect(browser.text).toContain('Page not found')
  expect(browser.text).not.toMatch(/reference/i)
})
