// An attacker with a dump of the store, with or without SESSION_SECRET, can use no session without its cookie. The
// tests use the product's own functions, as an attacker would.
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createSealer, hashOf } from '../../src/records/seal.ts'
import { expectSignedIn, expectSignedOut, runUnlimited } from '../helpers/signed-in.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { DatabaseSync } from 'node:sqlite'
import { shared } from '../helpers/shared.ts'

type Loot = { entries: [string, string][]; bytes: string }

/** The whole store, files included. test/journeys/store-dump.test.ts shows that both stores get the same data. */
function loot({ env }: Running): Loot {
  const folder = env['DATA_DIR'] ?? ''
  const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'))
  const database = new DatabaseSync(join(folder, 'onramp.sqlite'), { readOnly: true })
  const rows = database.prepare('SELECT key, value FROM records').all()
  database.close()
  const entries = rows.map((row): [string, string] => [String(row['key']), String(row['value'])])
  return { entries, bytes: bytes.join('\n') }
}

describe('a dump of the store', () => {
  const running = shared(() => runUnlimited({ settings: { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' } }))
  let ada: TestBrowser
  beforeAll(async () => {
    ada = await signIn(running, 'ada')
    const pending = new TestBrowser()
    await pending.open(`${running.url}/onboarding`)
  })

  const cookie = () => /onramp=([^;]*)/.exec(ada.cookieHeader(running.url))?.[1] ?? ''
  const sessionId = () => decodeURIComponent(cookie()).slice(2).split('.')[0] ?? ''

  it('a dump of the store shows no token, code, client secret, address or name', () => {
    const { bytes, entries } = loot(running)
    expect(entries.length).toBeGreaterThan(3)
    const person = running.sandbox.people.find(({ id }) => id === 'ada')
    const journal = running.sandbox.requests
    const tokens = journal.map(({ headers }) => headers.authorization?.split(' ')[1])
    const bodies = journal.flatMap(({ body }) => Object.entries((body ?? {}) as Record<string, string>))
    const fields = ['code', 'code_verifier', 'code_challenge', 'nonce', 'state', 'client_id', 'client_secret']
    const found = bodies.filter(([name]) => fields.includes(name)).map(([, value]) => value)
    const secrets = [...tokens, ...found, cookie(), sessionId(), person?.email, person?.name]
    const long = secrets.filter((secret) => secret !== undefined && secret.length > 6)
    expect(long.length).toBeGreaterThan(10)
    for (const secret of new Set(long)) expect(bytes.includes(secret ?? ''), secret?.slice(0, 8)).toBe(false)
    expect(bytes).not.toContain(running.env['SESSION_SECRET'])
  })

  it('a dump with SESSION_SECRET, but without the cookie, opens no record', () => {
    const { entries } = loot(running)
    const sealer = createSealer([running.env['SESSION_SECRET'] ?? ''])
    const names = entries.flatMap(([key]) => [key, key.slice(key.indexOf(':') + 1), hashOf(key)])
    const guesses = names.flatMap((name) => [name, `session:${name}`, ''])
    const personal = entries.filter(([key]) => key.includes('session:'))
    for (const [, value] of personal)
      for (const guess of guesses) expect(sealer.open(value, guess)).toBeUndefined()
    // The same functions open them with the session's id, so they are the right ones.
    const own = personal.filter(([, value]) => sealer.open(value, `session:${sessionId()}`))
    expect(own).toHaveLength(1)
  })

  it('a dump with SESSION_SECRET can’t forge a session cookie', async () => {
    const { entries } = loot(running)
    const key = createHmac('sha256', running.env['SESSION_SECRET'] ?? '')
      .update('onramp cookie 1')
      .digest('base64url')
    const sign = (value: string) =>
      `s%3A${encodeURIComponent(`${value}.${createHmac('sha256', key).update(value).digest('base64').replace(/=+$/, '')}`)}`
    const names = entries.map(([name]) => name.slice(name.lastIndexOf(':') + 1))

    expect(names.length).toBeGreaterThan(3)
    for (const name of [...names, ...entries.map(([record]) => record)]) {
      const thief = new TestBrowser()
      thief.setCookie(running.url, 'onramp', sign(name))
      await expectSignedOut(running, thief)
    }

    // The real id with such a signature works, so the forged signatures are valid.
    const owner = new TestBrowser()
    owner.setCookie(running.url, 'onramp', sign(sessionId()))
    await expectSignedIn(running, owner)
  })
})
