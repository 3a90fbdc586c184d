// What apps are called next to each other: short enough to read, and told apart.
import { expect, it } from 'vitest'
import { calledAs } from '../../src/company/called.ts'

const namesOf = (...apps: [instance: string, name: string][]) =>
  calledAs(apps.map(([instance, name]) => ({ instance, name }))).map(({ name }) => name)

it('tells instances of one name apart by their numbers, each on one line with its name', () => {
  expect(namesOf(['slack_1', 'Slack'], ['jira_2', 'Jira'], ['slack_2', 'Slack'])).toEqual([
    'Slack\u00a0(1)',
    'Jira',
    'Slack\u00a0(2)',
  ])
})

it('takes all of the identifiers where their numbers are the same', () => {
  expect(namesOf(['slack_1', 'Slack'], ['chat_1', 'Slack'])).toEqual([
    'Slack\u00a0(slack_1)',
    'Slack\u00a0(chat_1)',
  ])
})

it('gives no number to an app that is only listed twice, as by two people', () => {
  expect(namesOf(['slack_1', 'Slack'], ['slack_1', 'Slack'])).toEqual(['Slack', 'Slack'])
})
