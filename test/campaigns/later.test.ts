import { describe, expect, it } from 'vitest'
import { createLater } from '../../src/campaigns/delivery.ts'

const ada = { email: 'ada@acme.example' }

describe('whom the mail server put off', () => {
  it('comes back after a minute, then four, and only so many are kept', () => {
    let now = 0
    const later = createLater(() => now)
    later.add(ada, 1)
    later.add({ email: 'bob@acme.example' }, 2)
    now = 59_000
    expect(later.take()).toBeUndefined()
    now = 60_000
    expect(later.take()).toEqual(ada)
    expect(later.take()).toBeUndefined()
    now = 240_000
    expect(later.take()).toEqual({ email: 'bob@acme.example' })
    for (let count = 0; count < 1_500; count++) later.add(ada, 1)
    now += 60_000
    let taken = 0
    while (later.take() !== undefined) taken++
    expect(taken).toBe(1_000)
  })
})
