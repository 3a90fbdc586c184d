import { describe, expect, it } from 'vitest'
import { newPerson, reached, type Person, type Mailing } from '../../src/people/person.ts'
import { withLeft } from '../../src/people/sources.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { wantedOf } from '../../src/admin/filters.ts'
import {
  listAddresses,
  listPeople,
  MAX_ADDRESSES,
  PEOPLE_A_PAGE,
  stageOf,
} from '../../src/admin/people-list.ts'

const at = Date.parse('2026-11-02T09:00:00Z')

async function* these(people: Person[]) {
  for (const arrival of people) yield await Promise.resolve(arrival)
}

const emails = async (all: Person[], query: Record<string, unknown>) =>
  (await listPeople(these(all), wantedOf(query))).people.map(({ email }) => email)

/** In an order that has nothing to do with theirs. */
const many = Array.from({ length: 3 * PEOPLE_A_PAGE }, (_, index) => {
  const number = String((index * 67) % (3 * PEOPLE_A_PAGE)).padStart(3, '0')
  return newPerson(`person-${number}@acme.example`, at)
})

const mailed = (email: string, state: Mailing['state']) =>
  withMailing(newPerson(email, at), { campaign: 'c', reminder: 0, state, now: at })

describe('a list of people for administrators', () => {
  it('goes through everybody once, in order, a page at a time', async () => {
    const seen: string[] = []
    let after = ''
    for (let page = 0; page < 3; page++) {
      const list = await listPeople(these(many), wantedOf({ after }))
      expect(list).toMatchObject({ total: many.length, hasMore: page < 2 })
      seen.push(...list.people.map(({ email }) => email))
      after = seen.at(-1) ?? ''
    }
    expect(seen).toEqual(many.map(({ email }) => email).toSorted())
  })

  it('finds people by a part of their address, or by their group', async () => {
    const all = [
      newPerson('ada@acme.example', at),
      { ...newPerson('bob@acme.example', at), group: 'Sales EU' },
    ]
    expect(await emails(all, { q: ' ADA@ ' })).toEqual(['ada@acme.example'])
    expect(await emails(all, { q: 'sales' })).toEqual(['bob@acme.example'])
    expect(await emails(all, { q: 'eve' })).toEqual([])
  })

  it('shows whom a filter is about', async () => {
    const absent = mailed('absent@acme.example', 'sent')
    const unsure = mailed('unsure@acme.example', 'unknown')
    const arrived = reached(mailed('arrived@acme.example', 'sent'), 'signedInAt', at)
    const blocked: Person = {
      ...newPerson('blocked@acme.example', at),
      sources: [{ instance: 'x_1', name: 'X', state: 'blocked', at }],
    }
    const out = reached(newPerson('out@acme.example', at), 'optedOutAt', at)
    const all = [absent, unsure, arrived, blocked, out]
    expect(await emails(all, { show: 'absent' })).toEqual(['absent@acme.example', 'unsure@acme.example'])
    expect(await emails(all, { show: 'uncertain' })).toEqual(['unsure@acme.example'])
    expect(await emails(all, { show: 'blocked' })).toEqual(['blocked@acme.example'])
    expect(await emails(all, { show: 'optedOut' })).toEqual(['out@acme.example'])
    const nothing = withLeft(newPerson('nothing@acme.example', at), [], at)
    expect(await emails([...all, nothing], { show: 'nothing' })).toEqual(['nothing@acme.example'])
    expect(await emails([...all, nothing], { show: 'finished' })).toEqual([])
    const mails = [mailed('a@acme.example', 'deferred'), mailed('b@acme.example', 'failed'), absent]
    expect(await emails(mails, { show: 'undelivered' })).toEqual(['a@acme.example', 'b@acme.example'])
    expect(await emails(all, { show: 'nonsense', q: ['a', 'b'] })).toHaveLength(5)
  })

  it('is about one app, or one whole department, where that is asked for', async () => {
    const withApp = (email: string, ...states: Person['sources'][number]['state'][]): Person => ({
      ...newPerson(email, at),
      sources: states.map((state, index) => ({ instance: `app_${index}`, name: 'App', state, at })),
    })
    const all = [
      withApp('ada@acme.example', 'blocked', 'waiting'),
      withApp('bob@acme.example', 'waiting', 'blocked'),
      { ...newPerson('eve@acme.example', at), group: 'Sales EU' },
      { ...newPerson('dan@acme.example', at), group: 'Sales' },
    ]
    expect(await emails(all, { show: 'blocked', app: 'app_1' })).toEqual(['bob@acme.example'])
    expect(await emails(all, { show: 'stuck', app: 'app_0' })).toEqual(['ada@acme.example'])
    expect(await emails(all, { app: 'app_1' })).toEqual(['ada@acme.example', 'bob@acme.example'])
    expect(await emails(all, { group: 'Sales' })).toEqual(['dan@acme.example'])
    expect(await emails(all, { group: 'sales' })).toEqual([])
  })

  it('counts whom each filter would leave, in the same pass', async () => {
    const all = [mailed('ada@acme.example', 'failed'), mailed('bob@acme.example', 'sent')]
    const { counts } = await listPeople(these(all), wantedOf({ show: 'failed' }))
    expect(counts).toMatchObject({ all: 2, stuck: 1, notStarted: 1, failed: 1, undelivered: 1, absent: 1 })
  })

  it('says how far somebody is by the furthest that they reached', () => {
    const invited = mailed('ada@acme.example', 'sent')
    expect(stageOf(newPerson('ada@acme.example', at))).toEqual({ stage: 'known', at: undefined })
    expect(stageOf(invited)).toEqual({ stage: 'invited', at })
    expect(stageOf(reached(invited, 'openedAt', at + 1))).toEqual({ stage: 'opened', at: at + 1 })
    expect(stageOf(reached(invited, 'signedInAt', at + 2))).toEqual({ stage: 'signedIn', at: at + 2 })
    const nothing = withLeft(reached(invited, 'signedInAt', at + 2), [], at + 3)
    expect(stageOf(nothing)).toEqual({ stage: 'nothing', at: at + 3 })
    expect(stageOf({ ...invited, finishedAt: at + 3 })).toEqual({ stage: 'finished', at: at + 3 })
  })
})

describe('addresses to copy', () => {
  it('are the first few in order, however many there are', async () => {
    const all = Array.from({ length: 3 * MAX_ADDRESSES }, (_, index) =>
      newPerson(`person-${String((index * 7) % (3 * MAX_ADDRESSES)).padStart(4, '0')}@acme.example`, at),
    )
    const { emails: first, total } = await listAddresses(these(all), wantedOf({}), at)
    expect(first).toEqual(
      all
        .map(({ email }) => email)
        .toSorted()
        .slice(0, MAX_ADDRESSES),
    )
    expect(total).toBe(all.length)
  })

  it('leave out people who want no emails, and name the campaign of the newest one', async () => {
    const old = withMailing(mailed('ada@acme.example', 'sent'), {
      campaign: 'd',
      reminder: 0,
      state: 'failed',
      now: at + 9,
    })
    const newer = withMailing(newPerson('bob@acme.example', at), {
      campaign: 'autumn',
      reminder: 0,
      state: 'sent',
      now: at + 5,
    })
    const out = reached(mailed('out@acme.example', 'sent'), 'optedOutAt', at)
    expect(await listAddresses(these([old, newer, out]), wantedOf({}), at)).toEqual({
      emails: ['ada@acme.example', 'bob@acme.example'],
      total: 2,
      optedOut: 1,
      apps: [],
      due: 0,
      later: { count: 1, from: at + 5 + 7 * 86_400_000 },
      campaign: 'autumn',
    })
    const refused = await listAddresses(these([old, newer]), wantedOf({ show: 'failed' }), at)
    expect(refused).toMatchObject({ emails: ['ada@acme.example'], campaign: 'd' })
    const doubtful = withMailing(mailed('ada@acme.example', 'unknown'), {
      campaign: 'd',
      reminder: 0,
      state: 'sent',
      now: at + 9,
    })
    expect(await listAddresses(these([doubtful, out]), wantedOf({ show: 'uncertain' }), at)).toMatchObject({
      total: 1,
      campaign: 'c',
    })
    const putOff = withMailing(newPerson('bob@acme.example', at), {
      campaign: 'spring',
      reminder: 0,
      state: 'deferred',
      now: at,
    })
    expect((await listAddresses(these([putOff]), wantedOf({ show: 'notStarted' }), at)).campaign).toBe(
      'spring',
    )
    const none = await listAddresses(these([newPerson('eve@acme.example', at)]), wantedOf({}), at)
    expect(none.campaign).toBeUndefined()
  })

  it('name the campaign that wrote to most of them last, not the one that wrote last to anyone', async () => {
    const others = ['ada', 'bob', 'cem'].map((name) => mailed(`${name}@acme.example`, 'sent'))
    const zoe = withMailing(mailed('zoe@acme.example', 'sent'), {
      campaign: 'slack-launch',
      reminder: 0,
      state: 'sent',
      now: at + 9,
    })
    for (const all of [
      [...others, zoe],
      [zoe, ...others],
    ])
      expect((await listAddresses(these(all), wantedOf({}), at)).campaign).toBe('c')
    expect((await listAddresses(these([zoe]), wantedOf({}), at)).campaign).toBe('slack-launch')
  })
})
