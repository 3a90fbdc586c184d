// Emails about new, moved and lost apps, which also list the person's other apps.
import { expect, it } from 'vitest'
import { languages } from '../helpers/texts.ts'
import { ACME, useEmails, type Written } from './emails.ts'

const writeEmail = useEmails()
const done = { instance: 'jira_9', name: 'Jira', state: 'connected' as const }
const slack = { instance: 'slack_9', name: 'Slack', state: 'unconnected' as const }
const github = { instance: 'github_9', name: 'GitHub', state: 'unconnected' as const }
const both = { alsoLeft: [slack, github], allApps: [done, slack, github] }
const write = (given: Written, language = 'en') =>
  writeEmail({ file: ACME, person: { email: 'ada@acme.example', language }, apps: ['Notion'], ...given })
const wordsIn = (html: string) =>
  html
    .replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replaceAll(/&nbsp;|\s+/g, ' ')
    .replaceAll(/ +/g, ' ')

const NEW = 'Connect it, and search finds your work there, too. Everything that’s left takes about 3 minutes.'
const MOVED = 'keeps finding your work there. Everything that’s left takes about 3 minutes.'
const LOST = 'This app asks for a fresh OK from time to time. Everything that’s left takes about 3 minutes.'

it.each([
  ['new', { isNew: true }, 'Notion is new in Acme Search', NEW],
  ['moved', { isNew: true, hasMoved: true }, 'Notion has moved: connect it to Acme Search again', MOVED],
  ['lost', { isLapse: true }, 'Notion needs your OK again for Acme Search', LOST],
])('an email about a %s app also lists the others', (_title, kind, heading, lead) => {
  const { subject, text, html, alsoListed } = write({ ...both, ...kind })
  expect(subject).toBe(heading)
  expect(alsoListed).toEqual(['slack_9', 'github_9'])
  expect(text.replaceAll('\n', ' ')).toContain(lead)
  expect(text).toContain('\n\n  - Notion\n\nAlso left:\n\n  - Slack\n  - GitHub\n\nConnect my apps\n')
  expect(wordsIn(html)).toMatch(/ Notion Also left: S Slack GitHub Connect my apps /)
})

it.each([
  ['de', 'Außerdem noch offen:', 'Alles, was noch offen ist, dauert zusammen etwa 3 Minuten.'],
  ['he', 'נשאר לחבר גם:', 'חיבור כל מה שנשאר לוקח בערך 3 דקות.'],
])('the other apps are listed in the language %s', (language, label, minutes) => {
  const { text } = write({ ...both, isNew: true, languages }, language)
  expect(text).toMatch(new RegExp(`- Notion\n\n${label}\n\n  - Slack\n  - GitHub\n`))
  expect(text.replaceAll('\n', ' ')).toContain(minutes)
})

it.each([
  ['lost', { isLapse: true }, 'because this app was connected to Acme Search.'],
  ['new', { isNew: true }, 'because these apps are part of your work account.'],
])('an email about a %s app says a true reason for it', (_title, kind, reason) => {
  expect(write({ ...both, ...kind }).text.replaceAll('\n', ' ')).toContain(reason)
})

it.each([
  ['first', 1, 'Find your messages, files and tickets in one place. Everything that’s left'],
  ['second', 2, 'Until you connect Notion, Acme Search can’t find your work there. Everything that’s left'],
])('the %s email about a new app to someone without a connection doesn’t say “too”', (_title, nth, lead) => {
  const { text } = write({ ...both, allApps: [slack, github], isNew: true, nth })
  expect(text.replaceAll('\n', ' ')).toContain(lead)
  expect(text).not.toContain('too')
})

it('an email about a lost app lists only the first five of more than ten', () => {
  const alsoLeft = Array.from({ length: 10 }, (_, n) => ({ instance: `app_${n}`, name: `App ${n}` }))
  const { text, alsoListed } = write({ alsoLeft, isLapse: true })
  expect(text).toContain('\n\nAlso left:\n\n  - App 0\n  - App 1\n  - App 2\n  - App 3\n  and 6 more\n')
  expect(text).not.toContain('minute')
  expect(alsoListed).toHaveLength(10)
})

it('an email about a loss that many people had doesn’t call it routine', () => {
  const { text } = write({ isLapse: true, isShared: true })
  expect(text.replaceAll('\n', ' ')).toMatch(/read Notion for you\. It takes about 1 minute\./)
})
