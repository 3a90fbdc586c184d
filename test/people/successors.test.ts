// A person's record after an app was replaced by another one.
import { expect, it } from 'vitest'
import { historyOf, personPage } from '../../src/admin/person-history.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { isAboutApp, LAPSES, NEW_APPS } from '../../src/campaigns/episodes.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { appsOf, newPerson, type AppRecord, type Person } from '../../src/people/person.ts'
import { withSuccessors } from '../../src/people/successors.ts'
import { monday } from '../campaigns/lapsed-person.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { toArray, newKeepState, testPeople, withConsents } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const activeReplacements = new Map([['slack_1', 'slack_2']])
const former: AppRecord = { instance: 'slack_1', name: 'Slack', status: 'connected', since: 1 }
const next: AppRecord = { instance: 'slack_2', name: 'Slack', status: 'awaiting', since: 5, newAt: 5 }
const without = (app: AppRecord): AppRecord => {
  const { newAt: _newAt, ...rest } = app
  return rest
}

const lapse = { lapsedAt: 4 }
const movedWhileLost = { movedFrom: 'slack_1', previousLapsedAt: 4 }

const move = { movedFrom: 'slack_1' }
const unconnectedSlack = { ...former, status: 'awaiting' as const }
/** Its list lost it in the check that listed the next one, so it was connected until then, or unconnected. */
const goneWithNext: AppRecord = { ...former, since: 5 }

// prettier-ignore
it.each<[string, AppRecord[], AppRecord | undefined]>([
  ['is connected has moved, connected', [former], { ...former, instance: 'slack_2', ...move }],
  ['is unconnected is unconnected, without a move', [unconnectedSlack], { ...unconnectedSlack, instance: 'slack_2' }],
  ['left the list isn’t known before it is listed', [{ ...former, delistedAt: 3 }], undefined],
  ['was lost and left the list isn’t known, either', [{ ...former, delistedAt: 3, previousLapsedAt: 2 }], undefined],
  ['left the list in an earlier check has moved', [{ ...former, delistedAt: 4 }, next], { ...next, ...move }],
  ['was unconnected until the same check has not moved', [{ ...goneWithNext, delistedAt: 5 }, next], without(next)],
  ['was lost until the same check has moved while lost', [{ ...goneWithNext, previousLapsedAt: 4 }, next], { ...next, ...movedWhileLost }],
  ['is still listed as lost has moved while lost', [{ ...unconnectedSlack, ...lapse }, next], { ...next, ...movedWhileLost }],
  [
    'is lost, before it is listed itself, has moved while lost',
    [{ ...unconnectedSlack, ...lapse }],
    { ...unconnectedSlack, instance: 'slack_2', ...movedWhileLost },
  ],
  ['was lost and regained has moved without the loss', [{ ...former, previousLapsedAt: 0 }, next], { ...next, ...move }],
  ['is connected has moved if it is new itself', [former, next], { ...next, ...move }],
  ['is connected has not moved if it isn’t new', [former, without(next)], without(next)],
  ['was never seen has moved if it is new itself', [next], { ...next, ...move }],
  ['was never seen has not moved if it isn’t new', [without(next)], without(next)],
])('the successor of an app that %s', (_title, apps, successor) => {
  const person = { ...newPerson('ada@acme.example', 0), lastCheck: { checkedAt: 9, apps } }
  const after = withSuccessors(person, activeReplacements).lastCheck?.apps
  expect(after?.find(({ instance }) => instance === 'slack_2')).toEqual(successor)
})

// prettier-ignore
it.each<[string, AppRecord[], string[], string[]]>([
  ['follows it to its successor', [unconnectedSlack, next], ['slack_1'], ['slack_2']],
  ['follows it while it is lost', [{ ...former, status: 'awaiting', ...lapse }, next], ['slack_1'], ['slack_2']],
  ['yields to a newer one', [unconnectedSlack, next], ['slack_1', 'slack_2'], ['slack_2']],
  ['ends if the app was connected since', [former, next], ['slack_1'], []],
  ['about its successor stays', [former, next], ['slack_2'], ['slack_2']],
])('a wait for the approval of an app that was replaced %s', (_title, apps, waits, expected) => {
  const intents = waits.map((instance, since) => ({ instance, kind: 'blocked' as const, since }))
  const person = { ...newPerson('ada@acme.example', 0), lastCheck: { checkedAt: 9, apps } }
  const failures = [{ at: 8, instance: 'slack_1', code: 'blocked' }]

  const after = withSuccessors(
    { ...person, failures, intents: { checkedAt: 9, apps: intents } },
    activeReplacements,
  )

  expect(after.intents?.apps.map(({ instance }) => instance)).toEqual(expected)
  expect(after.intents?.apps).toEqual(expected.map((instance) => ({ ...intents.at(-1), instance })))
  expect(after.failures).toEqual([{ ...failures[0], instance: 'slack_2' }])
})

it('failures and choices of a person who was never checked follow their app', () => {
  const apps = [{ instance: 'slack_1', kind: 'skipped' as const, since: 1 }]
  const failures = [{ at: 8, instance: 'slack_1', code: 'blocked' }]
  const person = { ...newPerson('ada@acme.example', 0), failures, intents: { checkedAt: 9, apps } }
  const after = withSuccessors(person, activeReplacements)
  expect(after).toEqual({
    ...person,
    failures: [{ ...failures[0], instance: 'slack_2' }],
    intents: { checkedAt: 9, apps: [{ ...apps[0], instance: 'slack_2' }] },
  })
})

/** Ada has the former app, and Bob the next one. A list of everyone waits for `release`. */
async function setUpListing() {
  const { records } = memoryRecords()
  const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
  for (const [email, app] of [
    ['ada', former],
    ['bob', next],
  ] as const)
    await testPeople({ records }).change(email, (person) => ({
      ...person,
      lastCheck: { checkedAt: 9, apps: [app] },
    }))
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  async function* keys(prefix: string) {
    await released
    yield* records.keys(prefix)
  }
  return { people: testPeople({ records: { ...records, keys }, company }), release }
}

it('no page waits for a list of everyone to find the replacements', async () => {
  const { people, release } = await setUpListing()
  const everyone = toArray(people.all())
  const onPage = await people.change('ada', (person) => ({ ...person }))
  release()
  await everyone
  expect(onPage.lastCheck?.apps).toMatchObject([{ instance: 'slack_1' }])
})

it('a list of everyone knows each replacement first', async () => {
  const { people, release } = await setUpListing()
  release()
  const inList = (await toArray(people.all())).find(({ email }) => email === 'ada')
  const apps = [await people.get('ada'), inList].map((person) => person?.lastCheck?.apps)
  const movedApp = [{ instance: 'slack_2', movedFrom: 'slack_1' }]
  expect(apps).toMatchObject([movedApp, movedApp])
})

it('emails about a new app count for the one that replaces it', async () => {
  const records = memoryRecords().records
  const before = testPeople({ records })
  const withReminder = (reminder: number) => (person: Person) =>
    withEmail(person, { campaign: NEW_APPS, reminder, state: 'sent', now: monday, apps: ['slack_1'] })
  const apps = [{ ...former, status: 'awaiting' as const, newAt: 5 }]
  const ada = { ...newPerson('ada@acme.example', 0), signedInAt: 1, lastCheck: { checkedAt: 9, apps } }
  await before.change(ada.email, () => ada)
  const state = { ...newKeepState(), evaluatedAt: monday }
  const due = async () => {
    const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
    company.activateReplacements([next])
    const person = await testPeople({ records, company }).get('ada@acme.example')
    const moment = { state, now: monday, calendar: { timezone: 'UTC' } }
    const about = appsOf(person!).filter((app) => isAboutApp(NEW_APPS, app, person!, moment))
    return about.map(({ instance }) => instance)
  }
  const dueApps = []
  for (const reminder of [0, 1, 2]) {
    dueApps.push(await due())
    await before.change('ada@acme.example', withReminder(reminder))
  }

  expect([...dueApps, await due()]).toEqual([['slack_2'], ['slack_2'], ['slack_2'], []])
})

it.each([1, 2])(
  'a replacement app is new though the former one was connected before: %i times',
  async (times) => {
    const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
    const people = testPeople({ company })
    const check = async (at: number, ...instances: string[]) => {
      const listed = instances.map((instance) => ({ instance, name: 'Slack', status: 'awaiting' }) as const)
      const after = await people.change('ada@acme.example', (person) => withConsents(person, at, listed))
      return after.lastCheck?.apps
    }
    await people.change('ada@acme.example', () => newPerson('ada@acme.example', 0))
    for (let time = 0; time < times; time++) {
      await check(1 + time / 2, 'slack_1')
      await check(1.1 + time / 2)
    }
    company.activateReplacements([next])
    const movedApp = {
      instance: 'slack_2',
      name: 'Slack',
      status: 'awaiting',
      since: 3,
      newAt: 3,
      movedFrom: 'slack_1',
    }

    expect(await check(3, 'slack_2')).toEqual([movedApp])
    expect(await check(4, 'slack_2')).toEqual([movedApp])
    expect(await check(5)).toEqual([{ instance: 'slack_2', name: 'Slack', status: 'connected', since: 5 }])
    expect(await check(6, 'slack_2')).toMatchObject([{ instance: 'slack_2', lapsedAt: 6 }])
  },
)

const lostOnce = { at: 20, what: 'lost', instance: 'slack_1' } as const
// prettier-ignore
it.each([
  ['it was lost', [lostOnce], 'lapse,released,lost'],
  ['it was lost and is back', [lostOnce, { ...lostOnce, at: 50, what: 'back' as const }], 'back,lapse,released,lost'],
])('the history of an app goes on under the one in its place: %s', async (_title, accessEvents, expected) => {
  const failures = [{ at: 10, instance: 'slack_1', code: 'expired' }]
  const fields = { email: 'ada@acme.example', listedAt: 1, failures, accessEvents }
  const stored: Person = { ...newPerson('', 0), ...fields, lastCheck: { checkedAt: 99, apps: [former] } }
  const email = { reminder: 0, state: 'sent', apps: ['slack_1'] } as const
  const invited = withEmail(stored, { ...email, campaign: 'onboarding', now: 5 })
  const person = withEmail(invited, { ...email, campaign: LAPSES, now: 40, releasedBy: 'root' })
  const released = { at: 30, what: 'released', by: 'root', app: 'slack_1', since: 20 } as const
  const state = { ...newKeepState(), actions: [released] }
  const company = resolveCompany(
    { datasources: { slack_2: { name: 'Chat', replaces: 'slack_1' } } },
    new Map(),
  )
  company.activateReplacements([next])
  const { events } = historyOf(withSuccessors(person, activeReplacements), state, activeReplacements)
  const about = events.filter(({ what }) => what !== 'listedAt')
  expect(about.map(({ what }) => what).join()).toBe(`${expected},failed,invitation`)
  expect(about.flatMap(({ app, apps: some = [app ?? ''] }) => some)).toEqual(about.map(() => 'slack_2'))
  expect(about.find(({ what }) => what === 'lapse')?.by).toBe('root')

  // The page reads the same, from a store that was written before and after the replacement.
  const { records } = memoryRecords()
  await testPeople({ records }).change(fields.email, () => person)
  const people = testPeople({ records, company })
  await people.change(fields.email, (one) => ({ ...one }))
  const page = personPage((await people.get(fields.email))!, state, company, { t, now: 99 })
  expect(page.events.map(({ details: [name] }) => name)).toEqual([...about.map(() => 'Chat'), undefined])
  expect(page.events.map(({ time }) => Date.parse(time!.iso))).toEqual(events.map(({ at }) => at))
  const raw = await testPeople({ records }).get(fields.email)
  expect(historyOf(withSuccessors(raw!, activeReplacements), state, activeReplacements).events).toEqual(
    events,
  )
})
