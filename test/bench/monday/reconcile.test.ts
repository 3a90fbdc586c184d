// The bench of a company's morning must notice each kind of loss, or a run without findings proves nothing.
import { expect, it } from 'vitest'
import { connectedIn, planCompany, skippedIn, type Plan } from './plans.ts'
import { lossesOf, readReport, type Accounts } from './reconcile.ts'

const RHYTHM = { people: 2_000, seconds: 60, averageSeconds: 5, averageRate: 10 }
const company = planCompany(RHYTHM, 1)
const plan = company.find((one) => connectedIn(one).length === 4) as Plan
const [connected, skipped] = [connectedIn(plan), skippedIn(plan)]
const cell = (apps: readonly string[]) => apps.map((app) => `X [${app}]`).join('; ')
const rowOf = (apps: readonly string[], later: readonly string[]) =>
  readReport(`email,connected,not_now,finished\nada,${cell(apps)},${cell(later)},\n`).get('ada')

const shown = Object.fromEntries([
  ...connected.map((app) => [app, 'connected']),
  ...skipped.map((app) => [app, 'skipped']),
])
const outcome = { shown, status: { connected: 4, pending: 0, skipped: 1 } }
const entry = { signIns: 1, connected: Object.fromEntries(connected.map((app) => [app, 1])) }
const accounts: Accounts = { plan, outcome, entry, row: rowOf(connected, skipped) }

it('the accounts of a morning without losses agree', () => {
  expect(lossesOf(accounts)).toEqual([])
})

it.each<[string, Partial<Accounts>]>([
  ['a person is missing from the report', { row: undefined }],
  ['a person never came', { entry: undefined }],
  ['the report lacks an app', { row: rowOf(connected.slice(1), skipped) }],
  ['the report has forgotten a "not now"', { row: rowOf(connected, []) }],
  ['a person is stuck', { outcome: { ...outcome, stuck: 'no page' } }],
  ['there was no status', { outcome: { ...outcome, status: undefined } }],
  ['the page called everything skipped', { outcome: { ...outcome, shown: {} } }],
])('the accounts show that %s', (_title, changed) => {
  expect(lossesOf({ ...accounts, ...changed })).not.toEqual([])
})

it('a generated company is complete, in order, and identical for the same seed', () => {
  expect(company).toHaveLength(RHYTHM.people)
  expect(company.map(({ at }) => at)).toEqual(company.map(({ at }) => at).toSorted((a, b) => a - b))
  expect(planCompany(RHYTHM, 1)).toEqual(company)
  expect(planCompany(RHYTHM, 2)).not.toEqual(company)
})
