// The page of an invitation before the sign-in: apps of the company file, and the sender.
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { invite, run } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const COMPANY_FILE = fileURLToPath(new URL('../../examples/acme/company.yaml', import.meta.url))
const settings = {
  COMPANY_FILE,
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'Acme Search <search@acme.example>',
}
const running = shared(() => run({ settings }))

async function open(path: string) {
  const browser = new TestBrowser()
  const { body } = await browser.open(`${running.url}/invite/${path}`)
  const apps = [...body.matchAll(/<li class="source">.*?<bdi>(.*?)<\/bdi>/g)].map(([, name]) => name)
  return { apps, text: browser.text }
}

const issue = (datasources: string[]) => invite(running, { datasources })

it('an invitation’s page shows example apps in the company’s order, the duration and the sender', async () => {
  const { apps, text } = await open(issue([]))
  expect(apps).toEqual(['Slack', 'Google Drive', 'Jira'])
  expect(text).toContain('Connect apps such as')
  expect(text).toContain('about a minute per app')
  expect(text).toContain('Invitation from Acme Search.')
  expect(running.sandbox.requests.filter(({ operation }) => operation !== 'discovery')).toEqual([])
})

it('an invitation’s page lists its apps, also those missing from the company file', async () => {
  const two = await open(issue(['gdrive_1', 'github']))
  expect(two.apps).toEqual(['Google Drive', 'GitHub'])
  expect(two.text).toContain('Apps you can connect Google Drive')
  const many = Array.from({ length: 11 }, (_, index) => `app${String.fromCharCode(97 + index)}`)
  const { apps, text } = await open(issue(many))
  expect(apps).toHaveLength(6)
  expect(text).toContain('and 5 more')
  expect(text).not.toContain('minute')
})

it('the page of an invalid invitation names no apps and no sender', async () => {
  const { apps, text } = await open('nonsense')
  expect(apps).toEqual([])
  expect(text).not.toContain('Acme Search')
  expect(text).toContain('Sign in with your work account')
})
