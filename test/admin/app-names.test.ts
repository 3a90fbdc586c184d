// The names of two instances of one app, in all that admins, owners and operators read.
import request from 'supertest'
import { expect, it } from 'vitest'
import { createApprovalRoutes } from '../../src/admin/approval-routes.ts'
import { createExportRoutes } from '../../src/admin/exports.ts'
import { withCompanyNames } from '../../src/admin/unique-names.ts'
import { createReport, newAppCounts } from '../../src/admin/report.ts'
import { personPage } from '../../src/admin/person-history.ts'
import { PeopleSnapshot } from '../../src/admin/people-snapshot.ts'
import { createAdminRoutes } from '../../src/admin/routes.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { neutralCompany as company, resolveCompany } from '../../src/company/company.ts'
import { newPerson, withFailure, withIntents, withMilestone } from '../../src/people/person.ts'
import { DAY, HOUR, setUpInstallation, monday } from '../cli/installation.ts'
import { runCommand } from '../cli/run-command.ts'
import { useStoredPeople } from '../cli/stored-people.ts'
import { sendJson, signedInApp } from '../helpers/json-pages.ts'
import { newKeepState, summaries } from '../helpers/people.ts'
import { t } from '../helpers/texts.ts'

const { env, withPeople } = useStoredPeople()
const ALL = Array.from({ length: 12 }, (_, one) => `p${one}@acme.example`)
/** Someone who has only the second instances. */
const [BOB] = ['p6@acme.example'] as const

/**
 * Half of the people have the first instances, the others the second ones; then `jira_2` is gone, and Bob is blocked.
 */
async function setUp() {
  const rollout = setUpInstallation()
  const { run, people, names, conditions, unconnectedApps, sentEmails } = rollout
  for (const number of [1, 2]) names.set(`slack_${number}`, 'Slack').set(`jira_${number}`, 'Jira')
  for (const [index, email] of ALL.entries())
    unconnectedApps.set(email, index < 6 ? ['slack_1', 'jira_1'] : ['slack_2', 'jira_2'])
  await run(ALL, { company })
  const blocked = { instance: 'slack_2', kind: 'blocked', since: monday + 2 } as const
  await people.change(BOB, (person) => {
    const failed = withFailure(person, { at: monday + 2, instance: 'slack_2', code: 'blocked' })
    return withIntents(withMilestone(failed, 'signedInAt', monday + 1), monday + 2, [blocked], monday + 2)
  })
  for (const email of ALL.slice(6)) unconnectedApps.set(email, ['slack_2'])
  conditions.now = monday + DAY
  sentEmails.length = 0
  const { err } = await run(ALL, { company, digest: 'monday' })
  conditions.now += HOUR
  const toAdmins = sentEmails.filter(({ to }) => to === 'admin@acme.example')
  return { ...rollout, err, toAdmins }
}

it.each([
  ['slack_1', 'Slack'],
  ['slack_2', 'Slack\u00a0(2)'],
  ['slack_3', 'Slack\u00a0(3)'],
])('%s keeps the name “%s” in the event that it was hidden', async (instance, name) => {
  const known = ['slack_1', 'slack_2', 'slack_3'].map((one) => ({ instance: one, name: 'Slack' }))
  const resolved = resolveCompany({ datasources: { [instance]: { hidden: true } } }, new Map())
  const event = { at: monday, what: 'hidden' as const, instance, name: 'Slack', people: 0 }
  const keepState = { ...newKeepState(), apps: known, appEvents: [event] }
  const datasources = known
    .filter((one) => one.instance !== instance)
    .map((one) => newAppCounts(one.instance, 'Slack'))
  const report = { ...(await createReport(summaries(), monday)), datasources }
  const named = withCompanyNames(report, keepState, resolved, 'en')
  const names = named.report.datasources.map((one) => one.name)
  expect(named.keepState.appEvents?.map((one) => one.name)).toEqual([name])
  expect([name, ...names].sort()).toEqual(['Slack', 'Slack\u00a0(2)', 'Slack\u00a0(3)'])

  const invitation = {
    campaign: 'onboarding',
    reminder: 0,
    state: 'sent',
    apps: [instance],
    now: monday - 1,
  } as const
  const person = { ...withEmail(newPerson('ada@acme.example', 0), invitation), listedAt: monday }
  const { events } = personPage(person, keepState, resolved, { t, now: monday })
  expect(events.find(({ text }) => text === 'App hidden')?.details).toEqual([name])
})

it('a person’s page says that a removed app is on their list again', () => {
  const listed = { at: monday, what: 'listed' as const, instance: 'slack_1' }
  const lost = { ...listed, at: monday - DAY, what: 'lost' as const }
  const person = { ...newPerson('ada@acme.example', 0), accessEvents: [lost, listed] }
  const { events } = personPage(person, newKeepState(), company, { t, now: monday })
  expect(events[0]).toMatchObject({ text: 'App listed again', details: ['Slack'] })
})

async function pagesOf({ people, keepState: keepStateStore }: Awaited<ReturnType<typeof setUp>>) {
  const now = () => monday + DAY
  const snapshot = new PeopleSnapshot({ people, keepStateStore, company, now })
  const user = {
    issuer: 'https://as.example',
    subject: 'g',
    email: 'admin@acme.example',
    emailVerified: true,
  }
  const common = {
    keepStateStore,
    snapshot,
    company,
    audit: () => {},
    now,
    sendPage: sendJson,
  }
  const app = signedInApp(
    () => user,
    monday,
    createApprovalRoutes({
      ...common,
      isAdmin: () => true,
      admins: [user.email],
      limit: (_req, _res, next) => next(),
    }),
    createAdminRoutes({ ...common, people, publicUrl: 'https://onramp.example' }),
    createExportRoutes({ ...common, publicUrl: 'https://onramp.example' }),
  )
  return async (path: string) => (await request(app).get(path)).text
}

type SetUp = Awaited<ReturnType<typeof setUp>>
const page = (path: string) => async (rollout: SetUp) => await (await pagesOf(rollout))(path)
const email = (subject: RegExp) => (rollout: SetUp) => {
  const { subject: title = '', text = '' } = rollout.toAdmins.find((one) => subject.test(one.subject)) ?? {}
  return Promise.resolve(title + text)
}

it.each<[title: string, app: string, read: (rollout: SetUp) => Promise<string>]>([
  ['the email to the owner', 'Slack', email(/approve/)],
  ['the page of the owner', 'Slack', page('/approvals/slack_2')],
  ['the email about a removed app', 'Jira', email(/gone/)],
  ['the output of a run', 'Jira', ({ err }) => Promise.resolve(err)],
  ['the overview', 'Slack', page('/admin')],
  ['the table of apps', 'Slack', page('/admin/apps')],
  ['the list of people', 'Slack', page('/admin/people')],
  ['a part of the list of people', 'Slack', page(`/admin/people?q=${BOB}`)],
  [
    'the page of a person',
    'Slack',
    async (rollout) => await page(`/admin/people/${await rollout.people.keyFor(BOB)}`)(rollout),
  ],
  ['report.json', 'Slack', page('/admin/report.json')],
  ['people.csv', 'Slack', page('/admin/people.csv')],
  [
    'onramp person',
    'Slack',
    async ({ people, keepState }) => {
      const [bob, state] = [await people.get(BOB), await keepState.load()]
      await withPeople(async (stored, storedState) => {
        await stored.change(BOB, () => bob!)
        await storedState.save(state)
      })
      return (await runCommand(['person', BOB], env)).out
    },
  ],
])('%s numbers the second instance of %s', async (_title, app, read) => {
  const text = (await read(await setUp())).replaceAll('\u00A0', ' ')
  expect(text).toContain(`${app} (2)`)
})
