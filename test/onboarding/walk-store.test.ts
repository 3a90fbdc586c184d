// The store of walks: concurrent writes are merged, and a damaged record blocks no one.
import { expect, it } from 'vitest'
import { resolveCompany } from '../../src/company/company.ts'
import { applyCheck, block, skip } from '../../src/onboarding/walk.ts'
import { WalkStore } from '../../src/onboarding/walk-store.ts'
import type { PeopleStore } from '../../src/people/people-store.ts'
import { withSignIn, type AppIntent } from '../../src/people/person.ts'
import { personKey } from '../../src/session/signed-in.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { testPeople, withAppStates } from '../helpers/people.ts'

const ada = { issuer: 'https://as.example', subject: 'ada' }
const rules = { publicOrigin: 'https://onramp.example', allowedOrigins: ['https://intranet.example'] }
const apps = Array.from({ length: 40 }, (_, index) => ({
  instance: `wiki_${index}`,
  name: `Wiki ${index}`,
  status: 'awaiting' as const,
}))

/** One store, and a function that opens a process's walks on it. */
function setUpWalks() {
  const { records, values } = memoryRecords()
  const keyRing = testKeyRing()
  const counted = { reads: 0, writes: 0, seconds: 0 }
  /** The action of another process between a read and the next write. */
  let meanwhile: () => Promise<unknown> = async () => {}
  const watched: typeof records = {
    ...records,
    async get(key) {
      counted.reads++
      return await records.get(key)
    },
    async compareAndSet(key, expected, value, seconds) {
      const first = meanwhile
      meanwhile = async () => {}
      await first()
      const isWritten = await records.compareAndSet(key, expected, value, seconds)
      if (isWritten) counted.writes++
      counted.seconds = seconds
      return isWritten
    },
  }
  const openWalks = (
    company = resolveCompany({}, new Map()),
    people?: PeopleStore,
    removed: readonly string[] = [],
    now = () => 1,
  ) =>
    new WalkStore({
      records: watched,
      keyRing,
      checkReturnTo: (value) => safeReturnTo(value, rules),
      company,
      delistings: { isRemoved: (instance) => removed.includes(instance) },
      people: people ?? testPeople(),
      now,
    })
  /** Overwrites Ada's record: a string unchanged, any other value sealed. */
  async function damage(record: object | string) {
    await openWalks().update(ada, (walk) => applyCheck(walk, apps, 1, 30))
    const [key = ''] = values.keys()
    const { sealer } = await keyRing.dataKey()
    values.set(key, typeof record === 'string' ? record : sealer.seal(JSON.stringify(record), key))
  }
  return {
    records,
    values,
    counted,
    keyRing,
    openWalks,
    damage,
    beforeNextWrite: (act: () => Promise<unknown>) => void (meanwhile = act),
  }
}

it('a walk loses none of forty simultaneous changes by two processes', async () => {
  const { openWalks } = setUpWalks()
  const [one, other] = [openWalks(), openWalks()]
  await one.update(ada, (walk) => applyCheck(walk, apps, 1, 30))
  await Promise.all(
    apps.map(({ instance }, index) =>
      (index % 2 === 0 ? one : other).update(ada, (walk) => skip(walk, instance, 2)),
    ),
  )
  const walk = await other.load(ada)
  expect(walk.apps.filter((entry) => entry.skippedAt === 2)).toHaveLength(40)
})

it('simultaneous changes in one process read the walk once each', async () => {
  const { openWalks, counted } = setUpWalks()
  const walks = openWalks()
  await walks.update(ada, (walk) => applyCheck(walk, apps, 1, 30))
  Object.assign(counted, { reads: 0, writes: 0 })
  await Promise.all(apps.map(({ instance }) => walks.update(ada, (walk) => skip(walk, instance, 2))))
  expect(counted).toMatchObject({ reads: 40, writes: 40 })
})

it('a walk expires ninety days after its last change', async () => {
  const { openWalks, counted } = setUpWalks()
  const walks = openWalks()
  expect(await walks.load(ada)).toMatchObject({ startedAt: 1, apps: [], clicks: 0 })
  await walks.update(ada, (walk) => ({ ...walk }))
  expect(counted.writes).toBe(0)
  await walks.update(ada, (walk) => applyCheck(walk, apps, 1, 30))
  expect(counted).toMatchObject({ writes: 1, seconds: 7_776_000 })
})

it('a page without changes neither rereads nor writes the walk', async () => {
  const { openWalks, counted } = setUpWalks()
  const walks = openWalks()
  const walk = await walks.update(ada, (before) => applyCheck(before, apps, 1, 30))
  const { reads, writes } = counted
  expect(await walks.update(ada, (before) => ({ ...before }), walk)).toEqual(walk)
  await walks.update(ada, (before) => skip(before, 'wiki_1', 2), walk)
  expect(counted.reads).toEqual(reads)
  expect(counted.writes).toEqual(writes + 1)
})

it('a walk that another process changed is merged, and written once for each change', async () => {
  const { openWalks, beforeNextWrite, counted } = setUpWalks()
  const walk = await openWalks().update(ada, (before) => applyCheck(before, apps, 1, 30))
  beforeNextWrite(() => openWalks().update(ada, (before) => skip(before, 'wiki_1', 2)))
  const both = await openWalks().update(ada, (before) => skip(before, 'wiki_2', 2), walk)
  expect(both.apps.filter((entry) => entry.skippedAt === 2)).toHaveLength(2)
  const { writes } = counted
  beforeNextWrite(() => openWalks().update(ada, (before) => skip(before, 'wiki_3', 2)))
  await openWalks().update(ada, (before) => skip(before, 'wiki_3', 2))
  expect(counted.writes).toBe(writes + 1)
})

it('a walk belongs to one issuer and subject, even if records are swapped', async () => {
  const { openWalks, values } = setUpWalks()
  const walks = openWalks()
  const bob = { ...ada, issuer: 'https://other.example' }
  await walks.update(ada, (walk) => applyCheck(walk, apps, 1, 30))
  expect((await walks.load(bob)).apps).toEqual([])
  await walks.update(bob, (walk) => applyCheck(walk, apps.slice(0, 1), 1, 30))
  const [adas = '', bobs = ''] = values.keys()
  values.set(bobs, values.get(adas) ?? '')
  expect((await walks.load(bob)).apps).toEqual([])
})

it('a stored walk reveals neither the person nor their apps without the key', async () => {
  const { openWalks, values } = setUpWalks()
  await openWalks().update(ada, (walk) => ({
    ...applyCheck(walk, apps, 1, 30),
    visit: { datasources: [], returnTo: 'https://intranet.example/ada' },
  }))
  // The searched values have characters that sealed text can't contain, because random letters may spell a short word.
  expect([...values.values()].join('')).toMatch(/^[\w-]+$/)
  expect([...values.keys()].join()).not.toMatch(/ada@|wiki_|intranet\.|as\.example/i)
  expect([...values.keys()].join()).not.toContain(personKey(ada))
  expect((await openWalks().load(ada)).visit.returnTo).toBe('https://intranet.example/ada')
})

it('a walk omits apps that the company file hides, and has its order', async () => {
  const { openWalks } = setUpWalks()
  await openWalks().update(ada, (walk) => applyCheck(walk, apps.slice(0, 3), 1, 30))
  const company = resolveCompany(
    { datasources: { wiki_0: { hidden: true }, wiki_2: { order: 1 } } },
    new Map(),
  )
  const walks = openWalks(company)
  const loaded = await walks.load(ada)
  const after = await walks.update(ada, (walk) =>
    applyCheck(walk, company.visibleInOrder(apps.slice(0, 3)), 2, 90),
  )
  for (const walk of [loaded, after])
    expect(walk.apps.map(({ instance }) => instance)).toEqual(['wiki_2', 'wiki_1'])
})

it('a walk omits a removed app, until the service lists it again', async () => {
  const { openWalks } = setUpWalks()
  const [first, second] = apps
  await openWalks().update(ada, (walk) => applyCheck(walk, [first!, second!], 1, 30))
  const shown = async (listed: typeof apps) => {
    const walks = openWalks(undefined, undefined, [first!.instance])
    const walk = await walks.update(ada, (before) => applyCheck(before, listed, 2, 30))
    return walk.apps.map(({ instance, status }) => `${instance} ${status}`)
  }
  expect(await shown([])).toEqual([`${second!.instance} connected`])
  expect(await shown([first!])).toEqual([`${second!.instance} connected`, `${first!.instance} awaiting`])
})

it('a person who waits for an app then waits for the one that replaces it', async () => {
  const { openWalks } = setUpWalks()
  const visit = { datasources: ['wiki_0'] }
  await openWalks().update(ada, (walk) => ({
    ...block(applyCheck(walk, apps.slice(0, 1), 1, 30), 'wiki_0', 1),
    visit,
  }))
  const company = resolveCompany({ datasources: { wiki_9: { replaces: 'wiki_0' } } }, new Map())
  const walks = openWalks(company)
  const loaded = await walks.load(ada)
  company.activateReplacements([{ instance: 'wiki_9' }])

  const listed = [{ instance: 'wiki_9', name: 'Wiki', status: 'awaiting' as const }]
  const after = await walks.update(ada, (walk) => applyCheck(walk, listed, 2, 30), loaded)

  expect(after.apps).toMatchObject([{ instance: 'wiki_9', status: 'awaiting', blockedAt: 1 }])
  expect(after.visit).toEqual({ datasources: ['wiki_9'] })
})

const app = { instance: 'a', name: 'A', status: 'awaiting', firstSeen: 1 }
const full = { startedAt: 1, known: [app], visit: { only: ['a'] }, clicks: 3 }

it.each(['not sealed', JSON.stringify(full)])(
  'a walk with a damaged record (%j) begins anew, and is saved again',
  async (damaged) => {
    const { openWalks, damage } = setUpWalks()
    await damage(damaged)
    await openWalks().update(ada, (before) => skip(applyCheck(before, apps, 2, 30), 'wiki_1', 2))
    const walk = await openWalks().load(ada)
    expect(walk.apps.map(({ skippedAt }) => skippedAt).filter(Boolean)).toEqual([2])
  },
)

it('a walk of 0.1.0 is continued, and written with the same names', async () => {
  const { openWalks, damage, values, keyRing } = setUpWalks()
  const [attempt, name] = [{ step: 's', leftAt: 1, looks: 2 }, '"known": "only":']
  await damage({ ...full, known: [{ ...app, name, attempt, leftIn: 3 }] })

  const walk = await openWalks().update(ada, (before) => ({ ...before, clicks: 4 }))
  const get = async (key: string) => values.get(key)
  const stored = await WalkStore.read({ get }, personKey(ada), await keyRing.dataKey())

  expect(walk).toMatchObject({
    apps: [{ name, attempt: { consentStartedAt: 1, checksSinceReturn: 2 }, startedAtClick: 3 }],
    visit: { datasources: ['a'] },
  })
  expect(stored).toEqual({ ...full, known: [{ ...app, name, attempt, leftIn: 3 }], clicks: 4 })
})

it('a stored return address that is no longer allowed is dropped', async () => {
  const { openWalks, damage } = setUpWalks()
  const visit = { only: ['a'], returnTo: 'https://evil.example/' }
  await damage({ ...full, visit, visitAtStart: visit })
  const walk = await openWalks().load(ada)
  expect([walk.visit, walk.visitAtStart]).toEqual([{ datasources: ['a'] }, { datasources: ['a'] }])
})

it.each([
  ['continues the walk at another issuer', true, { issuer: 'https://new.example', emailVerified: true }],
  [
    'begins anew at another issuer that hasn’t verified the address',
    false,
    { issuer: 'https://new.example' },
  ],
  ['begins anew at the same issuer, as another account', false, { issuer: ada.issuer, emailVerified: true }],
  [
    'begins anew at another issuer with another address',
    false,
    { issuer: 'https://new.example', emailVerified: true, email: 'bob@acme.example' },
  ],
  [
    'continues the walk at another issuer with an address added later',
    true,
    { issuer: 'https://new.example', emailVerified: true, email: 'king@acme.example' },
  ],
])('someone who signs in %s', async (_title, isContinued, given) => {
  const { openWalks } = setUpWalks()
  const people = testPeople()
  const email = 'ada@acme.example'
  await people.change(email, (person) => withSignIn(person, personKey(ada)))
  await people.change('bob@acme.example', (person) => withSignIn(person, personKey(ada)))
  await people.change('king@acme.example', (person) => ({
    ...withSignIn(person, personKey(ada)),
    formerEmails: [email],
  }))

  const before = await openWalks().update(ada, (walk) => ({
    ...skip(applyCheck(walk, apps, 1, 30), 'wiki_1', 1),
    visit: { datasources: ['wiki'] },
    issuer: ada.issuer,
    email,
  }))
  const user = { subject: 'another', email, ...given }
  const walks = openWalks(undefined, people)
  const walk = await walks.load(user)

  expect(walk.apps).toEqual(isContinued ? before.apps : [])
  expect(walk.visit).toEqual({ datasources: [] })
  await walks.update(user, (same) => same, walk)
  await people.forget(email)
  expect((await walks.load(user)).apps).toEqual(isContinued ? before.apps : [])
})

// prettier-ignore
it.each([
  ['continues from the record of the person', {}, { skippedAt: 2, blockedAt: 3, unconfirmedAt: 2, connectedAt: 1 }],
  ['begins anew for another account with the address', { subject: 'bob' }, undefined],
  ['begins anew for someone whose address isn’t verified', { emailVerified: false }, undefined],
])('an expired walk %s', async (_title, given, expected) => {
  const { openWalks } = setUpWalks()
  const people = testPeople()
  const email = 'ada@acme.example'
  const states = {
    a_1: 'skipped',
    b_1: 'blocked',
    c_1: 'unconfirmed',
    d_1: 'connected',
    e_1: 'unconnected',
  } as const
  await people.change(email, (person) => {
    const known = withSignIn(withAppStates(person, states, 1), personKey(ada))
    const since = (intent: AppIntent) => (intent.kind === 'blocked' ? { ...intent, since: 3 } : intent)
    return { ...known, intents: { checkedAt: 2, apps: known.intents!.apps.map(since) } }
  })

  const walks = openWalks(undefined, people)
  const user = { ...ada, email, emailVerified: true, ...given }
  const walk = await walks.load(user)
  await walks.update(user, (same) => same, walk)
  await people.forget(email)

  expect(Object.assign({}, ...walk.apps)).toMatchObject(expected ?? {})
  expect(walk.apps.map(({ instance }) => instance)).toEqual(expected ? Object.keys(states) : [])
  expect(walk.apps.at(-1)).toEqual(
    expected && { instance: 'e_1', name: 'e', status: 'awaiting', firstSeen: 1 },
  )
  expect((await walks.load(user)).apps).toEqual(walk.apps)
})

it('a reused address doesn’t get the walk of its former owner', async () => {
  const { openWalks } = setUpWalks()
  const people = testPeople()
  const email = 'ada@acme.example'
  const newUser = { issuer: 'https://new.example', subject: 'ada', email, emailVerified: true }
  for (const user of [ada, newUser]) {
    await people.change(email, (person) => withSignIn(person, personKey(user)))
    await openWalks().update(user, (walk) => ({
      ...applyCheck(walk, apps, 1, 30),
      issuer: user.issuer,
      email,
    }))
  }
  expect((await openWalks(undefined, people).load({ ...newUser, subject: 'bob' })).apps).toEqual([])
})

it('an address that someone left gives them no walk of its next owner', async () => {
  const { openWalks } = setUpWalks()
  const people = testPeople()
  const [left, email] = ['ada@acme.example', 'king@acme.example']
  const mover = { issuer: 'https://new.example', subject: 'king', email, emailVerified: true }
  const walks = openWalks(undefined, people)
  await walks.rememberAddress(mover, await walks.load(mover), left)
  await people.change(left, (person) => withSignIn(person, personKey(ada)))
  await walks.update(ada, (walk) => ({
    ...applyCheck(walk, apps, 1, 30),
    issuer: ada.issuer,
    email: left,
  }))
  expect((await walks.load(mover)).apps).toEqual([])
})

it('a walk of an earlier version without a person is continued by no one else', async () => {
  const { openWalks } = setUpWalks()
  const people = testPeople()
  const user = {
    issuer: 'https://new.example',
    subject: 'a',
    email: 'ada@acme.example',
    emailVerified: true,
  }
  await people.change(user.email, (person) => withSignIn(person, personKey(ada)))
  await openWalks().update(ada, (walk) => applyCheck(walk, apps, 1, 30))
  expect((await openWalks(undefined, people).load(user)).apps).toEqual([])
})

// prettier-ignore
it.each([
  { what: 'stored less than thirty days ago isn’t stored again', email: 'ada@acme.example', now: 30 * 86_400_000 + 1, storedAt: 2, keyCount: 0 },
  { what: 'stored thirty days ago is stored again', email: 'ada@acme.example', now: 30 * 86_400_000 + 2, storedAt: 30 * 86_400_000 + 2, keyCount: 1 },
  { what: 'that is new is stored', email: 'king@acme.example', now: 2, storedAt: 2, keyCount: 1 },
])('for longer than the walk, an address $what', async ({ email, now, storedAt, keyCount }) => {
  const { values, openWalks } = setUpWalks()
  const walk = { ...(await openWalks().load(ada)), email: 'ada@acme.example', emailStoredAt: 2 }
  const walks = openWalks(undefined, undefined, [], () => now)
  expect(await walks.rememberAddress(ada, walk, email)).toBe(storedAt)
  expect([...values.keys()].filter((key) => key.startsWith('sign-in-address:'))).toHaveLength(keyCount)
})

it('forgetting a sign-in erases its walk and its address', async () => {
  const { values, openWalks, keyRing, records } = setUpWalks()
  const walks = openWalks()
  const walk = await walks.update(ada, (before) => applyCheck(before, apps, 1, 30))
  await walks.rememberAddress(ada, walk, 'ada@acme.example')
  expect(values.size).toBe(2)
  await WalkStore.erase(records, personKey(ada), await keyRing.dataKey())
  expect(values.size).toBe(0)
})
