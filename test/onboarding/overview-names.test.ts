// Names of apps on the overview: the service's, shortened and unique.
import { expect, it } from 'vitest'
import { resolveCompany, neutralCompany } from '../../src/company/company.ts'
import { createAppDescriptions, nameAndIconOf } from '../../src/company/app-description.ts'
import { type UnconnectedApp } from '../../src/onboarding/walk.ts'
import { Problem } from '../../src/problem.ts'
import { problemTexts } from '../../src/web/error-page.ts'
import { LANGUAGES_FOLDER, readCatalogue } from '../../src/web/languages/catalogue.ts'
import { createTexts } from '../../src/web/languages/texts.ts'
import { t } from '../helpers/texts.ts'
import { github, returnedWalk, overviewPage, checkedWalk, slack, unconnectedApp } from './overview-pages.ts'

const LONG = 'Quarterly planning, reporting and forecasting app'

it('the name of an app gets a number if several instances share it', () => {
  const overview = overviewPage(checkedWalk([slack, unconnectedApp('slack_2', 'Slack'), github]))
  expect(overview.card?.title).toBe('Connect Slack')
  expect(overview.rows.map(({ name }) => name)).toEqual(['Slack\u00a0(2)', 'GitHub'])
})

it('the name of an app has a number on its button, not in the explanation', () => {
  const { card } = overviewPage(checkedWalk([unconnectedApp('slack_2', 'Slack'), slack]))
  expect(card?.main?.label).toBe('Continue to Slack\u00a0(2)')
  const texts = [card?.explain, ...(card?.lines.map(({ text }) => text) ?? [])]
  expect(texts).toContain(t('next.explain', { app: 'Slack', last: 'no' }))
  expect(texts).toContain(t('next.reads', { app: 'Slack' }))
})

it('the name of an app keeps its number and whole words on an error page', () => {
  const failing = (instance: string, ...among: UnconnectedApp[]) =>
    problemTexts(
      new Problem(502, 'datasource_cannot_start', { datasource: { instance, personsApps: among } }),
      t,
      neutralCompany.displayName,
    )
  expect(failing('slack_2', slack, unconnectedApp('slack_2', 'Slack')).title).toBe(
    'We can’t connect Slack\u00a0(2) right now',
  )
  const { title, advice } = failing('plan_1', unconnectedApp('plan_1', LONG))
  expect(title).toBe('We can’t connect Quarterly planning… right now')
  expect(advice).toContain(LONG)
})

it('the company’s name of an app wins over the service’s', () => {
  const company = resolveCompany(
    { datasources: { slack_2: { name: { en: 'Slack of Sales', de: 'Slack des Vertriebs' } } } },
    new Map(),
  )
  const about = createAppDescriptions(company)('en')
  const overview = overviewPage(checkedWalk([slack, unconnectedApp('slack_2', 'Slack')]), { describe: about })
  expect(overview.card?.title).toBe('Connect Slack')
  expect(overview.rows[0]).toMatchObject({ name: 'Slack of Sales' })
  expect(nameAndIconOf('slack_2', createAppDescriptions(company)('de')).name).toBe('Slack des Vertriebs')
})

it.each([
  ['salesforce_1', 'Salesforce 1'],
  ['google_drive_2', 'Google drive 2'],
  ['Salesforce_Prod', 'Salesforce_Prod'],
  ['Slack', 'Slack'],
  ['jira', 'jira'],
  ['<b>a_b</b>', '<b>a_b</b>'],
])('the identifier %s is shown as %s if it is the display name', (name, words) => {
  expect(overviewPage(checkedWalk([slack, unconnectedApp(name, name)])).rows[0]?.name).toBe(words)
})

it('a long name of an app is in the title, and not on buttons', () => {
  const { card } = overviewPage(checkedWalk([unconnectedApp('plan_1', LONG)]))
  expect(card?.title).toBe(`Connect ${LONG}`)
  expect(card?.main).toMatchObject({ label: 'Continue to the app', forApp: LONG })
  expect([card?.paragraphs, card?.lines.map(({ text }) => text)].join(' ')).not.toContain(LONG)
})

it('a long name of an app appears once, also while the connection is checked', () => {
  const long = [unconnectedApp('slack_1', LONG), unconnectedApp('more_1', `${LONG} too`)]
  const { confirming, card } = overviewPage(returnedWalk(long), { from: 'slack_1' })
  expect(confirming).toMatchObject({ title: 'Checking your connection…', nameLine: LONG })
  expect([confirming?.text, confirming?.decline.label].join(' ')).not.toContain(LONG)
  expect(card?.title).toBe(`Connect ${LONG} too`)
})

it('a long name of an app is separate from long verbs', () => {
  const titlesIn = (tag: string, status?: UnconnectedApp['status']) => {
    const texts = createTexts(tag, readCatalogue(LANGUAGES_FOLDER, tag), {
      product: 'Acme',
      hasProduct: 'yes',
    })
    const { card } = overviewPage(checkedWalk([unconnectedApp('plan_1', LONG, status)]), { t: texts })
    return [card?.title, card?.nameLine]
  }

  expect(titlesIn('ar')).toEqual(['ربط التطبيق', `\u2068${LONG}\u2069`])
  for (const [tag, verb] of [
    ['ja', 'このアプリを接続'],
    ['zh-CN', '连接此应用'],
  ] as const)
    expect(titlesIn(tag)).toEqual([verb, LONG])
  expect(titlesIn('ar', 'stale')).toEqual(['إعادة ربط التطبيق', `\u2068${LONG}\u2069`])
  expect(titlesIn('de', 'stale')).toEqual([`${LONG} neu verbinden`, ''])
})
