import { describe, expect, it } from 'vitest'
import { newArrival, type Arrival } from '../../src/arrivals/arrival.ts'
import { createFollow } from '../../src/arrivals/follow.ts'

const at = Date.parse('2026-11-02T09:00:00Z')
const user = { issuer: 'https://login.acme.example', subject: 'ada', email: 'ada@acme.example' }

function office(isAway = false) {
  const changed: Arrival[] = []
  const warned: string[] = []
  const follow = createFollow({
    arrivals: {
      change(email, change) {
        if (isAway) return Promise.reject(new Error('away'))
        changed.push(change(newArrival(email, at), false))
        return Promise.resolve(newArrival(email, at))
      },
    },
    log: { warn: (_fields, message) => warned.push(message) },
    now: () => at,
  })
  return { follow, changed, warned }
}

describe('following who arrives', () => {
  it('counts whoever signs in with a verified address, and nobody else', async () => {
    const { follow, changed } = office()
    await follow.signedIn({ ...user, emailVerified: false })
    await follow.signedIn({ issuer: user.issuer, subject: user.subject })
    expect(changed).toEqual([])
    await follow.signedIn({ ...user, emailVerified: true })
    expect(changed).toMatchObject([{ email: user.email, signedInAt: at }])
  })

  it('keeps how each datasource of a walk stands, and no path', async () => {
    const { follow, changed } = office()
    const entry = { name: 'Slack', at, authUrlRelativePath: '/auth/datasource/slack_1?token=x' }
    await follow.walked({ ...user, emailVerified: true }, [
      { ...entry, instance: 'slack_1', state: 'waiting' },
      { ...entry, instance: 'slack_2', state: 'connected' },
      { ...entry, instance: 'slack_3', state: 'skipped' },
      { ...entry, instance: 'slack_4', state: 'blocked' },
      { ...entry, instance: 'slack_5', state: 'off', word: { state: 'skipped', at: 5 } },
    ])
    const states = changed[0]?.sources.map(({ state }) => state)
    expect(states).toEqual(['waiting', 'connected', 'skipped', 'blocked', 'off'])
    expect(changed[0]?.sources[4]?.word).toEqual({ state: 'skipped', at: 5 })
    expect(JSON.stringify(changed)).not.toContain('token')
  })

  it('keeps nobody out when the store is away', async () => {
    const { follow, warned } = office(true)
    await follow.signedIn({ ...user, emailVerified: true })
    expect(warned).toHaveLength(1)
  })
})
