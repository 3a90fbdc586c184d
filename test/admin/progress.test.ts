import { describe, expect, it } from 'vitest'
import { FACTS, progressOf } from '../../src/admin/facts.ts'
import { makeReport } from '../../src/admin/report.ts'
import { newPerson, reached, type Person } from '../../src/people/person.ts'
import { withLeft, withSources } from '../../src/people/sources.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { crowdOf } from '../helpers/crowd.ts'

const at = Date.UTC(2026, 10, 2, 9)
const slack = { instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }
const known = newPerson('ada@acme.example', at)
const signedIn = withLeft(reached(known, 'signedInAt', at), [slack], at)
const bounced = withMailing(known, { campaign: 'c', reminder: 0, state: 'failed', now: at })

const withState = (arrival: Person, change: Partial<Person['sources'][number]>): Person => ({
  ...arrival,
  sources: arrival.sources.map((source) => ({ ...source, ...change })),
})

async function* these(...people: Person[]) {
  yield* people
}

describe('where a person is', () => {
  it('is not started until they sign in, whether they were invited or not', () => {
    expect(progressOf(known)).toBe('notStarted')
    const invited = withMailing(known, { campaign: 'c', reminder: 0, state: 'sent', now: at })
    expect(progressOf(withLeft(invited, [slack], at))).toBe('notStarted')
  })

  it('is in progress while an app is left, and ready when none is, or none ever was', () => {
    expect(progressOf(signedIn)).toBe('inProgress')
    expect(progressOf(withState(signedIn, { state: 'skipped' }))).toBe('inProgress')
    expect(progressOf(withLeft(signedIn, [], at))).toBe('ready')
    expect(progressOf(withLeft(known, [], at))).toBe('ready')
  })

  it('is stuck where an app waits for an admin, or a consent never showed', () => {
    expect(progressOf(withState(signedIn, { state: 'blocked' }))).toBe('stuck')
    expect(progressOf(withState(signedIn, { unconfirmed: true }))).toBe('stuck')
  })

  it('is stuck where the newest email bounced, until they sign in', () => {
    expect(progressOf(bounced)).toBe('stuck')
    expect(progressOf(withMailing(bounced, { campaign: 'c', reminder: 1, state: 'sent', now: at + 1 }))).toBe(
      'notStarted',
    )
    expect(progressOf(withLeft(reached(bounced, 'signedInAt', at), [slack], at))).toBe('inProgress')
  })

  it('is exactly one of four, which add up to everyone', async () => {
    const crowd = crowdOf(500, at)
    const report = await makeReport(these(...crowd), at)
    expect(report.ready + report.inProgress + report.notStarted + report.stuck).toBe(report.people)
    for (const count of [report.ready, report.inProgress, report.notStarted, report.stuck])
      expect(count).toBeGreaterThan(0)
    const out = crowd.filter((arrival) => FACTS.notStarted(arrival) && FACTS.optedOut(arrival))
    expect(report.notStartedOptedOut).toBe(out.length)
    for (const arrival of crowd)
      expect(
        (['ready', 'inProgress', 'notStarted', 'stuck'] as const).filter((fact) => FACTS[fact](arrival)),
      ).toEqual([progressOf(arrival)])
  })
})

describe('an app that was not confirmed', () => {
  const unconfirmed = withState(signedIn, { unconfirmed: true })

  it('stays so when the service is asked and still lists it, and is over once it is connected', () => {
    expect(withLeft(unconfirmed, [slack], at + 1).sources).toMatchObject([{ unconfirmed: true }])
    const gone = withLeft(unconfirmed, [], at + 1)
    expect(gone.sources[0]).toMatchObject({ state: 'connected' })
    expect(gone.sources[0]).not.toHaveProperty('unconfirmed')
    const skipped = { instance: 'slack_1', name: 'Slack', state: 'skipped' as const, at }
    expect(withSources(unconfirmed, [skipped], at + 1).sources).toEqual([skipped])
  })

  it('is counted with its app', async () => {
    const report = await makeReport(these(unconfirmed, signedIn), at)
    expect(report).toMatchObject({ stuck: 1, unconfirmed: 1, inProgress: 1 })
    expect(report.datasources).toMatchObject([
      { instance: 'slack_1', unconfirmed: 1, counts: { waiting: 2 } },
    ])
  })
})

describe('who is due for an email', () => {
  const DAY = 86_400_000
  const mailed = (email: string, days: number, reminder = 0) =>
    withMailing(newPerson(email, at), { campaign: 'c', reminder, state: 'sent', now: at - days * DAY })

  it('is who had none, or none for a week; the others are due later, and the report says when', async () => {
    const report = await makeReport(
      these(
        known,
        mailed('week@acme.example', 7),
        mailed('new@acme.example', 0),
        mailed('two@acme.example', 2),
        mailed('third@acme.example', 30, 3),
        { ...mailed('out@acme.example', 30), optedOutAt: at },
        signedIn,
      ),
      at,
    )
    expect(report).toMatchObject({
      due: 2,
      dueLater: { count: 2, from: new Date(at + 5 * DAY).toISOString() },
    })
  })
})

describe('the funnel', () => {
  it('never grows from one stage to the next, also for who connected an app and was never seen to sign in', async () => {
    const crowd = crowdOf(500, at)
    const unseen = {
      ...withMailing(known, { campaign: 'c', reminder: 0, state: 'sent', now: at }),
      finishedAt: at,
    }
    const { funnel } = await makeReport(these(...crowd, unseen), at)
    const stages = [funnel.invited, funnel.opened, funnel.signedIn, funnel.connecting, funnel.finished]
    expect(stages).toEqual(stages.toSorted((one, other) => other - one))
  })

  it('is of the invited who had something to connect, and nothing in it exceeds them', async () => {
    const invite = (arrival: Person) =>
      withMailing(arrival, { campaign: 'c', reminder: 0, state: 'sent', now: at })
    const nothing = withLeft(invite(newPerson('bob@acme.example', at)), [], at)
    const github = { instance: 'github_1', name: 'GitHub', status: 'awaiting' as const }
    const half = withLeft(withLeft(invite(signedIn), [slack, github], at), [github], at)
    const report = await makeReport(these(nothing, half, { ...known, email: 'eve@acme.example' }), at)
    expect(report.funnel).toEqual({ invited: 1, opened: 1, signedIn: 1, connecting: 1, finished: 0 })
    expect(report).toMatchObject({ notInvited: 1, inProgressApps: { all: 2, connected: 1 } })
    expect(report.lastEmailAt).toBe(new Date(at).toISOString())
  })
})
