// Approvals over runs of `installation keep`: requests to owners, the tester, and emails to the other people.
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
import { DAY, HOUR, setUpInstallation, type Installation, monday } from './installation.ts'

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

/** Invites everyone, and records that Slack needs an admin for these people. */
async function setUpWaitingPeople(emails: readonly string[] = ALL, others: readonly string[] = []) {
  const installation = setUpInstallation()
  installation.names.set('slack_1', 'Slack')
  for (const email of ALL) installation.unconnectedApps.set(email, ['slack_1', ...others])
  await installation.run(ALL, withOwner)
  installation.sentEmails.length = 0
  installation.conditions.now = timeOf(TUESDAY)
  for (const [index, email] of emails.entries())
    await recordIntent(installation, email, 'blocked', monday + 2 * HOUR + index)
  return installation
}

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

/** Then the owner is emailed. */
async function setUpRequest(...waiting: Parameters<typeof setUpWaitingPeople>) {
  const installation = await setUpWaitingPeople(...waiting)
  await runKeepOn(installation, TUESDAY)
  return installation
}

/** Then the owner approves Slack, in the evening. */
async function setUpApproval(...waiting: Parameters<typeof setUpWaitingPeople>) {
  const installation = await setUpRequest(...waiting)
  await installation.keepState.recordDecision('slack_1', { at: timeOf(TUESDAY, 22), by: GRACE })
  return installation
}

const approvalRequest = [GRACE, '3 people are waiting for you to approve Slack']

it('the owner gets one email about everyone waiting, with the links to approve', async () => {
  const installation = await setUpWaitingPeople()
  expect(await runKeepOn(installation, TUESDAY)).toEqual([approvalRequest])
  const { text = '' } = installation.sentEmails[0] ?? {}
  expect(text).toContain('\nhttps://acme.slack.example/apps\n')
  expect(installation.sentEmails[0]?.html).toContain('href="https://acme.slack.example/apps"')
  expect(text).toContain('/approvals/slack_1')
  expect(text).toContain('because you can approve')
  for (const email of ALL) expect(text).not.toContain(email)
  expect(await runKeepOn(installation, TUESDAY, 12)).toEqual([])
  expect(await runKeepOn(installation, NEXT_WEDNESDAY)).toEqual([])
  expect((await installation.keepState.load()).approvals).toMatchObject([
    { waitingPeople: 3, owners: [GRACE], requestedAt: timeOf(TUESDAY) },
  ])
})

it.each([
  ['a new owner in place of the former one is asked', [EVE], [EVE]],
  ['a new owner besides the former one is asked', [GRACE, EVE], [EVE]],
  ['no one is asked again after one of two owners left', [GRACE], []],
])('while an approval is requested, %s', async (_title, owner, recipients) => {
  const installation = await setUpWaitingPeople()
  const before = { ...slackEntry, owner: [GRACE, BOB] }
  const others = { company: resolveCompany({ languages: ['en'], datasources: { slack: before } }, new Map()) }
  await runKeepOn(installation, TUESDAY, 10, recipients.length === 0 ? others : withOwner)
  const datasources = { slack: { ...slackEntry, owner } }
  const after = { company: resolveCompany({ languages: ['en'], datasources }, new Map()) }

  const [first, second] = [
    await runKeepOn(installation, WEDNESDAY, 10, after),
    await runKeepOn(installation, THURSDAY, 10, after),
  ]

  expect([first, second]).toEqual([recipients.map((to) => [to, approvalRequest[1]]), []])
  const requestedAt = timeOf(owner.includes(GRACE) ? TUESDAY : WEDNESDAY)
  expect((await installation.keepState.load()).approvals).toMatchObject([{ owners: owner, requestedAt }])
})

it('a second email to an owner says how many people wait since the first', async () => {
  const installation = await setUpWaitingPeople([ADA])
  const toGrace = async (day: number) => (await runKeepOn(installation, day)).filter(([to]) => to === GRACE)
  const first = await toGrace(WEDNESDAY)
  await recordIntent(installation, BOB, 'blocked', installation.conditions.now)
  const second = await toGrace(NEXT_WEDNESDAY)
  expect([first, second]).toEqual([
    [[GRACE, '1 person is waiting for you to approve Slack']],
    [[GRACE, 'Reminder: 2 people are waiting for you to approve Slack']],
  ])
  const again = 'We already emailed you about Slack on January 20, 2027. People waiting\nthen: 1. Now: 2.\n'
  expect(installation.sentEmails.find(({ to }) => to === GRACE)?.text).toContain(again)
})

it('after an approved app was removed and is back, its owner is asked again', async () => {
  const installation = await setUpRequest()
  await installation.keepState.recordDecision('slack_1', { at: installation.conditions.now, by: GRACE })
  await runKeepOn(installation, TUESDAY, 13)
  const approved = (await installation.keepState.load()).approvals
  const question = { instance: 'slack_1', name: 'Slack', noticedAt: 1, since: 1, people: 12 }
  const before = { ...(await installation.keepState.load()), delistedApps: [question] }
  await installation.keepState.save(before)
  for (const email of ALL) installation.unconnectedApps.set(email, [])
  installation.conditions.now = timeOf(WEDNESDAY)
  await installation.run(ALL, { ...withOwner, removed: ['slack_1'] })
  const removed = (await installation.keepState.load()).approvals
  for (const email of ALL) installation.unconnectedApps.set(email, ['slack_1'])
  const back = [...(await runKeepOn(installation, THURSDAY)), ...(await runKeepOn(installation, FRIDAY))]

  expect(approved).toMatchObject([{ stage: 'approved' }])
  expect(removed).toEqual([])
  expect(back.filter(([to]) => to === GRACE)).toEqual([approvalRequest])
})

it('no owner is emailed at night, or while emails are paused', async () => {
  const installation = await setUpWaitingPeople()
  expect(await runKeepOn(installation, TUESDAY, 22)).toEqual([])
  installation.conditions.now = timeOf(WEDNESDAY)
  await installation.run(ALL, { ...withOwner, pauseUntil: '2027-01-22' })
  expect(installation.sentEmails).toEqual([])
  expect(await runKeepOn(installation, FRIDAY)).toEqual([approvalRequest])
})

it('the owner is asked while emails to people about a lost app are paused', async () => {
  const installation = await setUpWaitingPeople()
  await installation.pauseEmails('slack_1')
  const sweep = { beganAt: timeOf(TUESDAY), endedAt: timeOf(TUESDAY) }
  await installation.keepState.save({ ...(await installation.keepState.load()), sweep })

  const first = await runKeepOn(installation, TUESDAY)
  await installation.keepState.recordDecision('slack_1', { at: timeOf(TUESDAY, 11), by: GRACE })
  const second = await runKeepOn(installation, TUESDAY, 12)

  const notAdmins = [...first, ...second].filter(([to = '']) => [GRACE, ...ALL].includes(to))
  expect(notAdmins).toEqual([approvalRequest])
})

it('admins get the request for an app without an owner', async () => {
  const installation = await setUpWaitingPeople()

  await installation.run(ALL)

  expect(installation.subjectsTo('admin@acme.example')).toEqual([
    expect.stringMatching(/^3 people are waiting/),
  ])
  const text = installation.sentEmails.find(({ to }) => to === 'admin@acme.example')?.text
  expect(text).toContain('You can approve it in Slack’s admin settings.')
})

it('the others are emailed once one has connected the app, though the owner said nothing', async () => {
  const installation = await setUpRequest()
  installation.unconnectedApps.set(ADA, [])
  installation.conditions.now = timeOf(TUESDAY, 12)
  await installation.people.change(ADA, (person) => withConsents(person, timeOf(TUESDAY, 12)))

  const sent = await runKeepOn(installation, WEDNESDAY)

  expect(sent.map(([to]) => to)).toEqual([BOB, EVE])
  const approvals = (await installation.keepState.load()).approvals ?? []
  const { paragraphs } = describeApproval(approvals[0]!, 'Slack', t)
  expect(paragraphs.join(' ')).not.toMatch(/approved (it )?on|by  /)
})

/** Lines of the digest about what has happened. */
async function linesOf({ keepState }: Installation) {
  const state = { ...(await keepState.load()), days: [{ ...NO_COUNTS, day: '2027-01-17' }] }
  const report = await createReport(summaries(), state.lastRunAt!)
  return describeComparison(compareSince(report, state, state.lastRunAt!)!, t).slice(1)
}

// prettier-ignore
it.each([
  ['counts the others who can connect it', ALL, true, '2 other people can connect it now'],
  ['names no others if only one person waited', [ADA], true, 'no one else was waiting for it'],
  ['counts the others, though its owner didn’t press the button', ALL, false, '2 other people can connect it now'],
])('the one line of a digest about an approval that works %s', async (_title, waiting, isPressed, text) => {
  const installation = await setUpRequest(waiting)
  const decision = { at: timeOf(TUESDAY, 11), by: GRACE }
  if (isPressed) await installation.keepState.recordDecision('slack_1', decision)
  await runKeepOn(installation, TUESDAY, 13)
  expect(await linesOf(installation)).toEqual([])
  installation.unconnectedApps.set(ADA, [])
  await installation.people.change(ADA, (person) => withConsents(person, timeOf(TUESDAY, 14)))

  for (const hour of [15, 16]) await runKeepOn(installation, WEDNESDAY, hour)

  expect(await linesOf(installation)).toEqual([`The approval of Slack works (January 20, 2027): ${text}`])
})

it('one person tests an approved app, and the others are emailed once it works', async () => {
  const installation = await setUpApproval()

  expect(await runKeepOn(installation, WEDNESDAY)).toEqual([[ADA, 'Slack was approved. Connect it now.']])
  expect(await runKeepOn(installation, WEDNESDAY, 12)).toEqual([])
  installation.unconnectedApps.set(ADA, [])
  await runKeepOn(installation, WEDNESDAY, 15)
  const last = 'One click left: Slack was approved'
  expect(new Set(await runKeepOn(installation, THURSDAY))).toEqual(
    new Set([
      [BOB, last],
      [EVE, last],
    ]),
  )
  expect(await runKeepOn(installation, FRIDAY)).toEqual([])

  const reminded = (await runKeepOn(installation, NEXT_WEDNESDAY)).map(([to]) => to)
  expect(new Set(reminded), 'They can connect it, so reminders are about it').toEqual(new Set([BOB, EVE]))
  expect((await installation.keepState.load()).actions).toMatchObject([
    { what: 'approved', by: GRACE, app: 'slack_1' },
  ])
})

it.each([
  ['before its owner decides', 'slack_2', ALL],
  ['after its owner approved it', 'slack_1', []],
])('an approval follows an app that moves %s', async (_title, decidedFor, notified) => {
  const installation = await setUpRequest()
  for (const email of ALL) installation.unconnectedApps.set(email, ['slack_2'])
  installation.names.set('slack_2', 'Slack Grid')
  const decide = () =>
    installation.keepState.recordDecision(decidedFor, { at: installation.conditions.now, by: GRACE })
  if (decidedFor === 'slack_1') await decide()

  const sent = await runKeepOn(installation, WEDNESDAY, 10, movedApproval)
  if (decidedFor === 'slack_2') await decide()
  for (const day of [THURSDAY, FRIDAY]) sent.push(...(await runKeepOn(installation, day, 10, movedApproval)))

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
  expect((await installation.keepState.load()).approvals).toMatchObject([{ ...approval, waitingPeople: 3 }])
})

it.each([
  ['is kept while admins don’t answer', {}, [1, 1]],
  ['is dropped once they have removed the app', { markedRemovedAt: timeOf(WEDNESDAY) }, [0, 0]],
  ['is kept without a question until everyone was checked once more', undefined, [1, 0]],
] as const)('an approval of an app that leaves all lists %s', async (_title, answer, kept) => {
  const installation = await setUpRequest()
  for (const email of ALL) installation.unconnectedApps.set(email, [])
  const cluster = { name: 'Slack', noticedAt: timeOf(WEDNESDAY), since: timeOf(WEDNESDAY, 9), people: 9 }
  const delistedApps = answer === undefined ? [] : [{ ...cluster, instance: 'slack_1', ...answer }]
  await installation.keepState.save({ ...(await installation.keepState.load()), delistedApps })

  const found = []
  for (const day of [WEDNESDAY, THURSDAY]) {
    await runKeepOn(installation, day)
    found.push((await installation.keepState.load()).approvals?.length)
  }

  expect(found).toEqual(kept)
})

it('people who wait for an app are told once that it has moved', async () => {
  const installation = await setUpRequest()
  for (const email of ALL) installation.unconnectedApps.set(email, ['slack_2'])
  const cluster = { name: 'Slack', noticedAt: timeOf(WEDNESDAY), since: timeOf(WEDNESDAY, 9), people: 9 }
  const delistedApps = [{ ...cluster, instance: 'slack_1', notifiedAt: timeOf(WEDNESDAY) }]
  const newApps = [{ ...cluster, instance: 'slack_2' }]
  await installation.keepState.save({ ...(await installation.keepState.load()), delistedApps, newApps })

  const inQuestion = await runKeepOn(installation, WEDNESDAY)
  const { approvals } = await installation.keepState.load()
  const afterwards = [
    ...(await runKeepOn(installation, THURSDAY, 10, movedApproval)),
    ...(await runKeepOn(installation, FRIDAY, 10, movedApproval)),
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
  const installation = await setUpApproval(waiting)
  expect((await runKeepOn(installation, WEDNESDAY)).map(([to]) => to)).toEqual([ADA])

  installation.unconnectedApps.set(EVE, [])
  const at = installation.conditions.now + HOUR
  // The page after a consent drops the choice.
  await installation.people.change(EVE, (person) => withIntents(person, at, [], at))
  await runKeepOn(installation, WEDNESDAY, 17)

  expect((await runKeepOn(installation, THURSDAY)).map(([to]) => to)).toEqual(emailed)
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
  const installation = await setUpWaitingPeople([], ['jira_1'])
  await recordIntent(installation, ADA, 'blocked', since, ['slack_1', 'jira_1'])
  // Another person waits for the second one, unless it is confirmed.
  await recordIntent(installation, BOB, 'blocked', since + 1, ['jira_1'])
  const at = timeOf(TUESDAY, 9)
  const approvals = Object.entries({ slack_1: first, jira_1: second }).map(([instance, stage]) => {
    const change = { stage, stageChangedAt: at, approvedAt: at, testers: [since] }
    return { ...newApproval(instance, instance), ...change }
  })
  await installation.keepState.save({ ...(await installation.keepState.load()), approvals })

  expect(await runKeepOn(installation, TUESDAY)).toContainEqual([ADA, subject])
  const text = installation.sentEmails.find(({ to }) => to === ADA)?.text.replaceAll(/\s+/g, ' ')
  expect(text?.includes('we’ll tell the others')).toBe(namesOthers)
})

it('the email about a confirmed approval comes before reminders', async () => {
  const installation = await setUpApproval(ALL, ['jira_1'])
  await runKeepOn(installation, WEDNESDAY)
  installation.unconnectedApps.set(ADA, [])
  const at = installation.conditions.now + HOUR
  await installation.people.change(ADA, (person) => withCheck(person, { checkedAt: at, unconnected: [] }, at))
  const sent = await runKeepOn(installation, NEXT_MONDAY)
  expect(sent.filter(([to]) => to === EVE)).toEqual([[EVE, 'Slack was approved. Connect it now.']])
})

/** The owner has approved Slack, and Ada, who tested it first, needs an admin again. */
async function failedTest() {
  const installation = await setUpApproval()
  await runKeepOn(installation, WEDNESDAY)
  await recordIntent(installation, ADA, 'blocked', installation.conditions.now)
  return installation
}

it('a tester who is refused access is a failed try of the approval', async () => {
  const installation = await setUpApproval()
  await runKeepOn(installation, WEDNESDAY)
  const at = installation.conditions.now + HOUR
  const refused = { at, instance: 'slack_1', code: 'declined' }
  await installation.people.change(ADA, (person) => withFailure(person, refused))
  await runKeepOn(installation, WEDNESDAY, 15)

  const { approvals } = await installation.keepState.load()
  expect(approvals).toMatchObject([{ stage: 'approved', triedAt: at }])
})

it('after a failed test, the owner is asked for a new approval', async () => {
  const installation = await failedTest()
  expect(await runKeepOn(installation, WEDNESDAY, 15)).toEqual([[GRACE, 'Slack may still need approval']])
  const { text = '' } = installation.sentEmails[0] ?? {}
  expect(text.replaceAll(/\s+/g, ' ')).toContain('Check the approval, then press “I approved it” again.')
  expect(await runKeepOn(installation, THURSDAY)).toEqual([])
  await installation.keepState.recordDecision('slack_1', { at: installation.conditions.now, by: GRACE })
  expect(await runKeepOn(installation, FRIDAY)).toEqual([[BOB, 'Slack was approved. Connect it now.']])
  expect(installation.sentEmails[0]?.text).toContain('If it works, we’ll tell the others')

  installation.unconnectedApps.set(BOB, [])
  await runKeepOn(installation, FRIDAY, 15)
  const sent = await runKeepOn(installation, NEXT_MONDAY)

  expect(sent).toContainEqual([ADA, 'Try connecting Slack again'])
  expect(sent).toContainEqual([EVE, 'One click left: Slack was approved'])
})

it('an only person who waits is told of no others, and of a second approval', async () => {
  const installation = await setUpWaitingPeople([ADA])
  await installation.keepState.recordDecision('slack_1', { at: timeOf(TUESDAY, 22), by: GRACE })
  expect(await runKeepOn(installation, WEDNESDAY)).toEqual([[ADA, 'Slack was approved. Connect it now.']])
  expect(installation.sentEmails[0]?.text).not.toContain('others')
  await recordIntent(installation, ADA, 'blocked', installation.conditions.now)
  await runKeepOn(installation, WEDNESDAY, 15)
  await installation.keepState.recordDecision('slack_1', { at: installation.conditions.now, by: GRACE })

  expect(await runKeepOn(installation, FRIDAY)).toEqual([[ADA, 'Try connecting Slack again']])
})

it('a person who opted out is never emailed about an approval', async () => {
  const installation = await setUpApproval()
  await installation.people.change(ADA, (person) => withMilestone(person, 'optedOutAt', monday))
  expect((await runKeepOn(installation, WEDNESDAY)).map(([to]) => to)).toEqual([BOB])
  installation.unconnectedApps.set(BOB, [])
  await runKeepOn(installation, WEDNESDAY, 17)
  expect((await runKeepOn(installation, THURSDAY)).map(([to]) => to)).toEqual([EVE])
})
