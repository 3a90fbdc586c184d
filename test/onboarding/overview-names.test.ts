// How the overview calls apps: by the names that the service gives, short enough to read, and told apart.
import { describe, expect, it } from 'vitest'
import { companyOf, neutralCompany } from '../../src/company/company.ts'
import { aboutApps, signOf } from '../../src/onboarding/overview/about.ts'
import { type Waiting, skip } from '../../src/onboarding/walk.ts'
import { Problem } from '../../src/problem.ts'
import { problemWords } from '../../src/web/error-page.ts'
import { LANGUAGES, readCatalogue } from '../../src/web/languages/catalogue.ts'
import { textsOf } from '../../src/web/languages/texts.ts'
import { t } from '../helpers/texts.ts'
import { CONFIRM, github, NOW, returned, see, seen, slack, waits } from './seen.ts'

const LONG = 'Quarterly planning, reporting and forecasting app'

describe('the name of an app', () => {
  it('tells several instances with one name apart by their numbers', () => {
    const overview = see(seen([slack, waits('slack_2', 'Slack'), github]))
    expect(overview.step?.title).toBe('Connect Slack\u00a0(1)')
    expect(overview.entries.map(({ name }) => name)).toEqual(['Slack\u00a0(2)', 'GitHub'])
  })

  it('has no number where it is called what it calls itself: there is none behind the button', () => {
    const { step } = see(seen([slack, waits('slack_2', 'Slack')]))
    expect(step?.main?.label).toBe('Continue to Slack\u00a0(1)')
    const there = [...(step?.paragraphs ?? []), ...(step?.marks.map(({ text }) => text) ?? [])]
    expect(there).toContain(t('next.explain', { app: 'Slack', last: 'no' }))
    expect(there).toContain(t('next.reads', { app: 'Slack' }))
  })

  it('has its number where a link is for that app alone too', () => {
    const walk = seen([slack, waits('slack_2', 'Slack')])
    const { step } = see({ ...walk, visit: { ...walk.visit, only: ['slack_2'] } })
    expect(step?.title).toBe('Connect Slack\u00a0(2)')
  })

  it('stands beside one colour, whichever instance it is', () => {
    const { step, entries } = see(seen([slack, waits('slack_2', 'Slack'), waits('slack_37', 'Chat')]))
    expect(new Set([step?.tile.tone, ...entries.map(({ tile }) => tile.tone)]).size).toBe(1)
  })

  it('is the company’s own on the page of a failure too', () => {
    const company = companyOf({ datasources: { slack_1: { name: 'Chat of Sales' } } }, new Map())
    const problem = new Problem(502, 'datasource_cannot_start', {
      datasource: { instance: 'slack_1', among: [slack] },
    })
    const { title, advice } = problemWords(problem, t, company.nameOf)
    expect(title).toBe('We can’t connect Chat of Sales right now')
    expect(advice).toContain('Chat of Sales')
  })

  it('has its number on the page of a failure too, and whole words in the title', () => {
    const failing = (instance: string, ...among: Waiting[]) =>
      problemWords(
        new Problem(502, 'datasource_cannot_start', { datasource: { instance, among } }),
        t,
        neutralCompany.nameOf,
      )
    expect(failing('slack_2', slack, waits('slack_2', 'Slack')).title).toBe(
      'We can’t connect Slack\u00a0(2) right now',
    )
    const { title, advice } = failing('plan_1', waits('plan_1', LONG))
    expect(title).toBe('We can’t connect Quarterly planning… right now')
    expect(advice).toContain(LONG)
  })

  it('is the company’s own where it has one', () => {
    const company = companyOf(
      { datasources: { slack_2: { name: { en: 'Slack of Sales', de: 'Slack des Vertriebs' } } } },
      new Map(),
    )
    const about = aboutApps(company)('en')
    const overview = see(seen([slack, waits('slack_2', 'Slack')]), { about })
    expect(overview.step?.title).toBe('Connect Slack')
    expect(overview.entries[0]).toMatchObject({ name: 'Slack of Sales' })
    expect(signOf('slack_2', aboutApps(company)('de')).name).toBe('Slack des Vertriebs')
  })

  it.each([
    ['salesforce_1', 'Salesforce 1'],
    ['google_drive_2', 'Google drive 2'],
    ['Salesforce_Prod', 'Salesforce_Prod'],
    ['Slack', 'Slack'],
    ['jira', 'jira'],
    ['<b>a_b</b>', '<b>a_b</b>'],
  ])('reads %s, where the service gives it as the name, as %s', (name, words) => {
    expect(see(seen([slack, waits(name, name)])).entries[0]?.name).toBe(words)
  })

  it('shows a display name as the service gives it, whatever the identifier', () => {
    expect(see(seen([slack, waits('google_drive_2', 'Drive of Acme')])).entries[0]?.name).toBe(
      'Drive of Acme',
    )
    expect(see(seen([slack, waits('app_2', 'crm_prod')])).entries[0]?.name).toBe('crm_prod')
  })

  it('is only forApp on buttons where it is long, below a title that has the whole of it', () => {
    const { step } = see(seen([waits('plan_1', LONG)]))
    expect(step?.title).toBe(`Connect ${LONG}`)
    expect(step?.main).toMatchObject({ label: 'Continue to the app', forApp: LONG })
    expect([step?.paragraphs, step?.marks.map(({ text }) => text)].join(' ')).not.toContain(LONG)
  })

  it('is said once where it is long, also of a connection that is being checked', () => {
    const long = [waits('slack_1', LONG), waits('more_1', `${LONG} too`)]
    const { checking, step } = see(returned(long), { from: 'slack_1' })
    expect(checking).toMatchObject({ title: 'Checking your connection…', named: LONG })
    expect([checking?.text, checking?.denied.label].join(' ')).not.toContain(LONG)
    expect(step?.title).toBe(`Connect ${LONG} too`)
  })

  it('may be cut in a closed row, unless another one begins alike', () => {
    const apps = [slack, waits('plan_1', LONG), waits('plan_2', 'Enterprise knowledge and documentation')]
    expect(see(seen(apps)).entries.map(({ brief }) => brief)).toEqual([true, true])
    const { entries } = see(seen([...apps, waits('plan_3', `${LONG} of EMEA`)]))
    expect(entries.map(({ brief }) => brief)).toEqual([false, true, false])
  })

  it('is not cut in a row where it runs the other way than the page', () => {
    expect(see(seen([slack, waits('notion_1', 'נושן')])).entries[0]?.brief).toBe(false)
  })

  it('is below the result where it is long', () => {
    const now = NOW + (CONFIRM + 1) * 1_000
    const unconfirmed = (name: string) => {
      const apps = [waits('slack_1', name)]
      return see(seen(apps, returned(apps), now), { now, from: 'slack_1' }).step
    }
    expect(unconfirmed(LONG)).toMatchObject({ title: 'This app isn’t connected yet', named: LONG })
    expect(unconfirmed('Slack')).toMatchObject({ title: 'Slack isn’t connected yet', named: '' })
  })

  it('is apart from the verb where it is long, in languages that would bury the verb or turn the line', () => {
    const titlesIn = (tag: string, status?: Waiting['status']) => {
      const texts = textsOf(tag, readCatalogue(LANGUAGES, tag), { product: 'Acme' })
      const { step } = see(seen([waits('plan_1', LONG, status)]), { t: texts })
      return [step?.title, step?.named]
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

  it('is on a button that has nothing above it which names the app, unless it is long', () => {
    const resumed = (name: string, isFirst = true) => {
      const left = [waits('plan_1', name), slack]
      const walk = isFirst ? seen(left) : seen(left, seen([...left, github]))
      const off = skip(skip(walk, 'plan_1', NOW), 'slack_1', NOW)
      return see(off).resume
    }
    expect(resumed('Plans')).toMatchObject({ label: 'Connect Plans' })
    expect(resumed(LONG)).toMatchObject({ label: 'Connect your first app', forApp: LONG })
    expect(resumed(LONG, false)).toMatchObject({ label: 'Connect a skipped app', forApp: LONG })
  })

  it.each([
    ['Microsoft SharePoint', 'Continue to Microsoft SharePoint'],
    ['Microsoft SharePoints', 'Continue to the app'],
    ['四半期計画と予測', 'Continue to 四半期計画と予測'],
    ['四半期計画と予測アプリ', 'Continue to the app'],
  ])('is long by the room that it takes: %s', (name, label) => {
    expect(see(seen([waits('app_1', name)])).step?.main?.label).toBe(label)
  })

  it.each(['Jira', LONG])(
    'is above the buttons of a row, which only say it to who hears them: %s',
    (name) => {
      const [row] = see(seen([slack, waits('app_1', name)])).entries
      expect(row?.name).toBe(name)
      expect(row?.connect).toMatchObject({ label: 'Connect', forApp: name })
      expect(row?.skip).toMatchObject({ label: 'Skip for now', forApp: name })
    },
  )

  it('puts an identifier into an address encoded', () => {
    const { step } = see(seen([waits('custom space/%2F?#&_1', 'Odd')]))
    expect(step?.main?.href).toBe('/onboarding/connect/custom%20space%2F%252F%3F%23%26_1')
  })

  it('keeps a name that runs from right to left from turning the words around it', () => {
    expect(see(seen([waits('notion_1', 'נושן')])).step?.title).toBe('Connect \u2068נושן\u2069')
  })

  it.each([
    ['Slack', 'S'],
    ['jira', 'J'],
    ['<b>Bold</b>', 'B'],
    ['👩‍👩‍👧‍👦 Family', '👩‍👩‍👧‍👦'],
    ['éclair', 'É'],
    ['נושן', 'נ'],
    ['…', '·'],
  ])('shows %s at a glance as %s', (name, initial) => {
    expect(see(seen([waits('app_1', name)])).step?.tile.initial).toBe(initial)
  })
})
