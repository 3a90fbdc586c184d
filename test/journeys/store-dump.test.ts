// A stolen store after a whole journey shows no person, no address and no action.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { startRedis } from '../helpers/redis.ts'
import { openJourney, type Journey } from '../helpers/journey.ts'
import { invite } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

type Dump = (journey: Journey) => Promise<Map<string, string>>
type Place = { settings: Record<string, string>; close(): Promise<void>; dump: Dump }

const places: [string, () => Promise<Place>][] = [
  [
    'SQLite',
    async () => ({
      settings: {},
      close: async () => {},
      async dump({ env }) {
        const database = new DatabaseSync(join(env['DATA_DIR'] ?? '', 'onramp.sqlite'), { readOnly: true })
        const rows = database.prepare('SELECT key, value FROM records').all()
        database.close()
        return new Map(rows.map((row) => [String(row['key']), String(row['value'])]))
      },
    }),
  ],
  [
    'Redis',
    async () => {
      const redis = await startRedis()
      return { settings: { REDIS_URL: redis.url }, close: () => redis.close(), dump: () => redis.dump() }
    },
  ],
]

describe.each(places)('%s after a whole journey', (_title, open) => {
  const place = shared(open)
  const settings = {
    RETURN_TO_ORIGINS: 'https://intranet.acme.example',
    OIDC_CLIENT_ID: '',
    OIDC_CLIENT_SECRET: '',
  }
  const journey = shared(() => openJourney({ settings: { ...place.settings, ...settings } }))

  /** A person is invited, signs in, skips an app, starts another one and opts out; another sign-in isn't finished. */
  async function wholeJourney() {
    const { url } = journey
    const returnTo = 'https://intranet.acme.example/my-start-page'
    const { person, browser } = await journey.begin(
      3,
      `/onboarding?return_to=${encodeURIComponent(returnTo)}`,
    )
    await browser.submit('/onboarding/skip/slack_1')
    await browser.open(`${url}/onboarding/connect/github_1`, { from: `${url}/onboarding` })
    const email = `${person}@acme.example`
    const token = invite(journey, { email })
    await new TestBrowser().post(`${url}/invite/${token}/opt-out`, { 'List-Unsubscribe': 'One-Click' })
    await new TestBrowser().open(`${url}/sign-in?return_to=/search`)
    const found = journey.sandbox.people.find(({ id }) => id === person)
    return { email, subject: person, name: found?.name ?? '', returnTo }
  }

  it('a dump of the store shows nothing about a person', async () => {
    const { email, subject, name, returnTo } = await wholeJourney()
    const records = await place.dump(journey)
    const kinds = new Set([...records.keys()].map((key) => key.replace(/^onramp:/, '').split(':')[0]))
    expect([...kinds]).toEqual(
      expect.arrayContaining(['session', 'used-state', 'sessions-of', 'sid', 'walk', 'person', 'client']),
    )
    const issuer = journey.env['OIDC_ISSUER'] ?? ''
    const person = [email, subject, name, issuer, new URL(issuer).host, returnTo]
    const notified = [...person, 'intranet', '/search', 'slack', 'github']
    for (const [key, value] of records) {
      const text = `${key} ${value} ${Buffer.from(value, 'base64url').toString('latin1')}`.toLowerCase()
      for (const secret of notified)
        expect(text.includes(secret.toLowerCase()), `${key}: ${secret}`).toBe(false)
    }
  })
})
