import { describe, expect, it } from 'vitest'
import { newPerson } from '../../src/people/person.ts'
import { due } from '../../src/campaigns/campaign.ts'
import { readPeople } from '../../src/campaigns/people-file.ts'
import { Command } from '@commander-js/extra-typings'
import { policyOf, sendOn } from '../../src/cli/invite/send-options.ts'
import { FILTER_NAMES, wantedOf } from '../../src/admin/filters.ts'
import { peopleCsv } from '../../src/admin/people-csv.ts'
import { reminderFor } from '../../src/admin/reminder.ts'
import { listed, mailed, profiles } from '../helpers/people.ts'

const BEGIN = 'npm run onramp -- invite send '
const command = (query: Record<string, string>, campaign?: string) => reminderFor(wantedOf(query), campaign)

const optionsIn = (text: string) => {
  const send = sendOn(new Command()).action(() => {})
  send.parse(text.slice(BEGIN.length).split(' '), { from: 'user' })
  return { file: send.args[0], ...send.opts() }
}

const policyFor = (query: Record<string, string>, campaign: string) =>
  policyOf(optionsIn(command(query, campaign) ?? ''))

describe('the command that emails the people of a list', () => {
  it('reminds, or invites people who had no email', () => {
    expect(command({ show: 'notStarted' }, 'onboarding')).toBe(
      `${BEGIN}onramp-people.csv --remind-after 7 --min-gap 168`,
    )
    expect(command({ show: 'notStarted' })).toBe(`${BEGIN}onramp-people.csv`)
    expect(command({ show: 'notStarted' }, 'autumn')).toBe(
      `${BEGIN}onramp-people.csv --campaign autumn --remind-after 7 --min-gap 168`,
    )
  })

  it('counts in days, hours and minutes, as its options say', () => {
    const given = '--remind-after 7 --min-gap 24 --ask-again-after 90'
    const policy = policyOf(optionsIn(`${BEGIN}people.csv ${given}`))
    const HOUR = 3_600_000
    expect(policy).toMatchObject({ remindAfterMs: 168 * HOUR, minGapMs: 24 * HOUR, freshMs: 1.5 * HOUR })
  })

  it('is about the one app that is asked for', () => {
    expect(command({ show: 'waiting', app: 'slack_1' }, 'onboarding')).toBe(
      `${BEGIN}onramp-people.csv --datasource slack_1 --remind-after 7 --min-gap 168`,
    )
  })

  it('sends again what bounced, or may have arrived', () => {
    for (const show of ['failed', 'deferred'])
      expect(command({ show }, 'onboarding')).toBe(`${BEGIN}onramp-people.csv --retry-failed --min-gap 168`)
    expect(command({ show: 'uncertain' }, 'onboarding')).toBe(
      `${BEGIN}onramp-people.csv --retry-unknown --min-gap 168`,
    )
  })

  it.each(['ready', 'finished', 'nothing', 'blocked', 'optedOut'])('is none for %s', (show) => {
    expect(command({ show }, 'onboarding')).toBeUndefined()
  })

  it('holds nothing that a shell would read as more than a word', () => {
    for (const app of ['a; rm -rf ~', '$(id)', '`id`', '--yes', "a'b", 'a b'])
      expect(command({ show: 'waiting', app }, 'onboarding')).toBe(
        `${BEGIN}onramp-people.csv --remind-after 7 --min-gap 168`,
      )
    expect(command({ show: 'waiting' }, 'a; id')).toBeUndefined()
  })

  it('is one that the command line takes, for every filter', () => {
    for (const show of FILTER_NAMES)
      for (const campaign of [undefined, 'onboarding', 'autumn-2']) {
        const text = command({ show, app: 'slack_1' }, campaign)
        if (text === undefined) continue
        const options = optionsIn(text)
        expect(options).toMatchObject({
          file: 'onramp-people.csv',
          campaign: campaign ?? 'onboarding',
        })
      }
  })

  it('keeps name, language and department with the list, so that a reminder reads like the invitation', async () => {
    const hana = { ...newPerson('hana@acme.example', 0), name: '=Hana', language: 'ja', group: 'Sales' }
    expect(await listed(readPeople(peopleCsv(profiles(hana))))).toMatchObject([
      { person: { email: 'hana@acme.example', name: '=Hana', language: 'ja', group: 'Sales' } },
    ])
  })

  it('leaves out people whom any campaign emailed in the last seven days', () => {
    const now = Date.UTC(2026, 10, 2)
    const reminded = (days: number) =>
      mailed(newPerson('ada@acme.example', 0), 'sent', {
        campaign: 'onboarding',
        reminder: 1,
        now: now - days * 86_400_000,
      })
    for (const show of ['notStarted', 'failed', 'uncertain'])
      for (const campaign of ['onboarding', 'slack-launch']) {
        const policy = policyFor({ show }, campaign)
        expect(due(reminded(3), policy, now).kind).toBe('not-due')
        expect(due(reminded(6.9), policy, now).kind).toBe('not-due')
      }
    expect(due(reminded(7), policyFor({ show: 'notStarted' }, 'slack-launch'), now).kind).toBe('mail')
  })
})
