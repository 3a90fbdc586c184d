import { describe, expect, it } from 'vitest'
import { reached } from '../../src/people/person.ts'
import { createPeople, OPT_OUT_DAYS } from '../../src/people/people.ts'
import type { Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/records/seal.ts'

const secret = 'a secret of thirty-two characters'
const newer = 'another secret, longer than before'
const at = Date.UTC(2026, 10, 1)

const DAY = 86_400_000

function memory() {
  const values = new Map<string, string>()
  const records: Pick<Records, 'get' | 'compareAndSet'> = {
    get: (key) => Promise.resolve(values.get(key)),
    compareAndSet: (key, expected, value) => {
      const isSame = values.get(key) === expected
      if (isSame) values.set(key, value)
      return Promise.resolve(isSame)
    },
  }
  const open = (secrets: string[], now = at) =>
    createPeople({ records, sealer: createSealer(secrets), now: () => now, retentionDays: 90 })
  return { values, open }
}

async function emailsOf(people: ReturnType<typeof createPeople>): Promise<string[]> {
  const emails: string[] = []
  for await (const { email } of people.all()) emails.push(email)
  return emails
}

describe('what is written down about people', () => {
  it('shows no address to whoever has only the store', async () => {
    const { values, open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    expect([...values].flat().join()).not.toMatch(/ada@|acme\./)
    expect(await open([secret]).get(' ADA@acme.example')).toMatchObject({ openedAt: at })
  })

  it('outlives the rotation of the secret, and is never taken for nothing once it cannot be opened', async () => {
    const { open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    expect(await open([newer, secret]).get('ada@acme.example')).toMatchObject({ openedAt: at })
    expect(await open([newer]).look('ada@acme.example')).toEqual({
      arrival: undefined,
      certainty: 'unreadable',
    })
  })

  it('is sealed anew under the new secret, which then does alone', async () => {
    const { values, open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    await open([newer]).change('bob@acme.example', (before) => reached(before, 'openedAt', at))
    const before = new Set(values.values())
    await open([newer, secret]).reseal()
    expect([...values.values()].filter((sealed) => before.has(sealed))).toHaveLength(1)
    expect((await emailsOf(open([newer]))).toSorted()).toEqual(['ada@acme.example', 'bob@acme.example'])
  })

  it('loses nothing when two change it at once, and is written only when something changed', async () => {
    const { values, open } = memory()
    const people = open([secret])
    const emails = Array.from({ length: 50 }, (_, index) => `person-${index % 10}@acme.example`)
    await Promise.all(
      emails.map((email, index) =>
        people.change(email, (before) => reached(before, index % 2 === 0 ? 'openedAt' : 'signedInAt', at)),
      ),
    )
    expect((await emailsOf(people)).length).toBe(10)
    const before = [...values.values()]
    await people.change('person-1@acme.example', (arrival) => arrival)
    expect([...values.values()]).toEqual(before)
  })

  it('is forgotten when nothing was heard for long', async () => {
    const { open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    const later = open([secret], at + 90 * DAY)
    expect(await later.get('ada@acme.example')).toBeUndefined()
    expect(await emailsOf(later)).toEqual([])
  })

  it('forgets everything but that somebody wants no mails, which it keeps for two years', async () => {
    const { open } = memory()
    const [opened, out] = ['openedAt', 'optedOutAt'] as const
    await open([secret]).change('ada@acme.example', (before) => reached(reached(before, opened, at), out, at))
    expect(await open([secret], at + 90 * DAY).get('ada@acme.example')).toEqual({
      email: 'ada@acme.example',
      changedAt: at,
      optedOutAt: at,
      sources: [],
      campaigns: [],
    })
    expect(await emailsOf(open([secret], at + OPT_OUT_DAYS * DAY))).toEqual([])
  })

  it('is removed at once where that is asked for, and nobody else is', async () => {
    const { open } = memory()
    const people = open([secret])
    for (const email of ['ada@acme.example', 'bob@acme.example'])
      await people.change(email, (before) => reached(before, 'openedAt', at))
    expect(await people.forget('ADA@acme.example ')).toMatchObject({ wasKnown: true })
    expect(await people.forget('ada@acme.example')).toMatchObject({ wasKnown: false })
    expect(await emailsOf(people)).toEqual(['bob@acme.example'])
  })
})
