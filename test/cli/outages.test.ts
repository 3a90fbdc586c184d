// Runs of `onramp keep` while the service answers that no one has an app left to connect.
import { expect, it } from 'vitest'
import { personPage } from '../../src/admin/person-history.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { checkProblem } from '../client-api/problem-for.ts'
import { t } from '../helpers/texts.ts'
import { DAY, HOUR, setUpInstallation, monday, twelve } from './installation.ts'

const APPS = ['jira_1', 'slack_1']

it('the trend and the digest wait until an outage that emptied all lists is over', async () => {
  const { run, unconnectedApps, conditions, keepState, subjectsTo } = setUpInstallation()
  const sweep = async (at: number, isOutage: boolean) => {
    for (const email of twelve) unconnectedApps.set(email, isOutage ? [] : APPS)
    conditions.now = at
    await run(twelve, { digest: 'monday' })
    return (await keepState.load()).days.map(({ day }) => day)
  }
  const before = await sweep(monday - 3 * DAY, false)
  const during = [await sweep(monday, true), await sweep(monday + HOUR, true)]
  const whileEmpty = subjectsTo('admin@acme.example')
  const after = await sweep(monday + DAY, false)
  await sweep(monday + DAY + 6 * HOUR, false)
  await sweep(monday + 4 * DAY, false)
  for (const days of [before, ...during]) expect(days).toEqual(['2027-01-15'])
  expect(whileEmpty).toEqual(['The search service lists no apps'])
  expect(after).toEqual(['2027-01-15', '2027-01-19'])
  expect(subjectsTo('admin@acme.example').slice(1)).toEqual(['Rollout progress: 0 of 12 done'])
})

it.each([
  ['all lists have apps again', 0, APPS, []],
  ['one app is still gone', 3, ['slack_1'], ['Jira 1 is gone from 12 lists. Was it removed?']],
])('the next hourly run ends an outage once %s, and exits with %i', async (...row) => {
  const [, expectedExit, apps, questions] = row
  const { run, runForTwelve, subjectsTo, keepState, people } = setUpInstallation()
  await runForTwelve(APPS, monday)
  await runForTwelve([], monday + DAY)
  await runForTwelve([], monday + DAY + HOUR)
  const { exit } = await runForTwelve(apps, monday + DAY + 2 * HOUR)
  await run(twelve)
  expect(subjectsTo('admin@acme.example')).toEqual(['The search service lists no apps', ...questions])
  expect(exit).toBe(expectedExit)
  const { appEvents = [], emptyLists } = await keepState.load()
  expect([appEvents, emptyLists]).toEqual([[], undefined])
  expect((await people.get(twelve[0]!))?.accessEvents ?? []).toEqual([])
})

it('an outage isn’t over, and no app is asked about, before everyone was checked again', async () => {
  const { runForTwelve, subjectsTo, keepState, conditions } = setUpInstallation()
  await runForTwelve(APPS, monday)
  await runForTwelve([], monday + DAY)
  conditions.onCheck = () => (conditions.now += 13 * 60_000)
  await runForTwelve(APPS, monday + DAY + HOUR)
  const { sweep, emptyLists } = await keepState.load()
  expect([sweep?.endedAt, emptyLists?.since]).toEqual([undefined, expect.any(Number)])
  for (let hours = 4; hours < 16; hours += 4) await runForTwelve(APPS, monday + DAY + hours * HOUR)
  expect((await keepState.load()).emptyLists).toBeUndefined()
  expect(subjectsTo('admin@acme.example')).toEqual(['The search service lists no apps'])
})

// prettier-ignore
it.each([
  ['is a check of the service while no list has an app', [], 'emptyLists', 'The search service lists no apps'],
  ['is an answer while other lists have an app', ['slack_1'], 'inQuestion', 'An admin is asked whether'],
])('the help for someone with an empty list %s', async (_title, appsOfOthers, kind, details) => {
  const { run, runForTwelve, unconnectedApps, conditions, keepState, people, printed } = setUpInstallation()
  await runForTwelve(APPS, monday)
  for (const email of twelve) unconnectedApps.set(email, appsOfOthers)
  unconnectedApps.set(twelve[0]!, [])
  conditions.now = monday + DAY
  await run(twelve)
  await run(twelve)
  const person = (await people.get(twelve[0]!))!
  const { help, apps } = personPage(person, await keepState.load(), neutralCompany, { t, now: monday + DAY })
  const command = kind === 'emptyLists' ? 'doctor' : 'keep PEOPLE.csv --removed jira_1'
  expect(printed.err).not.toContain('lists no app for anyone')
  expect(help).toMatchObject({ kind, command: `npm run onramp -- ${command}` })
  expect(apps.find(({ text }) => text.startsWith('Jira'))?.details.join()).toContain(details)
})

it.each([
  ['says that the service lists no app for anyone', [], twelve, true],
  ['doesn’t if one person has an app', ['slack_1'], twelve, false],
  ['doesn’t if no one could be checked', [], [], false],
])('a first run %s', async (_title, apps, checked, isPrinted) => {
  const { run, unconnectedApps, conditions, checkedEmails } = setUpInstallation()
  unconnectedApps.set(twelve[1]!, apps)
  conditions.onCheck = () => {
    if (!checked.includes(checkedEmails.at(-1)!)) throw checkProblem({ responseStatus: 403 })
  }
  const { err } = await run(twelve.slice(0, 2))
  expect(err.includes('The service lists no app for anyone.')).toBe(isPrinted)
})

it('the email about an outage is sent again if no admin’s was accepted', async () => {
  const { runForTwelve, subjectsTo, conditions } = setUpInstallation()
  await runForTwelve(APPS, monday)
  conditions.sendResult = { outcome: 'deferred', reply: '451 later' } as never
  await runForTwelve([], monday + DAY)
  conditions.sendResult = { outcome: 'sent' }
  for (const hours of [1, 2]) await runForTwelve([], monday + DAY + hours * HOUR)
  expect(subjectsTo('admin@acme.example')).toEqual(
    Array.from({ length: 2 }, () => 'The search service lists no apps'),
  )
})
