// What a person's record says after an app was replaced by another one.
import { expect, it } from 'vitest'
import type { AppRecord } from '../../src/people/person.ts'
import { withSuccessors } from '../../src/people/replaced-apps.ts'
import { newPerson, withCheck } from '../../src/people/person.ts'
import { testPeople } from '../helpers/people.ts'

const replacedBy = new Map([['slack_1', 'slack_2']])
const former: AppRecord = { instance: 'slack_1', name: 'Slack', status: 'connected', since: 1 }
const next: AppRecord = { instance: 'slack_2', name: 'Slack', status: 'awaiting', since: 5, newAt: 5 }
const without = (app: AppRecord): AppRecord => {
  const { newAt: _newAt, ...rest } = app
  return rest
}

it.each<[string, AppRecord[], AppRecord | undefined]>([
  ['was connected moves', [former], { ...former, instance: 'slack_2', movedFrom: 'slack_1' }],
  [
    'was open stays so',
    [{ ...former, status: 'awaiting' }],
    { ...former, instance: 'slack_2', status: 'awaiting' },
  ],
  ['vanished is forgotten', [{ ...former, vanishedAt: 3 }], undefined],
  ['moved before that was known says so', [former, next], { ...next, movedFrom: 'slack_1' }],
  ['is connected again says no more', [former, without(next)], without(next)],
])('an app that was replaced and %s', (_what, apps, successor) => {
  expect(withSuccessors(apps, replacedBy).find(({ instance }) => instance === 'slack_2')).toEqual(successor)
})

it('a replacement app is new once listed, not lapsed; once connected it can lapse', async () => {
  const hides = (apps: AppRecord[]) =>
    withSuccessors(apps, replacedBy).filter(({ instance }) => !replacedBy.has(instance))
  let isKnown = false
  const people = testPeople({ arrange: (apps) => (isKnown ? hides(apps) : apps) })
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
  isKnown = true
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
