// The state that `onramp keep` stores, on the pages for admins.
import { beforeAll, expect, it } from 'vitest'
import { openStore } from '../../src/records/store.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { KeepStateStore, withActions, type DailyCounts, type KeepState } from '../../src/people/keep-state.ts'
import { newPerson, type Person } from '../../src/people/person.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { storePeople } from '../helpers/crowd.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { newKeepState, withAppStates, withEmailState } from '../helpers/people.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { immediateRecords } from '../helpers/memory-records.ts'

const DAY = 86_400_000
const now = Date.now()
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

const person = (name: string, at: number): Person => ({
  ...newPerson(`${name}@acme.example`, at),
  signedInAt: at,
  listedAt: at,
})
const row = (at: number, ready: number): DailyCounts => ({
  day: dayOf(at),
  people: 4,
  ready,
  inProgress: 0,
  notStarted: 0,
  stuck: 0,
  fellBack: 4 - ready,
  gone: 0,
})

/** Ready for weeks, until Slack was listed again. */
const personWithLoss = (name: string, lapsedAt: number): Person => {
  const ready = withAppStates(person(name, now - 30 * DAY), { slack_1: 'connected' }, now - 20 * DAY, {
    slack_1: 'Slack',
  })
  const { name: app, instance } = ready.lastCheck?.apps[0] ?? { name: '', instance: '' }
  const since = { since: lapsedAt, lapsedAt }
  return {
    ...ready,
    lastCheck: { checkedAt: now, apps: [{ name: app, instance, status: 'awaiting', ...since }] },
  }
}

const saveKeepState = async ({ env }: Running, keepState: KeepState) => {
  const settings = loadSettings(env)
  const store = openStore(settings, createLog('silent'))
  await new KeepStateStore(store.records, createKeyRing(store.records, settings.SESSION_SECRET)).save(
    keepState,
  )
  await store.close()
}

const massDisconnect = { instance: 'slack_1', name: 'Slack', noticedAt: now, since: 0, lapsed: 412, had: 450 }

const running = shared(() => run({ settings: { ADMIN_EMAILS: 'grace@acme.example' } }))
beforeAll(async () => {
  await storePeople(running, [
    personWithLoss('ada', now - DAY),
    withEmailState(personWithLoss('bob', now - 9 * DAY), 'sent', { reminder: 1, now: now - 8 * DAY }),
    withAppStates(person('eve', now), { slack_1: 'connected' }, now, { slack_1: 'Slack' }),
    { ...person('dan', now - 9 * DAY), leftAt: now },
    newPerson('zoe@acme.example', now),
  ])
})

it('without a run, /admin has no comparison', async () => {
  const grace = await signIn(running, 'grace', '/admin')
  expect(grace.text).toContain('Email 1 person')
  expect(grace.page.body).not.toContain('name="since"')
})

/** Grace on the overview for admins, after a run. */
async function graceAfterRun() {
  const days = [row(now - 20 * DAY, 4), row(now - 8 * DAY, 2), row(now, 1)]
  const released = {
    what: 'released',
    instance: 'jira_1',
    name: 'Jira',
    people: 412,
    had: 450,
    at: now,
  } as const
  await saveKeepState(running, {
    massDisconnects: [massDisconnect],
    appEvents: [released],
    zones: {},
    days,
    lastRunAt: now,
    needs: ['Line 5 has no address.'],
  })
  return await signIn(running, 'grace', '/admin')
}

it('after a run, an admin sees what it found and what needs help', async () => {
  const grace = await graceAfterRun()
  expect(grace.text).toContain(
    'Lost access 2 Had connected everything, and have since lost access to at least one app. Most often Slack',
  )
  expect(grace.text, 'In the table of apps, whoever lost one counts').toContain('Stuck Lost this app')
  expect(grace.text).toContain('Off the list, or unknown to search (1)')
  expect(grace.text).toMatch(
    /Since [^:]*: 1 fewer person ready, 1 person who had connected everything lost access/,
  )
  expect(grace.text, 'Without a button').toMatch(
    /needs your help \([^)]*\) Line 5 has no address\. This goes away [^.]* solved it\. Slack: 412/,
  )
  expect(grace.page.body).not.toMatch(/<a [^>]*><\/a>/)
  expect(grace.text).toMatch(
    /What needs you .* Slack: 412 of 450 people lost access \([^)]*\) When this many/,
  )
  expect(grace.text).toContain('keep PEOPLE.csv --release slack_1')
  expect(grace.text).toMatch(
    /Since .* Jira were released on .*: 412 of 450 people had lost access .* What needs you/,
  )
  expect(grace.text).not.toContain('--release jira_1')
  expect(grace.text).not.toContain('Email 1 person')
})

it('an admin compares with the last recorded day before the one of the query', async () => {
  const grace = await graceAfterRun()
  await grace.open(`${running.url}/admin?since=${dayOf(now - 12 * DAY)}`)
  expect(grace.page.body).toContain(`value="${dayOf(now - 20 * DAY)}"`)
  expect(grace.text).toMatch(
    /Since [^:]*: 3 fewer people ready, 2 people who had connected everything lost access/,
  )
  expect(grace.text).not.toContain('Email 1 person')
})

it('after a run, an admin can list and export people by what happened to them', async () => {
  const grace = await graceAfterRun()
  await grace.open(`${running.url}/admin/people?show=lapsed&app=slack_1`)
  expect(grace.text).toMatch(/ada@acme\.example Lost access .* Slack \(access ended [^)]*\)/)
  expect(grace.text).toMatch(/bob@acme\.example Lost access [^@]* Last email \w+ \d+, \d{4}/)
  const { body } = await grace.open(`${running.url}/admin/people.csv?show=gone`)
  expect(body).toMatch(new RegExp(`dan@acme\\.example.*,"${dayOf(now)}T`))
  expect(body).not.toContain('ada@')
})

it('the state keeps the newest days and actions, and every decision', async () => {
  const { records, lives } = immediateRecords()
  const store = new KeepStateStore(records, testKeyRing(records))
  const days = Array.from({ length: 401 }, (_, day) => row(day * DAY, 0))
  const actions = Array.from({ length: 101 }, (_, at) => ({ at, what: 'released', by: 'grace' }) as const)

  await store.save(withActions({ ...newKeepState(), days }, actions))
  await store.recordDecision('slack_1', { at: now, by: 'grace' })

  expect(await store.load()).toEqual({ ...newKeepState(), days: days.slice(1), actions: actions.slice(1) })
  expect([await store.findDecision('slack_1'), await store.findDecision('jira_1')]).toEqual([
    { at: now, by: 'grace' },
    undefined,
  ])
  expect(lives.get('keep-state')).toBe(400 * 86_400)
})
