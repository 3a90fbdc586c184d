// Records that cannot be read, because another secret sealed them, a newer version wrote them, or they are damaged: they
// stop nothing, nothing overwrites them, and nobody whom they may be about is mailed.
import { describe, expect, it } from 'vitest'
import { optedIn, reached, type Person } from '../../src/people/person.ts'
import { withLeft } from '../../src/people/sources.ts'
import { bucketOf, keyOf } from '../../src/people/record.ts'
import { createPeople, OPT_OUT_DAYS } from '../../src/people/people.ts'
import { mailingOf, withMailing } from '../../src/campaigns/campaign.ts'
import { noneUnread } from '../../src/people/unread.ts'
import { createSealer } from '../../src/records/seal.ts'

const secret = 'a secret of thirty-two characters'
const staging = 'the secret of the staging server, 32'
const at = Date.UTC(2026, 10, 1)
const DAY = 86_400_000
const ada = 'ada@acme.example'

/** Somebody whose address falls into the same record as Ada's. */
const neighbour =
  Array.from({ length: 100_000 }, (_, index) => `person-${index}@acme.example`).find(
    (email) => bucketOf(email) === bucketOf(ada),
  ) ?? ''
/** Somebody whose address does not. */
const stranger = 'eve@acme.example'

function shared() {
  const values = new Map<string, string>()
  const records = {
    get: (key: string) => Promise.resolve(values.get(key)),
    compareAndSet: (key: string, expected: string | undefined, value: string) => {
      const isSame = values.get(key) === expected
      if (isSame) values.set(key, value)
      return Promise.resolve(isSame)
    },
  }
  const open = (secrets = [secret], now = at) =>
    createPeople({ records, sealer: createSealer(secrets), now: () => now, retentionDays: 90 })
  return { values, open }
}

type Place = ReturnType<typeof shared>

const optOut = (arrival: Person) => reached(arrival, 'optedOutAt', at)

async function everybody(people: ReturnType<Place['open']>) {
  const unread = noneUnread()
  const emails: string[] = []
  for await (const { email } of people.all(unread)) emails.push(email)
  return { emails, unread }
}

const put = (
  { values }: Place,
  email: string,
  people: unknown,
  version = 1,
  holder = keyOf(bucketOf(email)),
) =>
  void values.set(
    keyOf(bucketOf(email)),
    createSealer([secret]).seal(JSON.stringify({ version, people }), holder),
  )

/** The year 10000, the first one of five digits. */
const NO_DATE = Date.UTC(10_000, 0)
const sent = { reminder: 0, state: 'sent', at }
const bare = (email: string) => ({ email, since: at, changedAt: at, sources: [], campaigns: [] })

describe('what another secret sealed', () => {
  it('is counted and left out, and everybody else is there', async () => {
    const { open } = shared()
    await open().change(stranger, (before) => reached(before, 'openedAt', at))
    await open([staging]).change(ada, optOut)
    expect(await everybody(open())).toEqual({
      emails: [stranger],
      unread: { otherSecret: 1, damaged: 0, newer: 0 },
    })
  })

  it('may say that somebody wants no mails, so nobody in it is certain', async () => {
    const { open } = shared()
    await open([staging]).change(ada, optOut)
    expect(await open().look(ada)).toEqual({ arrival: undefined, certainty: 'unreadable' })
    expect(await open().look(neighbour)).toEqual({ arrival: undefined, certainty: 'unreadable' })
    expect((await open().look(stranger)).certainty).toBe('certain')
  })

  it('stays what it is when something is written beside it, and both are read where both secrets are known', async () => {
    const { open } = shared()
    await open([staging]).change(ada, optOut)
    await open().change(ada, (before) => reached(before, 'openedAt', at))
    await open().change(neighbour, optOut)
    expect(await open([staging]).get(ada)).toMatchObject({ optedOutAt: at })
    expect(await open().get(ada)).toMatchObject({ openedAt: at })
    expect(await open([secret, staging]).look(ada)).toEqual({
      arrival: { ...bare(ada), openedAt: at, optedOutAt: at },
      certainty: 'certain',
    })
  })

  it('becomes one record again when the secret is put back, and then the new one does alone', async () => {
    const { values, open } = shared()
    const sent = (arrival: Person) =>
      withMailing(arrival, { campaign: 'c', reminder: 0, state: 'sent', now: at })
    await open([staging]).change(ada, (before) => optOut(sent(before)))
    await open().change(ada, (before) => withLeft(before, [], at))
    await open([secret, staging]).reseal()
    expect([...values.values()].join()).not.toContain('.')
    const found = await open().look(ada)
    expect(found).toMatchObject({ arrival: { optedOutAt: at, asOf: at }, certainty: 'certain' })
    expect(found.arrival === undefined ? [] : [mailingOf(found.arrival, 'c', 0)]).toMatchObject([
      { state: 'sent' },
    ])
  })

  it('is forgotten without being read; whom it may have been about stays in doubt, for every secret', async () => {
    const { values, open } = shared()
    await open([staging]).change(ada, optOut)
    await open([staging]).change(neighbour, optOut)
    expect(await open().forget(ada)).toEqual({
      wasKnown: false,
      unread: { otherSecret: 1, damaged: 0, newer: 0 },
    })
    expect([...values.values()]).toEqual([`!${at.toString(36)}`])
    for (const reader of [open(), open([staging])]) {
      expect(await reader.look(neighbour)).toEqual({ arrival: undefined, certainty: 'removed' })
      expect((await everybody(reader)).unread).toEqual(noneUnread())
    }
    expect(await open().forget(ada)).toEqual({ wasKnown: false, unread: noneUnread() })
    expect((await open([secret], at + OPT_OUT_DAYS * DAY).look(neighbour)).certainty).toBe('certain')
  })

  it('does not keep somebody from stopping mails, or from taking that back', async () => {
    const { open } = shared()
    await open([staging]).change(ada, (before) => reached(before, 'openedAt', at))
    await open().change(ada, optOut)
    expect(await open().get(ada)).toMatchObject({ optedOutAt: at })
    await open().change(ada, optedIn)
    expect((await open().get(ada))?.optedOutAt).toBeUndefined()
  })
})

describe('what cannot be read for another reason', () => {
  it.each([
    ['cut off', (text: string) => text.slice(0, -5)],
    ['changed', (text: string) => `${text.slice(0, 40)}${text[40] === 'A' ? 'B' : 'A'}${text.slice(41)}`],
  ])('is damaged when it was %s', async (_name, damage) => {
    const place = shared()
    await place.open().change(ada, optOut)
    const [[key, text] = ['', '']] = place.values
    place.values.set(key, damage(text))
    expect((await everybody(place.open())).unread).toEqual({ otherSecret: 0, damaged: 1, newer: 0 })
    expect((await place.open().look(ada)).certainty).toBe('unreadable')
  })

  it.each([
    [[null]],
    [['ada']],
    [[{ email: ada }]],
    [[{ ...bare(ada), campaigns: [{ name: 'c', mailings: [{ ...sent, state: 'odd' }] }] }]],
    [[{ ...bare(ada), campaigns: [{ name: 'c', mailings: [{ ...sent, at: undefined }] }] }]],
    [[{ ...bare(ada), campaigns: [{ name: 'c', mailings: [{ ...sent, at: NO_DATE }] }] }]],
    [[{ ...bare(ada), sources: [{ instance: 'slack_1', state: 'waiting', at }] }]],
    [[{ ...bare(ada), sources: [{ instance: 'slack_1', state: 'waiting', at: NO_DATE, name: 'Slack' }] }]],
    [[{ ...bare(ada), group: 5 }]],
    [[{ ...bare(ada), changedAt: NO_DATE }]],
    [[{ ...bare(ada), asOf: NO_DATE }]],
    [[{ ...bare(ada), signedInAt: -NO_DATE }]],
    [[{ ...bare(ada), sources: [{ instance: 'a', state: 'odd' }] }]],
    [[{ ...bare(ada), optedOutAt: 'yes' }]],
    [{}],
  ])('is damaged when it holds %j', async (people) => {
    const place = shared()
    put(place, ada, people)
    expect((await everybody(place.open())).unread).toEqual({ otherSecret: 0, damaged: 1, newer: 0 })
  })

  it('is one record put in another’s place: an opt-out is not lost by that', async () => {
    const place = shared()
    await place.open().change(ada, optOut)
    await place.open().change(stranger, (before) => reached(before, 'openedAt', at))
    const [adas, eves] = [keyOf(bucketOf(ada)), keyOf(bucketOf(stranger))]
    place.values.set(adas, place.values.get(eves) ?? '')
    expect(await place.open().look(ada)).toEqual({ arrival: undefined, certainty: 'unreadable' })
    expect(await everybody(place.open())).toMatchObject({ emails: [stranger], unread: { damaged: 1 } })
  })
})

describe('what another version wrote', () => {
  it.each([0, 2])(
    'is read when it is the one next to ours (%i), with what only that one knows',
    async (version) => {
      const place = shared()
      put(place, ada, [{ ...bare(ada), optedOutAt: at, mood: 'good' }], version)
      expect(await place.open().look(ada)).toMatchObject({
        arrival: { optedOutAt: at },
        certainty: 'certain',
      })
      await place.open().change(ada, (before) => reached(before, 'openedAt', at))
      expect(await place.open().get(ada)).toMatchObject({ openedAt: at, mood: 'good' })
    },
  )

  it('is left as it is when it is much newer', async () => {
    const place = shared()
    put(place, ada, [{ ...bare(ada), optedOutAt: at }], 3)
    const [text = ''] = place.values.values()
    await place.open().change(ada, (before) => reached(before, 'openedAt', at))
    expect([...place.values.values()].join()).toContain(text)
    expect((await everybody(place.open())).unread).toEqual({ otherSecret: 0, damaged: 0, newer: 1 })
    expect((await place.open().look(ada)).certainty).toBe('unreadable')
  })

  it('is read as the version before sealed it, without its key, and sealed anew', async () => {
    const place = shared()
    put(place, ada, [{ ...bare(ada), optedOutAt: at }], 1, 'people')
    const [before] = place.values.values()
    expect(await place.open().look(ada)).toMatchObject({ arrival: { optedOutAt: at }, certainty: 'certain' })
    await place.open().reseal()
    expect([...place.values.values()]).not.toContain(before)
    expect(await place.open().look(ada)).toMatchObject({ arrival: { optedOutAt: at }, certainty: 'certain' })
  })

  it('cannot be put in another’s place as the version before sealed it', async () => {
    const place = shared()
    put(place, ada, [bare(stranger)], 1, 'people')
    expect((await place.open().look(ada)).certainty).toBe('unreadable')
    expect((await everybody(place.open())).emails).toEqual([])
  })
})
