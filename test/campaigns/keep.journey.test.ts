// onramp keep as operators schedule it: the command, a store, the sandbox's service and mail server, and a test clock.
import { beforeEach, expect, it } from 'vitest'
import { openKeepState, withStore } from '../../src/cli/store.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { runCommand } from '../cli/run-command.ts'
import { waitForEnd, useCompany } from './command.ts'

const HOUR = 3_600_000
const monday = Date.parse('2027-01-18T10:00:00Z')

const { company, received, recipients, list } = useCompany()

/** Each test has a store of its own. */
let store = 0
beforeEach(() => void store++)

/** A run at a given time. */
async function keep(file: string, now: number, ...args: string[]) {
  const line = ['keep', file, '--ask-rate', '9000', ...args]
  const { exit, out, err } = await runCommand(
    line,
    { ...company().env, DATA_DIR: `${company().env.DATA_DIR}-${store}` },
    { now: () => now },
  )
  return { exit, out, err }
}

const ADA = { id: 'ada', apps: ['slack_1', 'github_1', 'gdrive_1'] }
const setAllConsents = (does: 'authorize' | 'unauthorize') => {
  const person = company().sandbox.people.find(({ id }) => id === ADA.id)
  for (const { instance } of person?.datasources ?? []) company().sandbox[does](ADA.id, instance)
}

it('onramp keep invites people, emails about a lapse, and stops after the repair', async () => {
  const file = list('email,timezone\nada@acme.example,Europe/London\n')
  const first = await keep(file, monday)
  expect([first.exit, first.err.split(/\s{2,}|\n/).filter(Boolean)]).toEqual([
    0,
    ['Columns: email, timezone. Ignored: none.', '1', 'person', '1', 'email sent'],
  ])
  expect(recipients()).toHaveLength(1)
  setAllConsents('authorize')
  expect((await keep(file, monday + 7 * HOUR)).exit).toBe(0)

  company().sandbox.unauthorize(ADA.id, 'slack_1')
  for (const hours of [14, 21]) await keep(file, monday + hours * HOUR)
  expect(recipients()).toHaveLength(1)
  const night = await keep(file, monday + 22 * HOUR, '--json')
  expect(JSON.parse(night.out)).toMatchObject({ sent: 0, states: { fellBack: 1, ready: 0 }, needs: [] })
  await keep(file, monday + 24 * HOUR)
  expect(recipients()).toHaveLength(2)
  setAllConsents('authorize')
  for (const days of [3, 5, 8, 12]) await keep(file, monday + days * 24 * HOUR)
  expect(recipients()).toHaveLength(2)
})

it('onramp keep counts blocked people and guests of the directory as gone', async () => {
  const rows = (state: string) =>
    `mail,Status,userType\nada@acme.example,${state}\nbob@acme.example,Active,Member\n`

  await keep(list(rows('Active,Member')), monday)

  expect(recipients().sort()).toEqual(['ada@acme.example', 'bob@acme.example'])
  for (const [state, words, ...wanted] of [
    ['Suspended,Member', 'Left out: 1 is blocked there.'],
    ['Active,Guest', 'Left out: 1 is a guest (see --include-guests).'],
    ['Active,Guest', undefined, '--include-guests'],
  ] as const) {
    const file = list(rows(state))
    const calls = await keep(file, monday + HOUR, ...wanted)
    expect(calls.err.includes('1 of the 2 people who were on the list are no longer on it')).toBe(
      words !== undefined,
    )
    const { out, err } = await keep(file, monday + HOUR, '--confirm', '--json', ...wanted)
    expect(JSON.parse(out)).toMatchObject({ rows: words === undefined ? 2 : 1 })
    expect(err).toContain(words ?? 'Columns')
    await keep(list(rows('Active,Member')), monday + 2 * HOUR)
  }
  expect(recipients()).toHaveLength(2)
})

it('a dry run of onramp keep shows a run, and changes nothing', async () => {
  const file = list('email,timezone\nada@acme.example,Europe/London\neve@acme.example,Asia/Tokyo\n')
  const shown = await keep(file, monday, '--dry-run', '--now', '2027-01-18T09:30:00Z')
  expect([shown.exit, shown.out]).toEqual([0, 'ada@acme.example  invitation\n'])
  expect(shown.err).toContain(
    'Would send 1 email (invitations 1, reminders 0, lost access 0, new apps 0, approvals 0); people on the list: 2.',
  )
  expect([received(), (await keep(file, monday, '--now', '2027-01-18T09:30:00Z')).exit]).toEqual([[], 2])
})

it('an interrupted run exits with 130, and doesn’t count as completed', async () => {
  const env = { ...company().env, DATA_DIR: `${company().env.DATA_DIR}-stopped` }
  const people = list('email\nada@acme.example\nbob@acme.example\ncarol@acme.example\n')
  const child = company().start(['keep', people, '--ask-rate', '1'], env)
  await expect.poll(() => company().sandbox.requests.length).toBeGreaterThan(0)
  child.kill('SIGINT')
  expect((await waitForEnd(child)).code).toBe(130)
  const settings = loadSettings(env)
  const keepState = await withStore(settings, (records) => openKeepState(records, settings).load())
  expect(keepState.sweep).toBeDefined()
  expect(keepState).not.toHaveProperty('lastRunAt')
})
