// People whose address on the list differs from the one on record.
import { expect, it } from 'vitest'
import { withUsableIds } from '../../src/campaigns/listed-people.ts'
import type { ListEntry } from '../../src/campaigns/people-file.ts'
import { renameAll } from '../../src/cli/rename.ts'
import { omitUndefined } from '../../src/omit-undefined.ts'
import { vacatedAddress } from '../../src/people/address.ts'
import { toArray } from '../helpers/people.ts'
import type { Person } from '../../src/people/person.ts'
import { ADA, DAY, setUpInstallation, monday } from './installation.ts'
import { runCommand } from './run-command.ts'
import { useStoredPeople } from './stored-people.ts'

const [BOB, CLEO, KING] = ['bob@acme.example', 'cleo@acme.example', 'king@acme.example'] as const
/** Ada, Bob and Cleo, or the first of them, with these ids. */
const listOf = (...ids: string[]) => ids.map((id, at) => ({ email: [ADA, BOB, CLEO][at]!, id }))
const PERM = 'perm@acme.example'

/** Beside them, one change is not suspicious. */
const others = Array.from({ length: 12 }, (_, id) => ({ email: `p${id}@acme.example`, id: `P${id}` }))
const rowsAt = (domain: string, count: number) =>
  Array.from({ length: count }, (_, id) => ({ email: `p${id}@${domain}`, id: `E${id}` }))

it('a person with a new address and the same id stays opted out', async () => {
  const { run, people, subjectsTo, unconnectedApps } = setUpInstallation()
  const id = 'E1'
  for (const email of [ADA, BOB, KING]) unconnectedApps.set(email, ['slack_1'])
  await run([{ email: ADA, id }, BOB])
  await people.change(ADA, (person) => ({ ...person, optedOutAt: 1 }))

  const { exit, err } = await run([{ email: KING, id }, BOB])
  expect([exit, err.match(/"audit":"renamed","result":"done"/g)?.length]).toEqual([0, 1])
  expect(err).toContain(`1 person has a new address or id:\n  ${ADA} is ${KING} now\n`)
  expect(await people.get(ADA)).toBeUndefined()
  expect(await people.get(KING)).toMatchObject({ id, optedOutAt: 1, actions: [{ what: 'renamed' }] })
  expect(await people.get(KING)).not.toHaveProperty('leftAt')

  // An older list without ids.
  const older = await run([ADA, BOB])
  expect({ exit: older.exit, err: older.err }).toEqual({
    exit: 0,
    err: expect.stringContaining(`Update the list:\n  ${ADA} is ${KING} now\n`),
  })
  expect((await toArray(people.all())).map(({ email }) => email).toSorted()).toEqual([BOB, KING])
  expect(subjectsTo(ADA)).toHaveLength(1)
  expect(subjectsTo(KING)).toHaveLength(0)
})

const atAda = { email: ADA, id: 'E1' }
const atKing = { email: KING, id: 'E1' }
const bothRows = withUsableIds([atAda, atKing, ...others]).list

it('someone who is listed with both addresses for some days stays opted out', async () => {
  const { run, people, subjectsTo, unconnectedApps } = setUpInstallation()
  for (const email of [ADA, KING]) unconnectedApps.set(email, ['slack_1'])
  await run([atAda, ...others])
  await people.change(ADA, (person) => ({ ...person, optedOutAt: 1 }))

  const both = await run(bothRows)
  const { exit } = await run([atKing, ...others])

  expect([both.exit, exit]).toEqual([3, 0])
  expect(both.err).toContain(`Needs you: ${KING} gets no email: it has the id of ${ADA}.`)
  expect(await people.get(KING)).toMatchObject({ id: 'E1', optedOutAt: 1 })
  expect(subjectsTo(KING)).toHaveLength(0)
})

const signedInAtKing = { signIns: ['new'], signedInAt: 1, visitedAt: 1 }
const invited = { id: 'E1', campaigns: [{ name: 'onboarding' }] }
const merged = [{ email: KING, ...invited, ...signedInAtKing }]
const apart = [
  { email: ADA, ...invited },
  { email: KING, ...signedInAtKing, campaigns: [] },
]

it.each<[order: string, who: string, left: string, after: object[], optedOutAt?: number]>([
  ['before', 'someone', KING, merged],
  ['before', 'someone', ADA, apart],
  ['before', 'someone opted out', KING, merged, 1],
  ['before', 'someone opted out', ADA, apart, 1],
  ['after', 'someone', KING, merged],
  ['after', 'someone', ADA, apart],
  ['after', 'someone opted out', KING, merged, 1],
  ['after', 'someone opted out', ADA, apart, 1],
])('a sign-in at a second address, %s a run, invites %s once; %s is left', async (...row) => {
  const [order, , left, after, optedOutAt] = row
  const { run, people, subjectsTo, unconnectedApps } = setUpInstallation()
  for (const email of [ADA, KING]) unconnectedApps.set(email, ['slack_1'])
  await run([atAda, ...others])
  await people.change(ADA, (person) => ({ ...person, ...omitUndefined({ optedOutAt }) }))
  if (order === 'after') await run(bothRows)
  await people.change(KING, (person) => ({ ...person, ...signedInAtKing }))

  const runs = [await run(bothRows), await run(bothRows)]
  const last = await run([left === ADA ? atAda : atKing, ...others])

  expect([...runs, last].map(({ exit }) => exit)).toEqual([3, 3, 0])
  for (const { err } of runs) expect(err).toContain(`${KING} gets no email: it has the id of ${ADA}.`)
  const theirs = (await toArray(people.all())).filter(({ email }) => email === ADA || email === KING)
  theirs.sort((one, other) => one.email.localeCompare(other.email))
  expect(theirs).toMatchObject(after)
  expect(theirs.map((person) => person.optedOutAt)).toEqual([optedOutAt, undefined].slice(0, after.length))
  expect(theirs.filter(({ listedAt }) => listedAt !== undefined)).toHaveLength(1)
  expect([subjectsTo(ADA), subjectsTo(KING)]).toMatchObject([{ length: 1 }, { length: 0 }])
})

it.each([
  ['before', []],
  ['after', [signedInAtKing]],
])('a run at night announces no email to someone’s second address %s a sign-in', async (_title, records) => {
  const { run, people, unconnectedApps, conditions } = setUpInstallation()
  for (const email of [ADA, KING]) unconnectedApps.set(email, ['slack_1'])
  await run([atAda, ...others])
  for (const record of records) await people.change(KING, (person) => ({ ...person, ...record }))
  conditions.now = monday + DAY / 2

  const { out } = await run(bothRows, { json: true })

  expect(JSON.parse(out)).toMatchObject({ emailsWaiting: 0 })
})

it.each<[string, ListEntry]>([
  ['address', { email: KING, id: 'E1', name: 'Ada' }],
  ['id', { email: ADA, id: 'E2', name: 'Ada' }],
])('someone who is back with a new %s after the retention stays opted out', async (_title, back) => {
  const { run, people, subjectsTo, unconnectedApps, conditions } = setUpInstallation()
  for (const email of [ADA, KING]) unconnectedApps.set(email, ['slack_1'])
  await run([{ email: ADA, id: 'E1', name: 'Ada' }, ...others])
  await people.change(ADA, (person) => ({ ...person, optedOutAt: monday }))
  await run(others)
  conditions.now = monday + 140 * DAY
  await run(others)
  const before = subjectsTo(back.email)

  await run([back, ...others])

  expect(await people.get(back.email)).toMatchObject({ id: back.id, optedOutAt: monday })
  expect(subjectsTo(back.email)).toEqual(before)
})

it('a newcomer with someone’s former address inherits nothing, and that person keeps it all', async () => {
  const { run, people, subjectsTo, unconnectedApps, conditions } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  await run([{ email: ADA, id: 'E7' }, ...others])
  await people.change(ADA, (person) => ({ ...person, optedOutAt: 1, finishedAt: 1 }))
  const former = vacatedAddress(ADA, 'E7')
  conditions.now = monday + DAY

  const { exit, err } = await run([{ email: ADA, id: 'E9' }, ...others])
  const [newcomer, leaver] = [await people.get(ADA), await people.get(former)]
  await run([{ email: KING, id: 'E7' }, { email: ADA, id: 'E9' }, ...others])

  expect([exit, err]).toEqual([0, expect.stringContaining(`the data of the former one is at ${former} now`)])
  expect(newcomer).toMatchObject({ id: 'E9', lastCheck: expect.anything() as object })
  for (const field of ['optedOutAt', 'finishedAt', 'formerEmails']) expect(newcomer).not.toHaveProperty(field)
  expect(leaver).toMatchObject({
    id: 'E7',
    optedOutAt: 1,
    finishedAt: 1,
    leftAt: expect.any(Number) as number,
  })
  expect(subjectsTo(ADA)).toHaveLength(2)
  expect(await people.get(KING)).toMatchObject({ id: 'E7', optedOutAt: 1 })
})

it.each<[string, string | undefined, string, number?]>([
  ['someone who keeps their name is the same person', 'Ada', 'Ada'],
  ['someone with another name is a newcomer, until the operator runs a command', 'Ada', 'Bea', 1],
  ['someone without a name is a newcomer, until the operator runs a command', undefined, 'Ada', 1],
])('with a corrected id at a known address, %s', async (_title, before, after, commands = 0) => {
  const { run, people, unconnectedApps, subjectsTo } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  const listWith = (id: string, name?: string) => [{ email: ADA, id, ...(name && { name }) }, ...others]
  await run(listWith('E7', before))
  await people.change(ADA, (person) => ({ ...person, optedOutAt: 1 }))

  const { err } = await run(listWith('E8', after))

  const named = [...err.matchAll(/-- person rename (\S+) (\S+)"/g)]
  expect(named).toHaveLength(commands)
  for (const [, from = '', to = ''] of named) {
    expect(await people.rename(from, to, { change: (person) => ({ ...person, actions: [] }) })).toBe(
      'renamed',
    )
    const person = await people.get(to)
    expect(person).toMatchObject({ id: 'E8', optedOutAt: 1, actions: [] })
    expect(person).not.toHaveProperty('leftAt')
  }
  await run(listWith('E8', after))
  expect(await people.get(ADA)).toMatchObject({ id: 'E8', optedOutAt: 1 })
  expect(subjectsTo(ADA)).toHaveLength(1)
  expect(await toArray(people.all())).toHaveLength(13)
})

it.each([
  ['at once', [], PERM],
  ['after runs with the former address', [ADA, ADA], PERM],
  ['after a run without them', [''], PERM],
  ['after it had the new address, which is another person’s then', [PERM], vacatedAddress(PERM, 'E7')],
])('a list that follows an operator’s rename %s keeps the opt-out', async (_title, listed, expected) => {
  const { run, people, unconnectedApps, conditions } = setUpInstallation()
  const given = { audit: () => {}, now: () => conditions.now, onDone: () => {} }
  for (const email of [ADA, PERM]) unconnectedApps.set(email, ['slack_1'])
  const rowOf = (email: string) => ({ email, id: 'E7', name: 'Ada Temp' })
  await run([rowOf(ADA), ...others])
  await people.change(ADA, (person) => ({ ...person, optedOutAt: 1 }))
  expect(await renameAll(people, [{ from: ADA, to: PERM }], given)).toEqual([])
  for (const email of listed) await run(email === '' ? others : [rowOf(email), ...others])

  await run([{ email: PERM, id: 'E8', name: 'Ada Perm' }, ...others])

  const all = await toArray(people.all())
  expect(all.flatMap(({ email, optedOutAt }) => (optedOutAt === 1 ? email : []))).toEqual([expected])
  expect(await people.get(PERM)).toMatchObject({ id: 'E8', name: 'Ada Perm' })
  expect(await people.get(PERM)).not.toHaveProperty('hasUnlistedAddress')
})

it('many other ids at the same addresses need --confirm, and are then the same people', async () => {
  const { run, people } = setUpInstallation()
  const list = (ids: string) =>
    [0, 1, 2, 3].map((one) => ({ email: `p${one}@acme.example`, id: `${ids}${one}` }))
  await run(list('E'))
  await people.change('p0@acme.example', (person) => ({ ...person, optedOutAt: 1 }))

  await expect(run(list('W'))).rejects.toThrow('4 of the 4 people who were on the list have another id there')
  await run(list('W'), { confirm: true })

  expect(await toArray(people.all())).toHaveLength(4)
  expect(await people.get('p0@acme.example')).toMatchObject({ id: 'W0', optedOutAt: 1 })
})

it('someone who signed in with a new address before the run keeps both records’ data', async () => {
  const { run, people, unconnectedApps } = setUpInstallation()
  unconnectedApps.set(ADA, ['slack_1'])
  await run([{ email: ADA, id: 'E7' }])
  await people.change(KING, (person) => ({ ...person, signIns: ['new'], signedInAt: 1 }))

  const { exit } = await run([{ email: KING, id: 'E7' }])

  expect([exit, await toArray(people.all())]).toMatchObject([
    0,
    [{ email: KING, id: 'E7', signIns: ['new'], campaigns: [{ name: 'onboarding' }] }],
  ])
})

it('a new address with another person’s data is reported, without emails or departures', async () => {
  const { run, people, subjectsTo, unconnectedApps } = setUpInstallation()
  for (const email of [ADA, BOB]) unconnectedApps.set(email, ['slack_1'])
  await run(listOf('E1', 'E2'))
  const before = await toArray(people.all())

  const { exit, err } = await run(listOf('E2', 'E1'))

  expect(exit).toBe(3)
  expect(
    err.match(/Needs you: .* two people never become one.* use a third one\)\. Until then/g),
  ).toHaveLength(2)
  expect(await toArray(people.all())).toEqual(before)
  expect(subjectsTo(ADA)).toHaveLength(1)
  expect(subjectsTo(BOB)).toHaveLength(1)
})

const optOut = { optedOutAt: 1 }
const { env, withPeople } = useStoredPeople()

async function dryRun(list: { email: string; id: string; name?: string }[], people: Person[]) {
  await withPeople(async (stored) => {
    for (const person of people) await stored.change(person.email, () => person)
  })
  const rows = list.map(({ email, id, name = '' }) => `${email},${id},${name}\n`)
  return await runCommand(['keep', '-', '--dry-run'], env, { input: `email,id,name\n${rows.join('')}` })
}

type Exchange = { what: string; names?: string[]; ids: string[]; exits: number; faultCount: number }
it.each<Exchange>([
  { what: 'exchanged ids, with names', ids: ['E2', 'E1', 'E3'], exits: 0, faultCount: 0 },
  { what: 'exchanged ids, without names', names: [], ids: ['E2', 'E1', 'E3'], exits: 3, faultCount: 2 },
  { what: 'three ids in a circle, with names', ids: ['E2', 'E3', 'E1'], exits: 0, faultCount: 0 },
  { what: 'an id that is someone else’s now, with names', ids: ['E9', 'E1', 'E3'], exits: 0, faultCount: 0 },
])('$what move no one’s data, and a dry run says the same', async (exchange) => {
  const { names = ['Ada', 'Bob', 'Cleo'], ids, exits, faultCount } = exchange
  const { run, people, sentEmails } = setUpInstallation()
  const named = (...of: string[]) =>
    listOf(...of).map((row, at) => ({ ...row, ...(names[at] && { name: names[at] }) }))
  await run(named('E1', 'E2', 'E3'))
  await people.change(ADA, (person) => ({ ...person, ...optOut }))
  const before = sentEmails.length

  const dry = await dryRun(named(...ids), await toArray(people.all()))
  const { exit, err } = await run(named(...ids))

  expect([exit, dry.exit]).toEqual([exits, exits])
  const faults = (text: string) =>
    text.match(/\S+ unchanged: .*leave `id` empty in these rows.*$/gm)?.toSorted() ?? []
  expect(faults(err)).toHaveLength(faultCount)
  expect(faults(err)).toEqual(faults(dry.err))
  expect(err + dry.err).not.toContain('invite forget')
  expect([await people.get(ADA), await people.get(BOB)]).toMatchObject([optOut, { email: BOB }])
  expect(await people.get(BOB)).not.toHaveProperty('optedOutAt')
  expect(sentEmails).toHaveLength(before)
})

const listedAda = { email: ADA, id: 'E1', listedAt: 1 }
const signedIn = { email: BOB, signIns: ['new'] }
// prettier-ignore
it.each<[string, Partial<Person>[], exit: number]>([
  ['only signed in', [listedAda, signedIn], 0],
  ['opted out', [listedAda, { ...signedIn, ...optOut }], 3],
  ['has a sign-in and an email', [listedAda, { ...signedIn, campaigns: [{ name: 'onboarding', emails: [] }] }], 3],
  ['was interrupted', [{ email: BOB, id: 'E1', listedAt: 1, formerEmails: [ADA], renamingFrom: ADA }], 0],
])('a dry run exits as a run if the person at the new address %s', async (_title, known, exit) => {
  const { run, people } = setUpInstallation()
  for (const person of known) await people.change(person.email!, (before) => ({ ...before, ...person }))
  const list = [{ email: BOB, id: 'E1' }]
  expect(await dryRun(list, await toArray(people.all()))).toMatchObject({ exit })
  expect(await run(list)).toMatchObject({ exit })
})

it('a dry run says where data would move, and names no command for it', async () => {
  const before = [{ email: ADA, id: 'E1' }, ...others]
  const known = before.map((one) => ({ ...one, listedAt: 1, changedAt: 1, campaigns: [] }))
  const { err } = await dryRun([{ email: ADA, id: 'E9' }, ...others], known)
  const move = `^In a run, ${ADA} has another id.* of the former one moves to \\S+\\.left\\.invalid\\. .*`
  expect(new RegExp(move, 'm').exec(err)?.[0]).toMatch(/put the former id on the list$/)
  expect(err).not.toContain('person rename')
})

it('a dry run names a known address with another id and the same name', async () => {
  const known = { email: ADA, id: 'E1', name: 'Ada', listedAt: 1, changedAt: 1, campaigns: [] }
  const { err } = await dryRun([{ email: ADA, id: 'E9', name: 'Ada' }, ...others], [known])
  expect(err).toMatch(new RegExp(`^In a run, ${ADA} has another id, and counts as the same person`, 'm'))
})

it('putting the former ids back returns each person’s data', async () => {
  const { run, people } = setUpInstallation()
  const former = [...listOf('E1', 'E2', 'E3'), ...others]
  await run(former)
  await people.change(ADA, (person) => ({ ...person, ...optOut }))

  const { err } = await run([...listOf('E9', 'E1', 'E3'), ...others])
  const vacated = vacatedAddress(BOB, 'E2')
  expect(err).not.toMatch(/invite forget|person rename/)
  expect(err).toContain('put the former ids back on the list')
  expect(await people.rename(vacated, BOB)).toBe('taken')
  const returned = await run(former)
  expect(returned.err).toMatch(new RegExp(`${ADA} has its former id again: what was recorded since is at `))
  expect(returned.err).not.toContain('put the former ids back')

  expect(await people.get(ADA)).toMatchObject({ id: 'E1', ...optOut })
  expect(await people.get(BOB)).toMatchObject({ id: 'E2' })
  expect(await people.get(BOB)).not.toHaveProperty('optedOutAt')
})

it('two rows with one address leave both people as they were', async () => {
  const { run, people, subjectsTo, unconnectedApps } = setUpInstallation()
  for (const email of [ADA, BOB]) unconnectedApps.set(email, ['slack_1'])
  const [ada, ...rest] = listOf('E1', 'E2', 'E3')
  await run([ada!, ...rest])
  const before = [await people.get(ADA), await people.get(BOB)]

  const { list, faults } = withUsableIds([{ ...ada, email: BOB }, ...rest])
  const { exit, err } = await run(list, { faults })

  expect(exit).toBe(3)
  expect(err).toContain('Needs you: bob@acme.example is the address of "E1" and "E2"')
  expect([await people.get(ADA), await people.get(BOB)]).toEqual(before)
  expect([subjectsTo(ADA), subjectsTo(BOB)].map(({ length }) => length)).toEqual([1, 1])
})

it('a run names a known address with another id and the same name once', async () => {
  const { run, people } = setUpInstallation()
  const listWith = (id: string) => [{ email: ADA, id, name: 'Ada' }, ...others]
  await run(listWith('E7'))

  const { exit, err } = await run(listWith('E8'))
  const next = await run(listWith('E8'))

  expect(err).toContain(
    `1 person has a new address or id:\n  ${ADA} has another id, and counts as the same person`,
  )
  expect([exit, err]).toEqual([0, expect.stringContaining(`invite forget ${ADA}"`)])
  expect(next.err).not.toContain('another id')
  expect(await people.get(ADA)).toMatchObject({ id: 'E8', name: 'Ada' })
})

it('many new addresses at once need --confirm', async () => {
  const { run, people, keepState } = setUpInstallation()
  const list = (domain: string) => rowsAt(domain, 5)
  await run(list('acme.example'))
  await expect(run(list('acme.test'))).rejects.toThrow(
    '5 of the 5 people who were on the list have another address',
  )

  await run(list('acme.test'), { confirm: true })
  expect((await toArray(people.all())).map(({ email }) => email).toSorted()).toEqual(
    list('acme.test').map(({ email }) => email),
  )

  const half = list('acme.org').slice(0, 3)
  await run(half, { confirm: true })
  // The second run was refused by both guards.
  expect((await keepState.load()).actions?.map(({ what }) => what)).toEqual(['confirmed', 'confirmed'])
})

/** The heading, twenty of 22 people, and where the others are. */
const namesTwenty = (heading: string) =>
  new RegExp(
    `^${heading}(\n {2}p\\d+@acme.example is p\\d+@acme.test now){20}\n {2}and 2 more: see --json$`,
    'm',
  )

it('a run names twenty new or former addresses, and --json all of them', async () => {
  const { run } = setUpInstallation()
  const rows = rowsAt('acme.example', 22)
  const older = rows.map(({ email }) => email)
  await run(rows)
  const renamed = await run(rowsAt('acme.test', 22), { confirm: true })
  const outdated = await run(older)
  const { out: former } = await run(older, { json: true })
  const { out: moved } = await run(rowsAt('acme.org', 22), { confirm: true, json: true })

  expect(renamed.err).toMatch(namesTwenty('22 people have a new address or id:'))
  expect(outdated.err).toMatch(namesTwenty('Former addresses on the list: 22\\. .*:'))
  expect(JSON.parse(former)).toHaveProperty('outdated.length', 22)
  expect(JSON.parse(moved)).toHaveProperty('renamed.length', 22)
})
