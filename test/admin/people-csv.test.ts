// The export of people as CSV.
import { parse } from 'csv-parse/sync'
import { expect, it } from 'vitest'
import { peopleCsv } from '../../src/admin/people-csv.ts'
import { readPeopleList } from '../../src/campaigns/people-file.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { toArray, summaries, withAppStates, withEachApp, withEmailState } from '../helpers/people.ts'

const NOW = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const person = newPerson('ada@acme.example', NOW)
const invited = withEmailState(person, 'sent', { now: NOW })

const csvOf = async (one: Person) => (await toArray(peopleCsv(summaries(one)))).join('')

const rowOf = async (one: Person) =>
  parse<Record<string, string>>(await csvOf(one), { bom: true, columns: true })[0]

it('the export has the headings that programs read, in this order', async () => {
  const [headings] = parse(await csvOf(person), { bom: true }) as [string[]]
  expect(headings.join(' ')).toBe(
    'email name language group timezone id invited mails mail uncertain opened signed_in finished opted_out' +
      ' unknown_to_service no_longer_on_list connected waiting not_now waiting_for_administrator' +
      ' switched_off access_ended as_of',
  )
})

it('the export has name, language and department for the next email', async () => {
  const hana = { ...person, name: '=Hana', language: 'ja', group: 'Sales' }
  expect(await toArray(readPeopleList(peopleCsv(summaries(hana))))).toMatchObject([
    { person: { email: person.email, name: '=Hana', language: 'ja', group: 'Sales' } },
  ])
})

it('the export has each person’s emails and the state of the newest', async () => {
  const deferred = withEmailState(invited, 'deferred', { reminder: 1, now: NOW + DAY })
  expect(await rowOf(deferred)).toMatchObject({ mails: '1', mail: 'deferred' })
})

it('the export tells apps of one name apart by their instances', async () => {
  const states = { slack_1: 'unconnected', slack_2: 'unconnected' } as const
  const both = withAppStates(person, states, NOW, { slack_1: 'Slack', slack_2: 'Slack' })
  expect(await rowOf(both)).toMatchObject({ waiting: 'Slack [slack_1]; Slack [slack_2]' })
})

it.each([
  ['connected', 'connected'],
  ['unconnected', 'waiting'],
  ['skipped', 'not_now'],
  ['blocked', 'waiting_for_administrator'],
  ['off', 'switched_off'],
] as const)('the export has an app in the state %s under %s alone', async (state, heading) => {
  const row = await rowOf(withAppStates(person, { slack_1: state }, NOW))
  const headings = Object.keys(row!).filter((name) => row![name] === 'slack [slack_1]')
  expect(headings).toEqual([heading])
})

it('the export has an app that the person lost under access_ended', async () => {
  const lost = withEachApp(withAppStates(person, { slack_1: 'unconnected' }, NOW), { lapsedAt: NOW })
  expect(await rowOf(lost)).toMatchObject({ access_ended: 'slack [slack_1]' })
})

it('the export begins with a byte order mark, for Excel', async () => {
  expect((await csvOf(person)).charCodeAt(0)).toBe(0xfeff)
})

it('the export contains no spreadsheet formula, whatever the names of apps and departments', async () => {
  for (const name of ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '＝1']) {
    const formulaPerson = { ...newPerson('=cmd@acme.example', NOW), group: name }
    const [, record = []] = parse(
      await csvOf(withAppStates(formulaPerson, { x_1: 'unconnected' }, NOW, { x_1: name })),
      { bom: true },
    )
    expect(record.filter((cell) => /^[=+\-@\t＝]/.test(cell))).toEqual([])
    expect(record[0]).toBe("'=cmd@acme.example")
  }
})
