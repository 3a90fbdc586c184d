// How the overview calls apps: by the names that the service gives, short enough to read, and told apart.
import { describe, expect, it } from 'vitest'
import { companyOf } from '../../src/company/company.ts'
import { aboutApps, signOf } from '../../src/onboarding/overview/about.ts'
import { Problem } from '../../src/problem.ts'
import { problemWords } from '../../src/web/error-page.ts'
import { t } from '../helpers/texts.ts'
import { github, see, seen, slack, waits } from './seen.ts'

describe('the name of an app', () => {
  it('tells several instances with one name apart by their numbers', () => {
    const overview = see(seen([slack, waits('slack_2', 'Slack'), github]))
    expect(overview.step?.title).toBe('Connect Slack (1)')
    expect(overview.entries.map(({ name }) => name)).toEqual(['Slack (2)', 'GitHub'])
    expect(overview.entries[0]?.connect?.label).toBe('Connect Slack (2)')
    expect(overview.entries[0]?.skip?.label).toBe('Skip Slack (2) for now')
  })

  it('tells instances apart by their identifiers where their numbers are the same', () => {
    const { entries } = see(seen([github, slack, waits('chat_1', 'Slack')]))
    expect(entries.map(({ skip }) => skip?.label)).toEqual([
      'Skip Slack (slack_1) for now',
      'Skip Slack (chat_1) for now',
    ])
  })

  it('is the company’s own on the page of a failure too', () => {
    const company = companyOf({ datasources: { slack_1: { name: 'Chat of Sales' } } }, new Map())
    const problem = new Problem(502, 'datasource_cannot_start', { datasource: slack })
    const { title, advice } = problemWords(problem, t, company.nameOf)
    expect(title).toBe('We can’t connect Chat of Sales right now')
    expect(advice).toContain('Chat of Sales')
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
    expect(overview.entries[0]?.connect?.label).toBe('Connect Slack of Sales')
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

  it('is short on buttons, below a title that has the whole of it', () => {
    const long = 'Quarterly planning, reporting and forecasting app'
    const { step, entries } = see(seen([waits('plan_1', long), waits('more_1', `${long} too`)]))
    expect(step?.title).toBe(`Connect ${long}`)
    expect(step?.main?.label).toBe('Continue to Quarterly planning, reporting an…')
    expect(entries[0]?.connect?.label).toBe('Connect Quarterly planning, reporting an…')
  })

  it('has the whole of a long name inside its row', () => {
    const long = 'A very long name '.repeat(8).trim()
    const { entries } = see(seen([slack, waits('long_1', long), github]))
    expect(entries.map(({ whole }) => whole)).toEqual([long, undefined])
    expect(entries[0]?.name).toMatch(/^A very long name .{30,44}…$/)
  })

  it('puts an identifier into an address encoded', () => {
    const { step } = see(seen([waits('custom space/%2F?#&_1', 'Odd')]))
    expect(step?.main.href).toBe('/onboarding/connect/custom%20space%2F%252F%3F%23%26_1')
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
