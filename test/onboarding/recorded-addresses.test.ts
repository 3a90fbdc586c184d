// Records of people whose address the list, an operator or the authorization server changes.
import { expect, it } from 'vitest'
import { applyCheck, newWalk } from '../../src/onboarding/walk.ts'
import { vacatedAddress } from '../../src/people/address.ts'
import { withListing, withMilestone, withSignIn, type Person } from '../../src/people/person.ts'
import { personKey, type User } from '../../src/session/signed-in.ts'
import { toArray } from '../helpers/people.ts'
import { ada, jira, KING, NOW, setUpProgress, slack } from './recorded-progress.ts'

const married: User = { ...ada, email: KING }

it.each([
  ['was named late by the list', [vacatedAddress(ada.email, 'E7')], personKey(ada)],
  ['is back on the list', [vacatedAddress(ada.email, 'E7'), KING], personKey(ada)],
])('a newcomer’s page never changes the record of a former owner who %s', async (_title, moves, signIn) => {
  const { startProcess, report, advance } = setUpProgress()
  const { page, people } = startProcess()
  await people.change(ada.email, (person) => withSignIn(person, signIn))
  for (const [at, to] of moves.entries()) {
    advance(1)
    await people.rename(moves[at - 1] ?? ada.email, to)
  }

  await page([slack])

  expect(await report()).toEqual(['slack_1 unconnected'])
  expect((await people.get(moves.at(-1) ?? ''))?.lastCheck).toBeUndefined()
})

/** The list has renamed Ada. It may have given her former address to someone else. */
async function setUpRename({ isReassigned = false } = {}) {
  const fixture = setUpProgress()
  const first = fixture.startProcess()
  const list = (email: string) => first.people.change(email, (person) => withListing(person, true, NOW))
  await list(ada.email)
  fixture.advance(1)
  await first.people.rename(ada.email, KING)
  if (isReassigned) await list(ada.email)
  return { ...fixture, ...first, list }
}

it('a sign-in with a former address isn’t recorded before its owner is known', async () => {
  const { page, people, progress, report } = await setUpRename()
  await page([slack])
  await progress.recordFailure(ada, { at: NOW, code: 'service_unavailable' })
  expect(await report()).toBeUndefined()
  expect((await people.get(KING))?.lastCheck).toBeUndefined()
})

it('a sign-in with a former address is its owner’s once their account moves', async () => {
  const { startProcess, page, people, progress } = await setUpRename()
  await page([slack])
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING })
  await startProcess({ user: married }).page([slack])
  expect(await people.get(KING)).toMatchObject({ signIns: [personKey(ada)], lastCheck: { apps: [slack] } })
})

it('a former address that the list gives away is the new owner’s', async () => {
  const { startProcess, report, page, progress, list } = await setUpRename()
  await page([slack])
  await progress.followAddress(married, ada.email)
  await startProcess({ user: married }).page([slack])
  await list(ada.email)
  await startProcess({ user: { ...ada, subject: 'eve' } }).page([slack])
  expect(await report()).toEqual(['slack_1 unconnected'])
})

it('a former owner who never signed in before may be the new owner', async () => {
  const { startProcess, page, people } = await setUpRename({ isReassigned: true })
  await page([slack])
  const toThird = { ...ada, email: 'third@acme.example' }
  await startProcess({ user: toThird }).progress.followAddress(toThird, ada.email)
  expect(await people.get(ada.email)).toMatchObject({ signIns: [personKey(ada)] })
})

it('a new owner with an account keeps their record from the former owner', async () => {
  const { page, people, progress } = await setUpRename({ isReassigned: true })
  await page([slack])
  await people.change(ada.email, (person) => withSignIn(person, 'bob'))
  await page([slack])
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING })
  expect(await people.get(ada.email)).toMatchObject({ signIns: ['bob'], lastCheck: { apps: [slack] } })
})

it('a former owner’s sign-in leaves nothing on the new owner’s record', async () => {
  const { startProcess, page, people, progress } = await setUpRename({ isReassigned: true })
  await page([slack])
  await progress.followAddress(married, ada.email)
  const newOwner = { email: ada.email, changedAt: expect.any(Number) as number, listedAt: NOW, campaigns: [] }
  expect(await people.get(ada.email)).toEqual(newOwner)
  await startProcess({ user: married }).page([slack])
  await page([slack, jira])
  expect(await people.get(ada.email)).toEqual(newOwner)
  expect((await people.get(KING))?.lastCheck?.apps).toHaveLength(2)
})

it.each([
  ['the former owner has an account of their own', KING, 'key of King'],
  ['the list gave it to them', vacatedAddress(ada.email, 'E7'), undefined],
])('the new owner of an address keeps everything at their next one where %s', async (_title, to, signIn) => {
  const { startProcess, advance } = setUpProgress()
  const { page, people, progress } = startProcess()
  await people.change(ada.email, (person) =>
    signIn ? withSignIn(person, signIn) : withListing(person, true, 1),
  )
  advance(1)
  await people.rename(ada.email, to)
  await people.change(ada.email, (person) => withMilestone(withListing(person, true, NOW), 'optedOutAt', NOW))
  await page([slack])
  const moved = { ...ada, email: 'third@acme.example' }
  expect(await progress.followAddress(moved, ada.email)).toEqual({ email: moved.email, isMoved: true })
  expect(await people.get(moved.email)).toMatchObject({ optedOutAt: NOW, lastCheck: { apps: [slack] } })
})

it('a page that is slower than a rename of its person makes no second person', async () => {
  const { startProcess } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack])
  const person = await people.get(ada.email)
  await people.rename(ada.email, KING)
  const { progress } = startProcess()
  await progress.recordProgress(ada, applyCheck(newWalk(NOW), [jira], NOW, 90), NOW, { person })
  expect(await toArray(people.all())).toMatchObject([
    { email: KING, lastCheck: { apps: [{ status: 'connected' }, jira] } },
  ])
})

it('a sign-in finishes the rename during which a process died', async () => {
  const { startProcess } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  const left = (await people.get(ada.email))!
  await people.rename(ada.email, KING)
  await people.change(ada.email, () => left)
  await people.change(KING, (person) => ({ ...person, renamingFrom: ada.email }))

  await progress.followAddress(married, ada.email)

  expect(await toArray(people.all())).toMatchObject([{ email: KING, lastCheck: left.lastCheck }])
})

it.each([
  ['keeps the address that the list gave them', {}, KING],
  ['gets it back if no list has the present one', { hasUnlistedAddress: true }, ada.email],
  ['gets it back if they have left the list', { leftAt: NOW }, ada.email],
] as const)('someone who signs in with a former address %s', async (_title, listing, expected) => {
  const { startProcess } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack])
  await people.rename(ada.email, KING, {
    change: (person) => ({
      ...withListing(person, true, NOW),
      ...listing,
    }),
  })
  await startProcess().progress.followAddress(ada, KING)
  expect(await people.get(expected)).toMatchObject({ signIns: [personKey(ada)] })
  expect(await toArray(people.all())).toHaveLength(1)
})

it('a person’s record follows only a verified address of the same issuer and subject', async () => {
  const { startProcess } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack])
  const follow = (user: User, from?: string) => startProcess({ user }).progress.followAddress(user, from)
  expect(await follow({ ...married, emailVerified: false }, ada.email)).toEqual({ email: ada.email })
  expect(await follow({ ...married, subject: 'eve' }, ada.email)).toEqual({ email: KING })
  expect(await follow(married)).toEqual({ email: KING })
  expect((await people.get(ada.email))?.formerEmails).toBeUndefined()
  expect(await follow(married, ada.email)).toEqual({ email: KING, isMoved: true })
  expect(await people.get(KING)).toMatchObject({ formerEmails: [ada.email], actions: [{ by: 'sign-in' }] })
})

it('a session with the former address is still its person’s after a rename', async () => {
  const { startProcess } = setUpProgress()
  const { page, people, fail, progress } = startProcess()
  await page([slack])
  await progress.followAddress(married, ada.email)
  await page([slack, jira])
  await fail(1)
  expect(await people.get(ada.email)).toBeUndefined()
  const person = await people.get(KING)
  expect([person?.lastCheck?.apps.length, person?.failures?.length]).toEqual([2, 1])
})

it.each([
  ['changed', false],
  ['given to someone else', true],
])('a person’s record follows them from an address that the list has %s', async (_title, isReassigned) => {
  const { startProcess, advance } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  advance(1)
  await people.rename(ada.email, 'list@acme.example')
  if (isReassigned) await people.change(ada.email, (person) => withListing(person, true, NOW))
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING, isMoved: true })
  expect((await people.get(KING))?.formerEmails).toEqual([ada.email, 'list@acme.example'])
})

it('a failed rename of an address is logged, and the former address stays in use', async () => {
  const { startProcess, setStoreAway, notified } = setUpProgress()
  setStoreAway(true)
  expect(await startProcess().progress.followAddress(married, ada.email)).toEqual({ email: ada.email })
  expect(notified).toEqual([[{ err: new Error('away') }, 'renamed address not recorded']])
})

it('someone whom a list without ids had renamed before keeps their opt-out', async () => {
  const { startProcess } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  await people.change(ada.email, (person) => ({ ...person, listedAt: 1, leftAt: NOW, optedOutAt: 1 }))
  await people.change(KING, (person) => withListing(person, true, NOW))

  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING, isMoved: true })

  expect(await toArray(people.all())).toMatchObject([
    { email: KING, optedOutAt: 1, lastCheck: { apps: [slack] } },
  ])
})

it.each([
  ['holds at a refused address without an account', undefined, 1],
  ['isn’t that of someone who has an account', 'key of King', undefined],
])('an account’s opt-out %s', async (_title, key, optedOutAt) => {
  const { startProcess } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  await people.change(ada.email, (person) => ({ ...person, optedOutAt: 1 }))
  const listed = (person: Person) => withListing(person, true, NOW)
  await people.change(KING, (person) => (key ? withSignIn(listed(person), key) : listed(person)))
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING, isMoved: false })
  expect((await people.get(KING))?.optedOutAt).toBe(optedOutAt)
})

it('an address that belongs to someone else isn’t taken, and the log reports it', async () => {
  const { startProcess, notified } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  await people.change(KING, (person) => ({ ...person, name: 'King' }))
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING, isMoved: false })
  expect(notified).toEqual([[{}, expect.stringContaining('nothing was moved')]])
  expect([await people.get(ada.email), await people.get(KING)]).toMatchObject([
    { email: ada.email },
    { name: 'King' },
  ])
})
