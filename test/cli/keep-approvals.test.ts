// One approval for everyone who waits: the owner of an app, the person who tries it, and the others, over runs of `onramp keep`.
import { expect, it } from 'vitest'
import { companyOf } from '../../src/company/company.ts'
import { withCheck, withIntents, withMilestone, type AppIntent } from '../../src/people/person.ts'
import { DAY, HOUR, installation, monday } from './installation.ts'

const GRACE = 'grace@acme.example'
const [ADA, BOB, EVE] = ['ada@acme.example', 'bob@acme.example', 'eve@acme.example'] as const
const ALL = [ADA, BOB, EVE]
const slack = { owner: GRACE, approve: 'https://acme.slack.example/apps' }
const company = companyOf({ languages: ['en'], datasources: { slack } }, new Map())
const owned = { company }

type Installation = ReturnType<typeof installation>

/** They have been invited, and each said a while later that Slack needs an admin. */
async function waiting(one: Installation, emails: readonly string[] = ALL, others: readonly string[] = []) {
  one.names.set('slack_1', 'Slack')
  for (const email of ALL) one.left.set(email, ['slack_1', ...others])
  await one.run(ALL, owned)
  one.sentEmails.length = 0
  one.world.now = monday + DAY
  for (const [index, email] of emails.entries())
    await recordIntent(one, email, 'blocked', monday + 2 * HOUR + index)
}

const recordIntent = async (
  { people, world }: Installation,
  email: string,
  kind: AppIntent['kind'],
  since?: number,
) =>
  await people.change(email, (person) => {
    const app = { instance: 'slack_1', kind, ...(since !== undefined && { since }) }
    return withIntents(withMilestone(person, 'signedInAt', monday), world.now, [app], world.now)
  })

/** @param days after the first Monday */
async function runAt({ world, run, sentEmails }: Installation, days: number) {
  world.now = monday + days * DAY
  sentEmails.length = 0
  await run(ALL, owned)
  return sentEmails.map(({ to, subject }) => [to, subject])
}
const request = [GRACE, '3 people are waiting for you to approve Slack']

it('the owner gets one email about everyone waiting, with the links to approve', async () => {
  const one = installation()
  await waiting(one)
  expect(await runAt(one, 1)).toEqual([request])
  const { text = '' } = one.sentEmails[0] ?? {}
  expect(text).toContain('https://acme.slack.example/apps')
  expect(text).toContain('/approvals/slack_1')
  expect(text).toContain('because you can approve')
  for (const email of ALL) expect(text).not.toContain(email)
  expect(await runAt(one, 1.1)).toEqual([])
  expect(await runAt(one, 9)).toEqual([])
  expect((await one.keepState.load()).approvals).toMatchObject([
    { waiting: 3, owners: [GRACE], requestedAt: monday + DAY },
  ])
})

it('no owner is asked at night, or while emails are paused', async () => {
  const one = installation()
  await waiting(one)
  expect(await runAt(one, 1.5)).toEqual([])
  one.world.now = monday + 2 * DAY
  await one.run(ALL, { ...owned, pauseUntil: '2027-01-22' })
  expect(one.sentEmails).toEqual([])
  expect(await runAt(one, 4)).toEqual([request])
})

it('admins get the request for an app without an owner; without admins the run reports it', async () => {
  const one = installation()
  await waiting(one)
  await one.run(ALL)
  expect(one.to('admin@acme.example')).toEqual([expect.stringMatching(/^3 people are waiting/)])
  const none = installation({ ADMIN_EMAILS: '' })
  await waiting(none)
  const { exit, err } = await none.run(ALL)
  expect([exit, err]).toEqual([3, expect.stringMatching(/Slack: 3 people wait .*datasources.slack_1.owner/)])
})

it('one person tries an approved app, and the others are emailed once it works', async () => {
  const one = installation()
  await waiting(one)
  await runAt(one, 1)
  await one.keepState.decide('slack_1', { at: monday + 1.5 * DAY, by: GRACE })
  expect(await runAt(one, 2)).toEqual([[ADA, 'Slack was approved. Connect it now.']])
  expect(await runAt(one, 2.1)).toEqual([])
  one.left.set(ADA, [])
  await runAt(one, 2.2)
  const last = 'One click left: Slack was approved'
  expect(new Set(await runAt(one, 3))).toEqual(
    new Set([
      [BOB, last],
      [EVE, last],
    ]),
  )
  expect(await runAt(one, 4)).toEqual([])
  const reminded = (await runAt(one, 9)).map(([to]) => to)
  expect(new Set(reminded), 'They can connect it, so reminders are about it').toEqual(new Set([BOB, EVE]))
  expect((await one.keepState.load()).actions).toMatchObject([
    { what: 'approved', by: GRACE, app: 'slack_1' },
  ])
})

it('an approval is confirmed by anyone who connects the app after it', async () => {
  const one = installation()
  await waiting(one)
  await runAt(one, 1)
  await one.keepState.decide('slack_1', { at: monday + 1.5 * DAY, by: GRACE })
  expect((await runAt(one, 2)).map(([to]) => to)).toEqual([ADA])
  one.left.set(EVE, [])
  await runAt(one, 2.3)
  expect((await runAt(one, 3)).map(([to]) => to)).toEqual([BOB])
})

it('a person hears that an app works before a reminder of another app', async () => {
  const one = installation()
  await waiting(one, ALL, ['jira_1'])
  await runAt(one, 1)
  await one.keepState.decide('slack_1', { at: monday + 1.5 * DAY, by: GRACE })
  await runAt(one, 2)
  one.left.set(ADA, [])
  const at = one.world.now + HOUR
  await one.people.change(ADA, (person) => withCheck(person, { checkedAt: at, unconnected: [] }, at))
  const sent = await runAt(one, 7)
  expect(sent.filter(([to]) => to === EVE)).toEqual([[EVE, 'One click left: Slack was approved']])
})

it('after another failure, the owner is emailed, and other people wait for a new approval', async () => {
  const one = installation()
  await waiting(one)
  await runAt(one, 1)
  await one.keepState.decide('slack_1', { at: monday + 1.5 * DAY, by: GRACE })
  await runAt(one, 2)
  await recordIntent(one, ADA, 'blocked', one.world.now)
  expect(await runAt(one, 2.2)).toEqual([[GRACE, 'Slack may still need your approval']])
  expect(await runAt(one, 3)).toEqual([])
  await one.keepState.decide('slack_1', { at: one.world.now, by: GRACE })
  expect((await runAt(one, 4)).map(([to]) => to)).toEqual([BOB])
})

it('a person who opted out is never emailed about an approval', async () => {
  const one = installation()
  await waiting(one)
  await runAt(one, 1)
  await one.people.change(ADA, (person) => withMilestone(person, 'optedOutAt', monday))
  await one.keepState.decide('slack_1', { at: monday + 1.5 * DAY, by: GRACE })
  expect((await runAt(one, 2)).map(([to]) => to)).toEqual([BOB])
  one.left.set(BOB, [])
  await runAt(one, 2.3)
  expect((await runAt(one, 3)).map(([to]) => to)).toEqual([EVE])
})
