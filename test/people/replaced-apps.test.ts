// A person's record after an app was replaced by another one.
import { expect, it } from 'vitest'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { isAboutApp, LAPSES } from '../../src/campaigns/episodes.ts'
import { appsOf, newPerson, withCheck, type AppRecord, type Person } from '../../src/people/person.ts'
import { withSuccessors } from '../../src/people/people.ts'
import { newKeepState } from '../../src/people/keep-state.ts'
import { lostApps, monday, slack } from '../campaigns/lapsed-person.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { testPeople } from '../helpers/people.ts'

const replacedBy = new Map([['slack_1', 'slack_2']])
const former: AppRecord = { instance: 'slack_1', name: 'Slack', status: 'connected', since: 1 }
const next: AppRecord = { instance: 'slack_2', name: 'Slack', status: 'awaiting', since: 5, newAt: 5 }
const without = (app: AppRecord): AppRecord => {
  const { newAt: _newAt, ...rest } = app
  return rest
}

const lost = { lapsedAt: 4, lapses: 1 }

it.each<[string, AppRecord[], AppRecord | undefined]>([
  ['was connected moves', [former], { ...former, instance: 'slack_2', movedFrom: 'slack_1' }],
  [
    'was open stays so',
    [{ ...former, status: 'awaiting' }],
    { ...former, instance: 'slack_2', status: 'awaiting' },
  ],
  ['vanished is forgotten until it is listed', [{ ...former, delistedByRunAt: 3 }], undefined],
  [
    'vanished before that moves',
    [{ ...former, delistedByRunAt: 4 }, next],
    { ...next, movedFrom: 'slack_1' },
  ],
  ['was open until that check stays so', [{ ...former, since: 5, delistedByRunAt: 5 }, next], without(next)],
  [
    'was lost until that check stays so',
    [{ ...former, since: 5, lapses: 1, previousLapsedAt: 4 }, next],
    { ...without(next), ...lost },
  ],
  [
    'is still listed as lost stays so',
    [{ ...former, status: 'awaiting', ...lost }, next],
    { ...without(next), ...lost },
  ],
  ['moved before that was known says so', [former, next], { ...next, movedFrom: 'slack_1' }],
  ['is connected again says no more', [former, without(next)], without(next)],
])('an app that was replaced is handled by its state: it %s', (_what, apps, successor) => {
  const person = { ...newPerson('ada@acme.example', 0), lastCheck: { checkedAt: 9, apps } }
  const after = withSuccessors(person, replacedBy).lastCheck?.apps
  expect(after?.find(({ instance }) => instance === 'slack_2')).toEqual(successor)
})

it('emails about a lost app count for the one that replaces it', async () => {
  const records = memoryRecords().records
  const before = testPeople({ records })
  const change = (email: number) => (person: Person) =>
    withEmail(person, { campaign: LAPSES, reminder: email, state: 'sent', now: monday, apps: ['slack_1'] })
  await before.change('ada@acme.example', () => lostApps([slack]))
  const state = { ...newKeepState(), evaluatedAt: monday }
  const due = async () => {
    const arrange = (apps: AppRecord[]) => apps.filter(({ instance }) => !replacedBy.has(instance))
    const person = await testPeople({ records, company: { replacedBy, arrange } }).get('ada@acme.example')
    const apps = appsOf(person!).filter((app) => isAboutApp(LAPSES, app, person!, state))
    return apps.map(({ instance }) => instance)
  }
  const found = []
  for (const email of [0, 1, 2]) {
    found.push(await due())
    await before.change('ada@acme.example', change(email))
  }

  expect([...found, await due()]).toEqual([['slack_2'], ['slack_2'], ['slack_2'], []])
})

it('a replacement app is new, not lapsed, and can lapse once it is connected', async () => {
  const hides = (apps: AppRecord[]) => apps.filter(({ instance }) => !replacedBy.has(instance))
  const known = new Map<string, string>()
  const arrange = (apps: AppRecord[]) => (known.size > 0 ? hides(apps) : apps)
  const people = testPeople({ company: { replacedBy: known, arrange } })
  const check = async (at: number, ...instances: string[]) => {
    const unconnected = instances.map(
      (instance) => ({ instance, name: 'Slack', status: 'awaiting' }) as const,
    )
    const after = await people.change('ada@acme.example', (person) =>
      withCheck(person, { checkedAt: at, unconnected }, at),
    )
    return after.lastCheck?.apps
  }
  await people.change('ada@acme.example', () => newPerson('ada@acme.example', 0))
  await check(1, 'slack_1')
  await check(2)
  known.set('slack_1', 'slack_2')
  const moved = {
    instance: 'slack_2',
    name: 'Slack',
    status: 'awaiting',
    since: 3,
    newAt: 3,
    movedFrom: 'slack_1',
  }

  expect(await check(3, 'slack_2')).toEqual([moved])
  expect(await check(4, 'slack_2')).toEqual([moved])
  expect(await check(5)).toEqual([{ instance: 'slack_2', name: 'Slack', status: 'connected', since: 5 }])
  expect(await check(6, 'slack_2')).toMatchObject([{ instance: 'slack_2', lapsedAt: 6 }])
})
