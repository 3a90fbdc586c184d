import { describe, expect, it } from 'vitest'
import { newPerson } from '../../src/people/person.ts'
import { readPeopleList } from '../../src/campaigns/people-file.ts'
import { Command } from '@commander-js/extra-typings'
import { policyOf, sendOn } from '../../src/cli/invite/send-options.ts'
import { FILTER_NAMES, parsePeopleQuery } from '../../src/admin/filters.ts'
import { peopleCsv } from '../../src/admin/people-csv.ts'
import { reminderFor } from '../../src/admin/reminder.ts'
import { listed, summaries } from '../helpers/people.ts'

const BEGIN = 'npm run onramp -- invite send '
const DAY = 86_400_000
const command = (query: Record<string, string>) => reminderFor(parsePeopleQuery(query))

const optionsIn = (text: string) => {
  const send = sendOn(new Command()).action(() => {})
  send.parse(text.slice(BEGIN.length).split(' '), { from: 'user' })
  return { file: send.args[0], ...send.opts() }
}

describe('the command that emails the people of a list', () => {
  it('invites people who had no email, and reminds the others after seven days', () => {
    const text = command({ show: 'notStarted' }) ?? ''
    expect(text).toBe(`${BEGIN}onramp-people.csv --remind-after 7`)
    expect(policyOf(optionsIn(text))).toMatchObject({ remindAfterMs: 7 * DAY, unknown: 'wait' })
  })

  it('is about the one app that is asked for', () => {
    expect(command({ show: 'waiting', app: 'slack_1' })).toBe(
      `${BEGIN}onramp-people.csv --datasource slack_1 --remind-after 7`,
    )
  })

  it('sends again what was deferred, or may have arrived', () => {
    expect(command({ show: 'deferred' })).toBe(`${BEGIN}onramp-people.csv --remind-after 7`)
    expect(command({ show: 'uncertain' })).toBe(`${BEGIN}onramp-people.csv --retry-unknown`)
  })

  it.each(['ready', 'finished', 'nothing', 'blocked', 'optedOut', 'failed'])('is none for %s', (show) => {
    expect(command({ show })).toBeUndefined()
  })

  it('holds nothing that a shell would read as more than a word', () => {
    for (const app of ['a; rm -rf ~', '$(id)', '`id`', '--yes', "a'b", 'a b'])
      expect(command({ show: 'waiting', app })).toBe(`${BEGIN}onramp-people.csv --remind-after 7`)
  })

  it('is one that the command line takes, for every filter', () => {
    const texts = FILTER_NAMES.flatMap((show) => command({ show, app: 'slack_1' }) ?? [])
    expect(new Set(texts.map((text) => optionsIn(text).file))).toEqual(new Set(['onramp-people.csv']))
  })

  it('keeps name, language and department with the list, so that a reminder reads like the invitation', async () => {
    const hana = { ...newPerson('hana@acme.example', 0), name: '=Hana', language: 'ja', group: 'Sales' }
    expect(await listed(readPeopleList(peopleCsv(summaries(hana))))).toMatchObject([
      { person: { email: 'hana@acme.example', name: '=Hana', language: 'ja', group: 'Sales' } },
    ])
  })
})
