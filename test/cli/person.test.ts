// onramp person: the report for the help desk, and the export for a person or an auditor.
import { writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { openKeepState, openPeople, withStore } from '../../src/cli/store.ts'
import { withAction, withFailure, withMilestone, type Person } from '../../src/people/person.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { useFolder } from '../helpers/folder.ts'
import { withAppStates } from '../helpers/people.ts'
import { runCommand } from './run-command.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

const folder = useFolder()
const COMPANY_FILE = join(folder, 'company.yaml')
writeFileSync(COMPANY_FILE, 'datasources: { secret: { hidden: true } }\n')
const env = { ...REQUIRED, COMPANY_FILE, DATA_DIR: join(folder, 'data') }
const ADA = 'ada@acme.example'
const NOW = Date.now() - 3_600_000

const recordAda = async (change: (person: Person) => Person) => {
  const settings = loadSettings(env)
  await withStore(settings, async (records) => {
    await openPeople({ records, settings, now: Date.now }).change(ADA, change)
    const released = { at: NOW - 1, what: 'released', by: 'root', app: 'slack_1' } as const
    const keepState = openKeepState(records, settings)
    await keepState.save({ ...(await keepState.load()), actions: [released] })
  })
}

it('onramp person prints next steps, apps and history on 80 columns, newest first', async () => {
  await recordAda((person) => {
    const signedIn = withMilestone({ ...person, name: 'Ada Lovelace' }, 'signedInAt', NOW)
    const states = { slack_1: 'unconnected', jira_1: 'connected', secret_1: 'connected' } as const
    const seen = withAppStates({ ...signedIn, listedAt: NOW - 120_000 }, states, NOW)
    const apps = seen.lastCheck!.apps.map((app) =>
      app.instance === 'slack_1' ? { ...app, lapsedAt: NOW - 90_000 } : app,
    )
    const lost = { at: NOW - 90_000, what: 'lost', instance: 'slack_1' } as const
    const withApps = { ...seen, lastCheck: { checkedAt: NOW, apps }, accessEvents: [lost] }
    const about = { campaign: 'lapses', reminder: 0, state: 'sent', apps: ['slack_1'] } as const
    const email = { ...about, releasedBy: 'root' }
    const failed = withFailure(withApps, {
      at: NOW + 60_000,
      instance: 'slack_1',
      code: 'service_unavailable',
    })
    return withAction(withEmail(failed, { ...email, now: NOW }), {
      at: NOW - 60_000,
      what: 'renamed',
      by: 'root',
    })
  })
  const { exit, out } = await runCommand(['person', 'Ada@acme.example'], env)
  expect(exit).toBe(0)
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect(
    out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'WHEN').replace(/Last checked: .*?M\./, 'Last checked.'),
  ).toMatchInlineSnapshot(`
    "Ada Lovelace · ada@acme.example

    What would help: Connecting slack failed when they were last here. They saw “We
    couldn’t load your apps” (service_unavailable). To look for the cause, run:
      npm run onramp -- doctor --as ada@acme.example

    Apps, and since when
      WHEN  slack · Lost access
      WHEN  jira · Connected

    What happened
      WHEN  Couldn’t connect · slack · They saw “We couldn’t load your
                        apps” (service_unavailable)
      WHEN  Signed in for the first time
      WHEN  Email about lost access · slack · sent · released by root
      WHEN  Emails released · slack · by root
      WHEN  Address changed · by root
      WHEN  Lost access · slack
      WHEN  On the list of people

    Last checked. Dates and times are in UTC.
    "
  `)
})

it('onramp person --json has all stored data, and who released an email', async () => {
  const { out } = await runCommand(['person', ADA, '--json'], env)
  const iso = new Date(NOW).toISOString()

  expect(JSON.parse(out)).toMatchObject({
    schema_version: 1,
    email: ADA,
    help: { kind: 'failed', code: 'service_unavailable' },
    apps: [
      { instance: 'slack_1', state: 'unconnected', since: iso },
      { instance: 'jira_1' },
      { instance: 'secret_1' },
    ],
    events: [
      { what: 'failed', code: 'service_unavailable', app: 'slack_1' },
      { what: 'signedInAt', at: iso },
      { what: 'lapse', at: iso, apps: ['slack_1'], outcome: 'sent', by: 'root' },
      { what: 'released', by: 'root' },
      { what: 'renamed', by: 'root' },
      { what: 'lost', app: 'slack_1' },
      { what: 'listedAt' },
    ],
    stored: { person: { name: 'Ada Lovelace', lastCheck: { checkedAt: iso } }, progress: [] },
  })
})

it('onramp person reports that nothing is stored about someone', async () => {
  const { exit, out, err } = await runCommand(['person', 'bob@acme.example'], env)
  expect(exit).toBe(1)
  expect(out).toBe('')
  expect(err).toEqual(expect.stringContaining('nothing is stored about bob@acme.example'))
})

it('a person’s history has the actions of operators, and forgetting the person is audited', async () => {
  await runCommand(['opt-out', ADA], env)
  await runCommand(['invite', 'bounced', ADA], env)
  const by = userInfo().username
  const { out } = await runCommand(['person', ADA, '--json'], env)
  const { events } = JSON.parse(out) as { events: { what: string }[] }
  expect(events.filter(({ what }) => what === 'bounced' || what === 'opted_out')).toMatchObject([
    { what: 'bounced', by },
    { what: 'opted_out', by },
  ])
  const { err } = await runCommand(['invite', 'forget', ADA], env)
  const { out: id } = await runCommand(['audit-id', ADA], env)
  expect(JSON.parse(err)).toMatchObject({ audit: 'forgotten', emailId: id.trim(), operator: by })
  expect((await runCommand(['invite', 'forget', ADA], env)).err).toBe('')
})

it.each([
  ['warns that someone on the list will be invited again', { listedAt: NOW }, true],
  ['warns of no invitation for someone who has left the list', { listedAt: NOW, leftAt: NOW }, false],
  ['warns of no invitation for someone who was never on the list', {}, false],
])('onramp invite forget %s', async (_title, listing, isInvited) => {
  await recordAda((person) => ({ ...person, ...listing }))

  const { out } = await runCommand(['invite', 'forget', ADA], env)

  expect(out).toContain(`Deleted all data for ${ADA}\n`)
  expect(/invited again when the whole list is next checked.* opt-out EMAIL\n$/.test(out)).toBe(isInvited)
})

it.each([
  ['as text', [], 'Chat'],
  ['as JSON', ['--json'], '"apps":[{"instance":"slack_2"'],
])('onramp person shows an app that was replaced for others, %s', async (_title, options, text) => {
  const file = join(folder, 'replaces.yaml')
  writeFileSync(file, 'datasources: { slack_2: { replaces: slack_1, name: Chat } }\n')
  const settings = { ...env, COMPANY_FILE: file, DATA_DIR: join(folder, `replaced${options.length}`) }
  await withStore(loadSettings(settings), async (records) => {
    const people = openPeople({ records, settings: loadSettings(settings), now: Date.now })
    await people.change(ADA, (person) => withAppStates(person, { slack_1: 'connected' }, NOW))
    await people.change('bob@acme.example', (person) =>
      withAppStates(person, { slack_2: 'unconnected' }, NOW),
    )
  })

  const { out } = await runCommand(['person', ADA, ...options], settings)

  expect(out).toContain(text)
})
