import { describe, expect, it } from 'vitest'
import { mostlyAt, needsOf } from '../../src/admin/needs.ts'
import { makeReport } from '../../src/admin/report.ts'
import { newPerson, reached, type Person, type SourceState } from '../../src/people/person.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'

const at = Date.UTC(2026, 10, 2, 9)

const reportOf = async (...people: Person[]) =>
  await makeReport(
    (async function* () {
      yield* people
    })(),
    at,
  )

let number = 0
const person = (app: string, state: SourceState): Person => ({
  ...reached(newPerson(`person-${number++}@acme.example`, at), 'signedInAt', at),
  sources: [{ instance: `${app}_1`, name: app, state, at }],
})
const mailed = (email: string, state: 'failed' | 'deferred' | 'unknown') =>
  withMailing(newPerson(email, at), { campaign: 'c', reminder: 0, state, now: at })

describe('what needs the person who runs the rollout', () => {
  it('is nothing where everyone is ready', async () => {
    expect(needsOf(await reportOf())).toEqual([])
    expect(needsOf(await reportOf(person('slack', 'skipped')))).toEqual([])
  })

  it('begins with the apps that most people wait for an admin for, each with its list', async () => {
    const report = await reportOf(
      person('slack', 'blocked'),
      person('jira', 'blocked'),
      person('jira', 'blocked'),
      person('jira', 'waiting'),
    )
    expect(needsOf(report).map(({ kind, count, href }) => [kind, count, href])).toEqual([
      ['app', 2, '/admin/people?show=blocked&app=jira_1'],
      ['app', 1, '/admin/people?show=blocked&app=slack_1'],
    ])
    expect(mostlyAt(report)?.instance).toBe('jira_1')
  })

  it('reminds no one of what they were sent a minute ago', async () => {
    const invited = withMailing(newPerson('new@acme.example', at), {
      campaign: 'c',
      reminder: 0,
      state: 'sent',
      now: at - 60_000,
    })
    expect(needsOf(await reportOf(invited))).toEqual([])
  })

  it('says where most people are stuck only where it is at least half of them', async () => {
    const few = ['a', 'b', 'c'].map((app) => person(app, 'blocked'))
    expect(mostlyAt(await reportOf(...few))).toBeUndefined()
    expect(mostlyAt(await reportOf(...few, person('a', 'blocked')))?.instance).toBe('a_1')
  })

  it('names three apps, or four, and counts the others', async () => {
    const apps = ['a', 'b', 'c', 'd', 'e'].map((app) => person(app, 'blocked'))
    expect(needsOf(await reportOf(...apps.slice(0, 4))).map(({ kind }) => kind)).toEqual([
      'app',
      'app',
      'app',
      'app',
    ])
    expect(needsOf(await reportOf(...apps)).at(-1)).toMatchObject({ kind: 'otherApps', count: 2 })
  })

  it('goes on with people who have not started, and with each kind of trouble with emails', async () => {
    const unconfirmed = person('slack', 'waiting')
    const report = await reportOf(
      { ...unconfirmed, sources: unconfirmed.sources.map((source) => ({ ...source, unconfirmed: true })) },
      newPerson('new@acme.example', at),
      mailed('bounced@acme.example', 'failed'),
      mailed('late@acme.example', 'deferred'),
      mailed('unsure@acme.example', 'unknown'),
    )
    expect(needsOf(report).map(({ kind, count, href }) => [kind, count, href])).toEqual([
      ['unconfirmed', 1, '/admin/people?show=unconfirmed'],
      ['notStarted', 2, '/admin/people/emails?show=notStarted'],
      ['failed', 1, '/admin/people?show=failed'],
      ['deferred', 1, '/admin/people?show=deferred'],
      ['uncertain', 1, '/admin/people?show=uncertain'],
    ])
  })
})
