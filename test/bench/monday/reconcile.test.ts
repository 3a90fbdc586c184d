// What the bench of a company's morning calls lost: it must see each loss, or a run that finds nothing proves nothing.
import { describe, expect, it } from 'vitest'
import { connectedIn, planCompany, skippedIn, type Plan } from './plans.ts'
import { lossesOf, readReport, type Accounts } from './reconcile.ts'

const RHYTHM = { people: 2_000, seconds: 60, averageSeconds: 5, averageRate: 10 }
const company = planCompany(RHYTHM, 1)
const plan = company.find((one) => connectedIn(one).length === 4) as Plan
const [connected, skipped] = [connectedIn(plan), skippedIn(plan)]
const csv = (apps: readonly string[], later: readonly string[]) =>
  `email,connected,waiting,not_now,finished\nada@acme.example,${apps.map((app) => `X [${app}]`).join('; ')},,${later.map((app) => `X [${app}]`).join('; ')},\n`
const rowOf = (apps: readonly string[], later: readonly string[]) =>
  readReport(csv(apps, later)).get('ada@acme.example')

const accounts: Accounts = {
  plan,
  told: {
    person: plan.person,
    shown: Object.fromEntries([
      ...connected.map((app) => [app, 'connected']),
      ...skipped.map((app) => [app, 'skipped']),
    ]),
    status: { connected: 4, pending: 0, skipped: 1 },
  },
  entry: { signIns: 1, connected: Object.fromEntries(connected.map((app) => [app, 1])), visits: {} },
  row: rowOf(connected, skipped),
}

describe('the accounts of a morning', () => {
  it('agree where nothing is lost', () => {
    expect(lossesOf(accounts)).toEqual([])
  })

  it.each<[string, Partial<Accounts>]>([
    ['the person is missing from the report', { row: undefined }],
    ['the person never came', { entry: undefined }],
    ['the report lacks an app', { row: rowOf(connected.slice(1), skipped) }],
    ['the report has forgotten a "not now"', { row: rowOf(connected, []) }],
    ['the person is stuck', { told: { ...accounts.told, stuck: 'no page' } }],
    ['no status was told', { told: { ...accounts.told, status: undefined } }],
    ['the page called everything skipped', { told: { ...accounts.told, shown: {} } }],
  ])('tell that %s', (_what, changed) => {
    expect(lossesOf({ ...accounts, ...changed })).not.toEqual([])
  })
})

describe('a company', () => {
  it('comes in order, all of it, and the same again for the same seed', () => {
    expect(company).toHaveLength(RHYTHM.people)
    expect(company.map(({ at }) => at)).toEqual(company.map(({ at }) => at).toSorted((a, b) => a - b))
    expect(planCompany(RHYTHM, 1)).toEqual(company)
    expect(planCompany(RHYTHM, 2)).not.toEqual(company)
  })
})
