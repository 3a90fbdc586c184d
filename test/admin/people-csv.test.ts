// The export of people as CSV.
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { peopleCsv } from '../../src/admin/people-csv.ts'
import { readPeopleList } from '../../src/campaigns/people-file.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { collect, summaries, withAppStates, withEmailState } from '../helpers/people.ts'

const NOW = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const person = newPerson('ada@acme.example', NOW)
const invited = withEmailState(person, 'sent', { now: NOW })

it('the export has name, language and department for the next email', async () => {
  const hana = { ...person, name: '=Hana', language: 'ja', group: 'Sales' }
  expect(await collect(readPeopleList(peopleCsv(summaries(hana))))).toMatchObject([
    { person: { email: person.email, name: '=Hana', language: 'ja', group: 'Sales' } },
  ])
})

const csvOf = async (person: Person) => (await collect(peopleCsv(summaries(person)))).join('')

const rowOf = async (one: Person) =>
  parse<Record<string, string>>(await csvOf(one), { bom: true, columns: true })[0]

it('the export has each person’s emails and the state of the newest', async () => {
  const deferred = withEmailState(invited, 'deferred', { reminder: 1, now: NOW + DAY })
  expect(await rowOf(deferred)).toMatchObject({ mails: '1', mail: 'deferred' })
})

it('the export tells apps of one name apart by their instances', async () => {
  const states = { slack_1: 'unconnected', slack_2: 'unconnected' } as const
  const both = withAppStates(person, states, NOW, { slack_1: 'Slack', slack_2: 'Slack' })
  expect(await rowOf(both)).toMatchObject({ waiting: 'Slack [slack_1]; Slack [slack_2]' })
})

it('the export begins with a byte order mark, for Excel', async () => {
  expect((await csvOf(person)).charCodeAt(0)).toBe(0xfeff)
})

it('the export contains no spreadsheet formula, whatever the names of apps and departments', async () => {
  for (const name of ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '＝1']) {
    const person = { ...newPerson('=cmd@acme.example', NOW), group: name }
    const [, record = []] = parse(
      await csvOf(withAppStates(person, { x_1: 'unconnected' }, NOW, { x_1: name })),
      { bom: true },
    )
    expect(record.filter((cell) => /^[=+\-@\t＝]/.test(cell))).toEqual([])
    expect(record[0]).toBe("'=cmd@acme.example")
  }
})
