// The doctor's check of stored records: every kind that the stores seal with the data key.
import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { recordsCheck } from '../../src/doctor/stored.ts'
import { WalkStore } from '../../src/onboarding/walk-store.ts'
import { KeepStateStore } from '../../src/people/keep-state.ts'
import { PeopleStore } from '../../src/people/people-store.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { openStore, type Store } from '../../src/records/store.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { Registration } from '../../src/sign-in/registration/registration.ts'
import { PersonSessions } from '../../src/sign-in/sessions/person-sessions.ts'
import { createLog } from '../../src/web/log.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'
import { useFolder } from '../helpers/folder.ts'
import { contextWith } from './facts.ts'

const settings = loadSettings({ ...REQUIRED, DATA_DIR: useFolder() })
const now = Date.now
const USER = { issuer: 'https://id.acme.example', subject: 'ada' }
const EMAIL = 'ada@acme.example'

let store: Store
/** A key of each kind, by its prefix. */
const keys = new Map<string, string>()

beforeAll(async () => {
  store = openStore(settings, createLog('silent'))
  const { records } = store
  const keyRing = createKeyRing(records, settings.SESSION_SECRET)
  const deps = { records, keyRing, now }
  const people = new PeopleStore({ ...deps, retentionDays: 90 })
  await people.change('king@acme.example', (person) => ({ ...person, signedInAt: now() }))
  await people.rename('king@acme.example', EMAIL)
  const walks = new WalkStore({
    ...deps,
    people,
    company: neutralCompany,
    checkReturnTo: () => undefined,
    delistings: { isRemoved: () => false },
  })
  await walks.update(USER, (walk) => ({ ...walk, startedAt: 1 }))
  const keepState = new KeepStateStore(records, keyRing)
  await keepState.save(await keepState.load())
  await keepState.recordDecision('slack_1', { at: now(), by: EMAIL })
  await new Registration(settings, deps).ensure(async () => ({ client_id: 'made' }))
  const none = () => Promise.reject(new Error('no session ends here'))
  const sessions = { has: none, end: none, endElsewhere: none }
  await new PersonSessions({ ...deps, store: sessions, maxSeconds: 60 }).add(
    USER,
    { name: 'one', sid: 'theirs', device: 'Firefox', time: now() },
    now(),
  )
  const { sealer } = await keyRing.dataKey()
  for await (const batch of records.keys(''))
    for (const key of batch) {
      const plain = sealer.open((await records.get(key)) ?? '', key)
      if (plain !== undefined) keys.set(key.replace(/:.*/, ':'), key)
    }
})
afterAll(() => store.close())

/** Sources that use the data key, and the kinds of records that they seal. A new one belongs in PREFIXES, too. */
const KINDS: Record<string, string[]> = {
  'cli/one-person': [],
  'cli/person': [],
  'onboarding/walk-store': ['walk:'],
  'people/former-addresses': ['former-address:'],
  // Where the state can't be read, a run begins a new one.
  'people/keep-state': ['approval:', 'keep-state'],
  'people/people-store': ['person:'],
  'records/data-key': [],
  'sign-in/registration/registration': ['client:'],
  'sign-in/sessions/person-sessions': ['sessions-of:', 'sid:'],
}

it('each source that uses the data key has its kinds of records here', () => {
  const sources = globSync('src/**/*.ts').filter((file) => readFileSync(file, 'utf8').includes('dataKey()'))
  expect(sources.map((file) => file.slice(4, -3)).toSorted()).toEqual(Object.keys(KINDS))
  expect(new Set(keys.keys())).toEqual(new Set(Object.values(KINDS).flat()))
})

it.each(Object.values(KINDS).flat())(
  'the doctor finds that a damaged record %s can’t be read',
  async (kind) => {
    const key = keys.get(kind) ?? ''
    const text = (await store.records.get(key)) ?? ''
    await store.records.put(key, 'damaged', 60)
    const found = await recordsCheck.collect({ ...contextWith(), settings }, now)
    await store.records.put(key, text, 60)
    expect(found?.unreadable).toBe(1)
  },
)
