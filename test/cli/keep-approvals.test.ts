// Approvals over runs of `onramp keep`: requests to owners, the tester, and emails to the other people.
import { expect, it } from 'vitest'
import { resolveCompany, type Company } from '../../src/company/company.ts'
import { newApproval } from '../../src/people/keep-state.ts'
import { withCheck, withFailure, withIntents, withMilestone } from '../../src/people/person.ts'
import type { AppIntent } from '../../src/people/person.ts'
import { describeApproval } from '../../src/admin/approval-texts.ts'
import { compareSince, describeComparison } from '../../src/admin/comparison.ts'
import { createReport } from '../../src/admin/report.ts'
import { summaries, withConsents } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'
import { DAY, HOUR, installation, monday } from './installation.ts'

const GRACE = 'grace@acme.example'
const [ADA, BOB, EVE] = ['ada@acme.example', 'bob@acme.example', 'eve@acme.example'] as const
const ALL = [ADA, BOB, EVE]
const slackEntry = { owner: GRACE, approve: 'https://acme.slack.example/apps' }
const company = resolveCompany({ languages: ['en'], datasources: { slack: slackEntry } }, new Map())
const withOwner = { company }
const slack_2 = { replaces: 'slack_1' }
const movedApproval = {
  company: resolveCompany({ languages: ['en'], datasources: { slack: slackEntry, slack_2 } }, new Map()),
}

/** Days after the first Monday. */
const [TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, NEXT_MONDAY, NEXT_WEDNESDAY] = [1, 2, 3, 4, 7, 9] as const
const timeOf = (day: number, hour = 10) => monday + day * DAY + (hour - 10) * HOUR

const NO_COUNTS = { people: 0, gone: 0, ready: 0, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0 }

type Installation = ReturnType<typeof installation>

/** Invites everyone, and records that Slack needs an admin for these people. */
async function setUpWaitingPeople(emails: readonly string[] = ALL, others: readonly string[] = []) {
  const onramp = installation()
  onramp.names.set('slack_1', 'Slack')
  for (const email of ALL) onramp.unconnectedApps.set(email, ['slack_1', ...others])
  await onramp.run(ALL, withOwner)
  onramp.sentEmails.length = 0
  onramp.conditions.now = timeOf(TUESDAY)
  for (const [index, email] of emails.entries())
    await recordIntent(onramp, email, 'blocked', monday + 2 * HOUR + index)
  return onramp
}

/** Then the owner is emailed. */
async function setUpRequest(...waiting: Parameters<typeof setUpWaitingPeople>) {
  const onramp = await setUpWaitingPeople(...waiting)
  await runKeepOn(onramp, TUESDAY)
  return onramp
}

/** Then the owner approves Slack, in the evening. */
async function setUpApproval(...waiting: Parameters<typeof setUpWaitingPeople>) {
  const onramp = await setUpRequest(...waiting)
  await onramp.keepState.recordDecision('slack_1', { at: timeOf(TUESDAY, 22), by: GRACE })
  return onramp
}

const recordIntent = async (
  { people, conditions: { now } }: Installation,
  email: string,
  kind: AppIntent['kind'],
  since?: number,
  instances = ['slack_1'],
) =>
  await people.change(email, (person) => {
    const apps = instances.map((instance) => ({ instance, kind, ...(since !== undefined && { since }) }))
    const failed = withFailure(person, { at: now, instance: 'slack_1', code: kind })
    return withIntents(withMilestone(failed, 'signedInAt', monday), now, apps, now)
  })

/** Runs keep at that time. @returns recipient and subject of each email */
async function runKeepOn(
  { conditions, run, sentEmails }: Installation,
  day: number,
  hour?: number,
  options: { company: Company } = withOwner,
) {
  conditions.now = timeOf(day, hour)
  sentEmails.length = 0
  await run(ALL, options)
  return sentEmails.map(({ to, subject }) => [to, subject])
}
const approvalRequest = [GRACE, '3 people are waiting for you to approve Slack']

it('the owner gets one email about everyone waiting, with the links to approve', async () => {
  const onramp = await setUpWaitingPeople()
  expect(await runKeepOn(onramp, TUESDAY)).toEqual([approvalRequest])
  const { text = '' } = onramp.sentEmails[0] ?? {}
  expect(text).toContain('\nhttps://acme.slack.example/apps\n')
  expect(onramp.sentEmails[0]?.html).toContain('href="https://acme.slack.example/apps"')
  expect(text).toContain('/approvals/slack_1')
  expect(text).toContain('because you can approve')
  for (const email of ALL) expect(text).not.toContain(email)
  expect(await runKeepOn(onramp, TUESDAY, 12)).toEqual([])
  expect(await runKeepOn(onramp, NEXT_WEDNESDAY)).toEqual([])
  expect((await onramp.keepState.load()).approvals).toMatchObject([
    { waitingPeople: 3, owners: [GRACE], requestedAt: timeOf(TUESDAY) },
  ])
})

it.each([
  ['a new owner in place of the former one is asked', [EVE], [EVE]],
  ['a new owner besides the former one is asked', [GRACE, EVE], [EVE]],
  ['no one is asked again after one of two owners left', [GRACE], []],
])('while an approval is requested, %s', async (_title, owner, recipients) => {
  const onramp = await setUpWaitingPeople()
  const before = { ...slackEntry, owner: [GRACE, BOB] }
  const others = { company: resolveCompany({ languages: ['en'], datasources: { slack: before } }, new Map()) }
  await runKeepOn(onramp, TUESDAY, 10, recipients.length === 0 ? others : withOwner)
  const datasources = { slack: { ...slackEntry, owner } }
  const after = { company: resolveCompany({ languages: ['en'], datasources }, new Map()) }

  const [first, second] = [
    await runKeepOn(onramp, WEDNESDAY, 10, after),
    await runKeepOn(onramp, THURSDAY, 10, after),
  ]

  expect([first, second]).toEqual([recipients.map((to) => [to, approvalRequest[1]]), []])
  const requestedAt = timeOf(owner.includes(GRACE) ? TUESDAY : WEDNESDAY)
  expect((await onramp.keepState.load()).approvals).toMatchObject([{ owners: owner, requestedAt }])
})

it('a second email to an owner says how many people wait since the first', async () => {
  const onramp = await setUpWaitingPeople([ADA])
  const toGrace = async (day: number) => (await runKeepOn(onramp, day)).filter(([to]) => to === GRACE)
  const first = await toGrace(WEDNESDAY)
  await recordIntent(onramp, BOB, 'blocked', onramp.conditions.now)
  const second = await toGrace(NEXT_WEDNESDAY)
  expect([first, second]).toEqual([
    [[GRACE, '1 person is waiting for you to approve Slack']],
    [[GRACE, 'Reminder: 2 people are waiting for you to approve Slack']],
  ])
  const again = 'We already emailed you about Slack on January 20, 2027. People waiting\nthen: 1. Now: 2.\n'
  expect(onramp.sentEmails.find(({ to }) => to === GRACE)?.text).toContain(again)
})

it('after an approved app was removed and is back, its owner is asked again', async () => {
  const onramp = await setUpRequest()
  await onramp.keepState.recordDecision('slack_1', { at: onramp.conditions.now, by: GRACE })
  await runKeepOn(onramp, TUESDAY, 13)
  const approved = (await onramp.keepState.load()).approvals
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: 1, since: 1, people: 12 }
  const before = { ...(await onramp.keepState.load()), delistedApps: [question] }
  await onramp.keepState.save(before)
  for (const email of ALL) onramp.unconnectedApps.set(email, [])
  onramp.conditions.now = timeOf(WEDNESDAY)
  await onramp.run(ALL, { ...withOwner, removed: ['slack_1'] })
  const removed = (await onramp.keepState.load()).approvals
  for (const email of ALL) onramp.unconnectedApps.set(email, ['slack_1'])
  const back = [...(await runKeepOn(onramp, THURSDAY)), ...(await runKeepOn(onramp, FRIDAY))]

  expect(approved).toMatchObject([{ stage: 'approved' }])
  expect(removed).toEqual([])
  expect(back.filter(([to]) => to === GRACE)).toEqual([approvalRequest])
})

it('no owner is emailed at night, or while emails are paused', async () => {
  const onramp = await setUpWaitingPeople()
  expect(await runKeepOn(onramp, TUESDAY, 22)).toEqual([])
  onramp.conditions.now = timeOf(WEDNESDAY)
  await onramp.run(ALL, { ...withOwner, pauseUntil: '2027-01-22' })
  expect(onramp.sentEmails).toEqual([])
  expect(await runKeepOn(onramp, FRIDAY)).toEqual([approvalRequest])
})

it('the owner is asked while emails to people about a lost app are paused', async () => {
  const onramp = await setUpWaitingPeople()
  await onramp.pauseEmails('slack_1')
  const sweep = { beganAt: timeOf(TUESDAY), endedAt: timeOf(TUESDAY) }
  await onramp.keepState.save({ ...(await onramp.keepState.load()), sweep })

  const first = await runKeepOn(onramp, TUESDAY)
  await onramp.keepState.recordDecision('slack_1', { at: timeOf(TUESDAY, 11), by: GRACE })
  const second = await runKeepOn(onramp, TUESDAY, 12)

  const notAdmins = [...first, ...second].filter(([to = '']) => [GRACE, ...ALL].includes(to))
  expect(notAdmins).toEqual([approvalRequest])
})

it('admins get the request for an app without an owner', async () => {
  const onramp = await setUpWaitingPeople()

  await onramp.run(ALL)

  expect(onramp.subjectsTo('admin@acme.example')).toEqual([expect.stringMatching(/^3 people are waiting/)])
  const text = onramp.sentEmails.find(({ to }) => to === 'admin@acme.example')?.text
  expect(text).toContain('You can approve it in Slack’s admin settings.')
})

it('the others are emailed once one has connected the app, though the owner said nothing', async () => {
  const onramp = await setUpRequest()
  onramp.unconnectedApps.set(ADA, [])
  onramp.conditions.now = timeOf(TUESDAY, 12)
  await onramp.people.change(ADA, (person) => withConsents(person, timeOf(TUESDAY, 12)))

  const sent = await runKeepOn(onramp, WEDNESDAY)

  expect(sent.map(([to]) => to)).toEqual([BOB, EVE])
  const approvals = (await onramp.keepState.load()).approvals ?? []
  const { paragraphs } = describeApproval(approvals[0]!, 'Slack', t)
  expect(paragraphs.join(' ')).not.toMatch(/approved (it )?on|by  /)
})

/** Lines of the digest about what has happened. */
async function linesOf({ keepState }: Installation) {
  const state = { ...(await keepState.load()), days: [{ ...NO_COUNTS, day: '2027-01-17' }] }
  const report = await createReport(summaries(), state.lastRunAt!)
  return describeComparison(compareSince(report, state, state.lastRunAt!)!, t).slice(1)
}

it.each([
  ['counts the others who can connect it', ALL, true, '2 other people can connect it now'],
  ['names no others if only one person waited', [ADA], true, 'no one else was waiting for it'],
  [
    'counts the others, though its owner didn’t press the button',
    ALL,
    false,
    '2 other people can connect it now',
  ],
])('the one line of a digest about an approval that works %s', async (_title, waiting, isPressed, text) => {
  const onramp = await setUpRequest(waiting)
  const decision = { at: timeOf(TUESDAY, 11), by: GRACE }
  if (isPressed) await onramp.keepState.recordDecision('slack_1', decision)
  await runKeepOn(onramp, TUESDAY, 13)
  expect(await linesOf(onramp)).toEqual([])
  onramp.unconnectedApps.set(ADA, [])
  await onramp.people.change(ADA, (person) => withConsents(person, timeOf(TUESDAY, 14)))

  for (const hour of [15, 16]) await runKeepOn(onramp, WEDNESDAY, hour)

  expect(await linesOf(onramp)).toEqual([`The approval of Slack works (January 20, 2027): ${text}`])
})

it('one person tests an approved app, and the others are emailed once it works', async () => {
  const onramp = await setUpApproval()

  expect(await runKeepOn(onramp, WEDNESDAY)).toEqual([[ADA, 'Slack was approved. Connect it now.']])
  expect(await runKeepOn(onramp, WEDNESDAY, 12)).toEqual([])
  onramp.unconnectedApps.set(ADA, [])
  await runKeepOn(onramp, WEDNESDAY, 15)
  const last = 'One click left: Slack was approved'
  expect(new Set(await runKeepOn(onramp, THURSDAY))).toEqual(
    new Set([
      [BOB, last],
      [EVE, last],
    ]),
  )
  expect(await runKeepOn(onramp, FRIDAY)).toEqual([])

  const reminded = (await runKeepOn(onramp, NEXT_WEDNESDAY)).map(([to]) => to)
  expect(new Set(reminded), 'They can connect it, so reminders are about it').toEqual(new Set([BOB, EVE]))
  expect((await onramp.keepState.load()).actions).toMatchObject([
    { what: 'approved', by: GRACE, app: 'slack_1' },
  ])
})

it.each([
  ['before its owner decides', 'slack_2', ALL],
  ['after its owner approved it', 'slack_1', []],
])('an approval follows an app that moves %s', async (_title, decidedFor, notified) => {
  const onramp = await setUpRequest()
  for (const email of ALL) onramp.unconnectedApps.set(email, ['slack_2'])
  onramp.names.set('slack_2', 'Slack Grid')
  const decide = () => onramp.keepState.recordDecision(decidedFor, { at: onramp.conditions.now, by: GRACE })
  if (decidedFor === 'slack_1') await decide()

  const sent = await runKeepOn(onramp, WEDNESDAY, 10, movedApproval)
  if (decidedFor === 'slack_2') await decide()
  for (const day of [THURSDAY, FRIDAY]) sent.push(...(await runKeepOn(onramp, day, 10, movedApproval)))

  const about = (subject: string) => sent.filter((one) => one[1] === subject).map(([to]) => to)
  const moves = about('Slack Grid has moved, and you’re still waiting for an admin')
  expect(new Set(moves)).toEqual(new Set(notified))
  expect(about('Slack Grid was approved. Connect it now.')).toEqual([ADA])
  expect(sent).toHaveLength(notified.length + 1)
  const approval = {
    instance: 'slack_2',
    name: 'Slack Grid',
    stage: 'approved',
    requestedAt: timeOf(TUESDAY),
  }
  expect((await onramp.keepState.load()).approvals).toMatchObject([{ ...approval, waitingPeople: 3 }])
})

it.each([
  ['is kept while admins don’t answer', {}, [1, 1]],
  ['is dropped once they have removed the app', { markedRemovedAt: timeOf(WEDNESDAY) }, [0, 0]],
  ['is kept without a question until everyone was checked once more', undefined, [1, 0]],
] as const)('an approval of an app that leaves all lists %s', async (_title, answer, kept) => {
  const onramp = await setUpRequest()
  for (const email of ALL) onramp.unconnectedApps.set(email, [])
  const cluster = { name: 'Slack', noticedAt: timeOf(WEDNESDAY), since: timeOf(WEDNESDAY, 9), people: 9 }
  const delistedApps = answer === undefined ? [] : [{ ...cluster, instance: 'slack_1', ...answer }]
  await onramp.keepState.save({ ...(await onramp.keepState.load()), delistedApps })

  const found = []
  for (const day of [WEDNESDAY, THURSDAY]) {
    await runKeepOn(onramp, day)
    found.push((await onramp.keepState.load()).approvals?.length)
  }

  expect(found).toEqual(kept)
})

it('people who wait for an app are told once that it has moved', async () => {
  const onramp = await setUpRequest()
  for (const email of ALL) onramp.unconnectedApps.set(email, ['slack_2'])
  const cluster = { name: 'Slack', noticedAt: timeOf(WEDNESDAY), since: timeOf(WEDNESDAY, 9), people: 9 }
  const delistedApps = [{ ...cluster, instance: 'slack_1', notifiedAt: timeOf(WEDNESDAY) }]
  const newApps = [{ ...cluster, instance: 'slack_2' }]
  await onramp.keepState.save({ ...(await onramp.keepState.load()), delistedApps, newApps })

  const inQuestion = await runKeepOn(onramp, WEDNESDAY)
  const { approvals } = await onramp.keepState.load()
  const afterwards = [
    ...(await runKeepOn(onramp, THURSDAY, 10, movedApproval)),
    ...(await runKeepOn(onramp, FRIDAY, 10, movedApproval)),
  ]

  expect(inQuestion).toEqual([])
  expect(approvals).toMatchObject([{ instance: 'slack_1', waitingPeople: 3, requestedAt: timeOf(TUESDAY) }])
  const subject = 'Slack 2 has moved, and you’re still waiting for an admin'
  expect(new Map(afterwards as [string, string][])).toEqual(new Map(ALL.map((to) => [to, subject])))
  expect(afterwards).toHaveLength(3)
})

it.each([
  ['a person who waited confirms it', ALL, [BOB]],
  ['a person who never waited does not', [ADA, BOB], []],
] as const)('when another person connects an approved app, %s', async (_title, waiting, emailed) => {
  const onramp = await setUpApproval(waiting)
  expect((await runKeepOn(onramp, WEDNESDAY)).map(([to]) => to)).toEqual([ADA])

  onramp.unconnectedApps.set(EVE, [])
  const at = onramp.conditions.now + HOUR
  // The page after a consent drops the choice.
  await onramp.people.change(EVE, (person) => withIntents(person, at, [], at))
  await runKeepOn(onramp, WEDNESDAY, 17)

  expect((await runKeepOn(onramp, THURSDAY)).map(([to]) => to)).toEqual(emailed)
})

const CONNECT = '2 apps were approved. Connect them now.'
// prettier-ignore
it.each([
  { what: 'counts clicks if both work', first: 'confirmed', second: 'confirmed', subject: '2 apps were approved: one click each', namesOthers: false },
  { what: 'names others who wait', first: 'confirmed', second: 'approved', subject: CONNECT, namesOthers: true },
  { what: 'names no others if none wait', first: 'approved', second: 'confirmed', subject: CONNECT, namesOthers: false },
  { what: 'names others if both are tested', first: 'approved', second: 'approved', subject: CONNECT, namesOthers: true },
] as const)('an email about two approved apps $what', async ({ first, second, subject, namesOthers }) => {
  const since = monday + 2 * HOUR
  const onramp = await setUpWaitingPeople([], ['jira_1'])
  await recordIntent(onramp, ADA, 'blocked', since, ['slack_1', 'jira_1'])
  // Another person waits for the second one, unless it is confirmed.
  await recordIntent(onramp, BOB, 'blocked', since + 1, ['jira_1'])
  const at = timeOf(TUESDAY, 9)
  const approvals = Object.entries({ slack_1: first, jira_1: second }).map(([instance, stage]) => {
    const change = { stage, stageChangedAt: at, approvedAt: at, testers: [since] }
    return { ...newApproval(instance, instance), ...change }
  })
  await onramp.keepState.save({ ...(await onramp.keepState.load()), approvals })

  expect(await runKeepOn(onramp, TUESDAY)).toContainEqual([ADA, subject])
  const text = onramp.sentEmails.find(({ to }) => to === ADA)?.text.replaceAll(/\s+/g, ' ')
  expect(text?.includes('we’ll tell the others')).toBe(namesOthers)
})

it('the email about a confirmed approval comes before reminders', async () => {
  const onramp = await setUpApproval(ALL, ['jira_1'])
  await runKeepOn(onramp, WEDNESDAY)
  onramp.unconnectedApps.set(ADA, [])
  const at = onramp.conditions.now + HOUR
  await onramp.people.change(ADA, (person) => withCheck(person, { checkedAt: at, unconnected: [] }, at))
  const sent = await runKeepOn(onramp, NEXT_MONDAY)
  expect(sent.filter(([to]) => to === EVE)).toEqual([[EVE, 'Slack was approved. Connect it now.']])
})

/** The owner has approved Slack, and Ada, who tested it first, needs an admin again. */
async function failedTest() {
  const onramp = await setUpApproval()
  await runKeepOn(onramp, WEDNESDAY)
  await recordIntent(onramp, ADA, 'blocked', onramp.conditions.now)
  return onramp
}

it('a tester who is refused access is a failed try of the approval', async () => {
  const onramp = await setUpApproval()
  await runKeepOn(onramp, WEDNESDAY)
  const at = onramp.conditions.now + HOUR
  const refused = { at, instance: 'slack_1', code: 'declined' }
  await onramp.people.change(ADA, (person) => withFailure(person, refused))
  await runKeepOn(onramp, WEDNESDAY, 15)

  const { approvals } = await onramp.keepState.load()
  expect(approvals).toMatchObject([{ stage: 'approved', triedAt: at }])
})

it('after a failed test, the owner is asked for a new approval', async () => {
  const onramp = await failedTest()
  expect(await runKeepOn(onramp, WEDNESDAY, 15)).toEqual([[GRACE, 'Slack may still need approval']])
  const { text = '' } = onramp.sentEmails[0] ?? {}
  expect(text.replaceAll(/\s+/g, ' ')).toContain('Check the approval, then press “I approved it” again.')
  expect(await runKeepOn(onramp, THURSDAY)).toEqual([])
  await onramp.keepState.recordDecision('slack_1', { at: onramp.conditions.now, by: GRACE })
  expect(await runKeepOn(onramp, FRIDAY)).toEqual([[BOB, 'Slack was approved. Connect it now.']])
  expect(onramp.sentEmails[0]?.text).toContain('If it works, we’ll tell the others')

  onramp.unconnectedApps.set(BOB, [])
  await runKeepOn(onramp, FRIDAY, 15)
  const sent = await runKeepOn(onramp, NEXT_MONDAY)

  expect(sent).toContainEqual([ADA, 'Try connecting Slack again'])
  expect(sent).toContainEqual([EVE, 'One click left: Slack was approved'])
})

it('an only person who waits is told of no others, and of a second approval', async () => {
  const onramp = await setUpWaitingPeople([ADA])
  await onramp.keepState.recordDecision('slack_1', { at: timeOf(TUESDAY, 22), by: GRACE })
  expect(await runKeepOn(onramp, WEDNESDAY)).toEqual([[ADA, 'Slack was approved. Connect it now.']])
  expect(onramp.sentEmails[0]?.text).not.toContain('others')
  await recordIntent(onramp, ADA, 'blocked', onramp.conditions.now)
  await runKeepOn(onramp, WEDNESDAY, 15)
  await onramp.keepState.recordDecision('slack_1', { at: onramp.conditions.now, by: GRACE })

  expect(await runKeepOn(onramp, FRIDAY)).toEqual([[ADA, 'Try connecting Slack again']])
})

it('a person who opted out is never emailed about an approval', async () => {
  const onramp = await setUpApproval()
  await onramp.people.change(ADA, (person) => withMilestone(person, 'optedOutAt', monday))
  expect((await runKeepOn(onramp, WEDNESDAY)).map(([to]) => to)).toEqual([BOB])
  onramp.unconnectedApps.set(BOB, [])
  await runKeepOn(onramp, WEDNESDAY, 17)
  expect((await runKeepOn(onramp, THURSDAY)).map(([to]) => to)).toEqual([EVE])
})
