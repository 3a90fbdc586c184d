// The overview of a walk: its texts, progress, title, search, connected apps and links.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import { type UnconnectedApp, type Walk, block, skip } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import {
  drive,
  github,
  NOW,
  returnedWalk,
  overviewPage,
  checkedWalk,
  slack,
  unconnectedApp,
} from './overview-pages.ts'

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => unconnectedApp(`app_${at}`, `App ${at}`))

const longApp = unconnectedApp('plan_1', 'Quarterly planning, reporting and forecasting app')

/** A walk whose first apps are connected. */
const connected = (count: number, total: number) =>
  checkedWalk(many(total).slice(count), checkedWalk(many(total)))

it('the progress has a text, minutes and a segment for each app', () => {
  expect(overviewPage(connected(2, 4)).progress).toEqual({
    connected: 2,
    total: 4,
    label: '2 of 4 connected',
    minutes: 'About 2 minutes left',
    segments: ['connected', 'connected', 'current', 'open'],
  })
})

it('the progress counts skipped and blocked apps, without minutes for them', () => {
  const walk = block(skip(connected(1, 3), 'app_1', NOW), 'app_2', NOW)
  expect(overviewPage(walk).progress).toEqual({
    connected: 1,
    total: 3,
    label: '1 of 3 connected',
    minutes: '',
    segments: ['connected', 'open', 'open'],
  })
})

it('the progress leaves out apps that are turned off, and is empty without others', () => {
  const off = unconnectedApp('jira_1', 'Jira', 'disabled')
  expect(overviewPage(checkedWalk([slack, off])).progress).toMatchObject({ total: 1, segments: ['current'] })
  expect(overviewPage(checkedWalk([off])).progress).toBeUndefined()
})

it('the progress counts only the visit’s own apps, connected or not', () => {
  const visiting = (...datasources: string[]) => ({ ...connected(2, 3), visit: { datasources } })
  expect(overviewPage(visiting('app_0', 'app_2')).progress).toMatchObject({ connected: 1, total: 2 })
  expect(overviewPage(visiting('app_2')).progress).toMatchObject({ connected: 0, total: 1 })
})

it('the last page doesn’t repeat the progress', () => {
  const allConnected = connected(2, 2)
  expect(overviewPage(allConnected)).toMatchObject({ progress: undefined, focusesHeadline: false })
  expect(overviewPage(allConnected, { from: 'app_1' })).toMatchObject({
    progress: undefined,
    focusesHeadline: true,
  })
  expect(overviewPage(connected(1, 2), { from: 'app_0' }).focusesHeadline).toBe(false)
})

it.each<[string, Walk, string | undefined]>([
  ['0 of 2 connected - Connect your apps to search', checkedWalk([slack, github]), undefined],
  ['Slack connected - 1 of 2 connected', checkedWalk([github], checkedWalk([slack, github])), 'slack_1'],
  ['Checking Slack… - 0 of 1 connected', returnedWalk([slack]), 'slack_1'],
  ['Checking Slack… - 0 of 2 connected', returnedWalk([slack, github]), undefined],
  ['Slack skipped - 0 of 2 connected', skip(checkedWalk([slack, github]), 'slack_1', NOW), 'slack_1'],
  ['0 of 1 connected - Nothing is connected yet', skip(checkedWalk([slack]), 'slack_1', NOW), undefined],
  ['You’re all set - 2 of 2 connected', connected(2, 2), 'app_1'],
  [`Skipped - ${longApp.name}`, skip(checkedWalk([longApp, github]), 'plan_1', NOW), 'plan_1'],
  ['Search is ready for you', checkedWalk([]), undefined],
  ['This app is turned off', checkedWalk([unconnectedApp('jira_1', 'Jira', 'disabled')]), undefined],
])('the window’s title is “%s”', (title, walk, from) => {
  expect(overviewPage(walk, { from }).title).toBe(title)
})

it('the last page shows an icon for each kind of connected app, twelve at most', () => {
  const off = unconnectedApp('jira_1', 'Jira', 'disabled')
  const { icons } = overviewPage(checkedWalk([off], checkedWalk([slack, off, github])))
  expect(icons.map(({ initial }) => initial)).toEqual(['S', 'G'])
  expect(overviewPage(connected(13, 13)).icons).toHaveLength(12)
  const twins = [slack, unconnectedApp('slack_2', 'Slack'), github]
  expect(overviewPage(checkedWalk([], checkedWalk(twins))).icons.map(({ initial }) => initial)).toEqual([
    'S',
    'G',
  ])
  expect(
    overviewPage(checkedWalk([], checkedWalk([slack, unconnectedApp('salesforce_1', 'Salesforce')]))).icons,
  ).toHaveLength(2)
  expect(overviewPage(connected(1, 2)).icons).toEqual([])
})

it('a person with nothing to connect is greeted by name, if it is short', () => {
  const heading = (name: string) => overviewPage(checkedWalk([]), { name }).heading
  expect(heading('Carol')).toBe('Search is ready for you, Carol')
  expect(heading('')).toBe('Search is ready for you')
  expect(heading('Carol '.repeat(9))).toBe('Search is ready for you')
})

const walkWithThree = checkedWalk([slack, github, drive])
it.each([
  [[], 'mentions no others', false],
  [['slack'], 'mentions others', true],
  [['slack', 'github', 'gdrive'], 'mentions no others', false],
  [['jira'], 'mentions others', true],
])('the overview of a visit to %j %s', (only, _title, hidesOtherApps) => {
  expect(overviewPage({ ...walkWithThree, visit: { datasources: only } }).hidesOtherApps).toBe(hidesOtherApps)
})

it('the page explains search until the person has connected an app', () => {
  const lead = 'Find your messages, files and tickets in one place.'
  const slackAndGithub = checkedWalk([slack, github])
  expect(overviewPage(slackAndGithub).lead).toBe(lead)
  expect(overviewPage(slackAndGithub, { from: 'jira_1' }).lead).toBe(lead)
  expect(overviewPage(skip(slackAndGithub, 'slack_1', NOW)).lead).toBe(lead)
  expect(overviewPage(skip(slackAndGithub, 'slack_1', NOW), { from: 'slack_1' }).lead).toBe('')
  expect(overviewPage(returnedWalk([slack, github])).lead).toBe('')
  expect(overviewPage(connected(1, 2)).lead).toBe('')
})

const staleSlack = { ...slack, status: 'stale' } as const
const lost = (unconnected: UnconnectedApp[]) =>
  checkedWalk(unconnected, checkedWalk([], checkedWalk([slack, github, drive])))

// prettier-ignore
it.each<[string, Walk, heading: string, lead: string]>([
  ['one of many', lost([slack]), 'Search lost access to Slack', 'Everything else is still connected.'],
  ['two', lost([slack, github]), 'Search lost access to 2 apps', 'Everything else is still connected.'],
  ['all', lost([slack, github, drive]), 'Search lost access to 3 apps', ''],
  ['an app without a history', checkedWalk([staleSlack]), 'Search lost access to Slack', ''],
  ['one, with another app skipped', skip(lost([slack, drive]), 'gdrive_1', NOW), 'Search lost access to Slack', ''],
  ['one, with another app new', lost([slack, longApp]), 'Connect your apps to search', ''],
  [
    'a skipped app',
    skip(lost([slack]), 'slack_1', NOW),
    'That’s everything for now',
    t('finished.leadSome') + ' ' + t('reason.skipped', { count: 1 }),
  ],
  [
    'a disabled app',
    lost([{ ...slack, status: 'disabled' }]),
    t('finished.titleButOff'),
    t('finished.leadButOff') + ' ' + t('reason.disabled', { count: 1 }),
  ],
])('the heading about ended access fits %s', (_title, walk, heading, lead) => {
  expect(overviewPage(walk)).toMatchObject({ heading, lead })
})

it('the return link shows its host and port, or no name for our own path', () => {
  const returnLink = (returnTo?: string) =>
    overviewPage({ ...checkedWalk([slack]), visit: { datasources: [], returnTo } }).returnTo
  const href = 'https://intranet.acme.example:8443/welcome'
  const host = 'intranet.acme.example:8443'
  expect(returnLink(href)).toEqual({ href, label: `Back to ${host}`, host })
  expect(returnLink('/search')).toEqual({ href: '/search', label: 'Continue' })
  expect(returnLink()).toBeUndefined()
})

it('the account is omitted without an email address', () => {
  const lines = (person: string) =>
    overviewPage(checkedWalk([slack]), { person }).card?.lines.map(({ text }) => text)
  expect(lines('')).toHaveLength(1)
  expect(lines('ada@acme.example')).toContain(
    'Use your work account (ada@acme.example) if you’re asked to choose one.',
  )
})

it('the overview mentions once that skipped apps can be connected any time', () => {
  const lead = (...apps: UnconnectedApp[]) =>
    overviewPage(apps.reduce((walk, { instance }) => skip(walk, instance, NOW), checkedWalk(apps))).lead
  expect(lead(slack)).toBe('You skipped this app. Connect it any time.')
  expect(lead(slack, github, drive)).toBe('You skipped all 3 apps. Connect them any time.')
})

it('the overview of more than ten apps has a search, and no estimate of minutes', () => {
  const apps = Array.from({ length: 11 }, (_, index) => unconnectedApp(`app_${index}`, `Wiki ${index}`))
  const visit = { datasources: ['app'], returnTo: '/search' }
  const filtered = overviewPage({ ...checkedWalk(apps), visit }, { query: ' wIKI 1' })

  expect(filtered.filter).toEqual({
    query: 'wIKI 1',
    visit: [
      ['datasource', 'app'],
      ['return_to', '/search'],
    ],
    all: '/onboarding?return_to=%2Fsearch',
    found: '2 apps match “wIKI 1”',
  })
  expect(filtered.rows.map(({ name }) => name)).toEqual(['Wiki 1', 'Wiki 10'])
  expect(filtered).toMatchObject({
    more: [],
    progress: { total: 5, minutes: 'About 5 minutes left' },
    title: expect.stringMatching(/^2 apps/),
  })
  expect(overviewPage(checkedWalk(apps), { query: 'zebra' })).toMatchObject({
    rows: [],
    filter: { found: 'No apps match “zebra”' },
  })
  // The search also finds the card's app.
  expect(overviewPage(checkedWalk(apps), { query: 'wiki 0' }).rows).toHaveLength(1)

  const few = overviewPage(checkedWalk(apps.slice(1)), { query: 'zebra' })
  expect(few).toMatchObject({ filter: undefined, progress: { minutes: 'About 10 minutes left' } })
  expect(few.rows).toHaveLength(5)
})

it('the finished overview shows the person’s name, the account, and how to disconnect', () => {
  const about = () => ({ ...noDescription, account: 'your Acme workspace' })
  const walk = checkedWalk([], checkedWalk([slack, github]))
  const end = overviewPage(walk, { name: 'Ada Lovelace', describe: about })

  expect(end.heading).toBe('You’re all set, Ada Lovelace')
  expect(end.connectedFor).toBe(
    'Connected for ada@acme.example. You can disconnect an app any time in that app’s own settings.',
  )
  expect(end.rows[0]?.notes).toContain('Connected through your Acme workspace')
  expect(overviewPage(walk, { name: 'A'.repeat(80), person: '' })).toMatchObject({
    heading: t('finished.title'),
    connectedFor: t('finished.disconnect'),
  })
  expect(overviewPage(checkedWalk([]))).toMatchObject({ connectedFor: '' })
  expect(overviewPage(checkedWalk([slack]), { describe: about }).connectedFor).toBe('')

  const rest = overviewPage(skip(checkedWalk([slack], checkedWalk([slack, github])), 'slack_1', NOW), {
    describe: about,
  })
  expect(rest.connectedFor).toBe(end.connectedFor)
  expect(rest.resume?.notes).toEqual(['Use your Acme workspace.'])
})
