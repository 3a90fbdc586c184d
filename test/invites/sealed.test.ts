import { describe, expect, it } from 'vitest'
import { reached } from '../../src/invites/arrival.ts'
import { createArrivals, RETENTION_DAYS, UnreadableArrivals } from '../../src/invites/arrivals.ts'
import type { Records } from '../../src/records/records.ts'
import { createSealer } from '../../src/session/seal.ts'

const secret = 'a secret of thirty-two characters'
const newer = 'another secret, longer than before'
const at = Date.UTC(2026, 10, 1)

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
  const open = (secrets: string[], now = at) => createArrivals(records, createSealer(secrets), () => now)
  return { values, open }
}

async function emailsOf(arrivals: ReturnType<typeof createArrivals>): Promise<string[]> {
  const emails: string[] = []
  for await (const { email } of arrivals.all()) emails.push(email)
  return emails
}

describe('what is written down about people', () => {
  it('shows no address to whoever has only the store', async () => {
    const { values, open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    expect([...values].flat().join()).not.toMatch(/ada|acme/)
    expect(await open([secret]).get(' ADA@acme.example')).toMatchObject({ openedAt: at })
  })

  it('outlives the rotation of the secret, and is never taken for nothing once it cannot be opened', async () => {
    const { open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    expect(await open([newer, secret]).get('ada@acme.example')).toMatchObject({ openedAt: at })
    await expect(open([newer]).get('ada@acme.example')).rejects.toThrow(UnreadableArrivals)
  })

  it('loses nothing when two change it at once, and is written only when something changed', async () => {
    const { values, open } = memory()
    const arrivals = open([secret])
    const people = Array.from({ length: 50 }, (_, index) => `person-${index % 10}@acme.example`)
    await Promise.all(
      people.map((email, index) =>
        arrivals.change(email, (before) => reached(before, index % 2 === 0 ? 'openedAt' : 'signedInAt', at)),
      ),
    )
    expect((await emailsOf(arrivals)).length).toBe(10)
    const before = [...values.values()]
    await arrivals.change('person-1@acme.example', (arrival) => arrival)
    expect([...values.values()]).toEqual(before)
  })

  it('is forgotten when nothing was heard for long', async () => {
    const { open } = memory()
    await open([secret]).change('ada@acme.example', (before) => reached(before, 'openedAt', at))
    const later = open([secret], at + RETENTION_DAYS * 86_400_000)
    expect(await later.get('ada@acme.example')).toBeUndefined()
    expect(await emailsOf(later)).toEqual([])
  })
})
