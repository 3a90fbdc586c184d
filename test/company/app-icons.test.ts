// App icons: the company's, the library's, or a letter.
import { withUniqueNames } from '../../src/company/app-names.ts'
import { expect, it } from 'vitest'
import { appIcons, initialOf, libraryIconOf } from '../../src/company/app-icons.ts'
import { neutralCompany, type Company } from '../../src/company/company.ts'
import { loadCompany } from '../../src/company/read-company.ts'
import { createAppDescriptions, nameAndIconOf } from '../../src/company/app-description.ts'

const acme = loadCompany(new URL('../../examples/acme/company.yaml', import.meta.url).pathname)

const ONE_PATH =
  /^<svg xmlns="[\w:/.]+" viewBox="0 0 24 24"><path fill="#[\da-f]+" d="[\w\s,.-]+"\/><\/svg>$/i

it('each app icon is a single path', () => {
  expect(appIcons.length).toBeGreaterThan(70)
  for (const { path, content } of appIcons) expect(content.toString(), path).toMatch(ONE_PATH)
})

it.each([
  ['github_1', 'github'],
  ['gdrive_2', 'googledrive'],
  ['google_drive', 'googledrive'],
  ['Jira_1', 'jira'],
  ['bigquery', 'googlebigquery'],
])('an icon is found for %s', (instance, suffix) => {
  expect(libraryIconOf(instance)?.path).toMatch(new RegExp(`^/assets/apps/${suffix}\\.[0-9a-f]{12}\\.svg$`))
})

it("an app has the company's own logo first, then its icon, then a letter", () => {
  const logoOf = (company: Company, instance: string) => createAppDescriptions(company)('en')(instance).logo
  expect(logoOf(acme, 'slack_1')).toBe(acme.datasourceOf('slack_1')?.logo?.path)
  expect(logoOf(acme, 'github_1')).toBe(libraryIconOf('github_1')?.path)
  expect(logoOf(neutralCompany, 'slack_1')).toBeUndefined()
})

it.each([
  ['github_1', 'GitHub'],
  ['gdrive_2', 'Google Drive'],
  ['slack', 'Slack'],
  ['our_wiki_3', 'Our wiki'],
])('an app with only the instance %s is called %s', (instance, name) => {
  expect(nameAndIconOf(instance, createAppDescriptions(neutralCompany)('en')).name).toBe(name)
})

it.each([
  [' salesforce', 'S'],
  ['🗂️ Ablage', '🗂️'],
  ['نوشن', 'ن'],
  ['étage', 'É'],
  ['… Wiki', 'W'],
  ['…', '·'],
  ['constructor', 'C'],
])('an app called %j has the letter %j', (name, letter) => {
  expect(initialOf(name)).toBe(letter)
})

const namesOf = (...apps: [instance: string, name: string][]) =>
  withUniqueNames(apps.map(([instance, name]) => ({ instance, name }))).map(({ name }) => name)

it.each([
  ['slack_1 slack_2', 'Slack, Slack\u00a0(2)'],
  ['slack_10 slack_2 slack_1', 'Slack\u00a0(10), Slack\u00a0(2), Slack'],
  ['slack_3 slack_7', 'Slack, Slack\u00a0(7)'],
  ['slack_1 slack', 'Slack\u00a0(1), Slack'],
  ['slack_1 chat_1 chat_2', 'Slack\u00a0(slack_1), Slack, Slack\u00a0(chat_2)'],
  // One app of two people.
  ['slack_1 slack_1', 'Slack, Slack'],
])('apps with the same name are numbered from the second: %s', (all, names) => {
  const slacks = all.split(' ').map((instance): [string, string] => [instance, 'Slack'])
  expect(namesOf(...slacks, ['jira_2', 'Jira']).join(', ')).toBe(`${names}, Jira`)
})
