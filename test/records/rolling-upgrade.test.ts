// While servers are replaced one by one, the version before and this one share a store: each reads, and changes, what the
// other wrote. Whole processes of both: test/journeys/rolling-upgrade.test.ts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createArrivals } from '../../src/arrivals/arrivals.ts'
import { createWalks } from '../../src/onboarding/walks.ts'
import { createSqliteRecords, type SqliteRecords } from '../../src/records/sqlite-records.ts'
import { createSealer } from '../../src/session/seal.ts'
import { recordSessionTexts } from '../../src/session/sealed-texts.ts'
import { createSignIns, type SignedIn } from '../../src/session/signed-in.ts'
import { createPendingSignIns } from '../../src/sign-in/pending.ts'
import { createRegistration } from '../../src/sign-in/registration/registration.ts'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import { unpackPreviousVersion } from '../helpers/previous-version.ts'

const current = {
  createArrivals,
  createPendingSignIns,
  createRegistration,
  createSealer,
  createSignedInSessions,
  createSignIns,
  createWalks,
  recordSessionTexts,
}
const previous = unpackPreviousVersion()
/** The same of the version before. @param file below src */
const before = (file: string) => import(join(previous.folder, 'src', file)) as Promise<typeof current>
const former: typeof current = {
  ...(await before('arrivals/arrivals.ts')),
  ...(await before('sign-in/pending.ts')),
  ...(await before('sign-in/registration/registration.ts')),
  ...(await before('session/seal.ts')),
  ...(await before('sign-in/sessions/signed-in-sessions.ts')),
  ...(await before('session/signed-in.ts')),
  ...(await before('onboarding/walks.ts')),
  ...(await before('session/sealed-texts.ts')),
}

let folder: string
let records: SqliteRecords
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-upgrade-'))
  records = createSqliteRecords(folder)
})
afterAll(() => {
  records.close()
  rmSync(folder, { recursive: true })
  previous.remove()
})

const at = Date.now()
const now = () => at
const maxSeconds = 3600
const room = { take: async () => {}, giveBack: async () => {}, check: async () => {} }

/** A server of one version, as far as it concerns the store. */
function serverOf(version: typeof current) {
  const sealer = version.createSealer(['the secret that both of the versions have'])
  const parts = { records, sealer, now, maxSeconds }
  const texts = version.recordSessionTexts(records)
  const signIns = version.createSignIns({ ...parts, texts, idleSeconds: 600 })
  const log = { warn: (_: object, message: string) => expect.fail(message) }
  return {
    signIns,
    walks: version.createWalks({ ...parts, checkReturnTo: String, log }),
    arrivals: version.createArrivals({ ...parts, retentionDays: 90 }),
    pending: version.createPendingSignIns(records, sealer, room),
    sessions: version.createSignedInSessions({ ...parts, signIns, log }),
    registration: version.createRegistration({ ...parts, identity: `identity ${person}` }),
  }
}

/** No test finds what another has written. */
let person = 0
beforeEach(() => void person++)
const user = () => ({ issuer: 'https://login.acme.example', subject: `person-${person}`, name: 'Ada' })

describe.each([
  ['the version before', 'this one', former, current],
  ['this version', 'the one before', current, former],
])('what %s writes, and %s goes on with:', (_first, _second, writes, goesOn) => {
  const both = () => [serverOf(writes), serverOf(goesOn)] as const

  it('a sign-in, whose tokens are renewed', async () => {
    const [writer, other] = both()
    const tokens = { accessToken: 'a', refreshToken: 'r', idToken: 'i', issuedAt: at, expiresAt: at + 1 }
    const content = { user: user(), browser: 'browser', signedInAt: at, tokens }
    const id = `session-${person}`
    await writer.signIns.create(id, content)
    const found = await other.signIns.load(id)
    expect(found).toMatchObject(content)
    const renewed = { ...tokens, accessToken: 'b' }
    await other.signIns.replaceTokens(found as SignedIn, renewed)
    expect(await writer.signIns.load(id)).toMatchObject({ ...content, tokens: renewed })
  })

  it('a sign-in under way, which is finished once', async () => {
    const [writer, other] = both()
    const signIn = { verifier: 'v', nonce: 'n', returnTo: '/onboarding', startedAt: at }
    const state = `state-${person}`
    await (await writer.pending.prepare(state, 'browser', signIn)).keep()
    expect(await other.pending.take(state, 'another')).toMatchObject({ mayRedeem: false })
    expect(await other.pending.take(state, 'browser')).toMatchObject({ signIn, mayRedeem: true })
    expect(await writer.pending.take(state, 'browser')).toMatchObject({ signIn, mayRedeem: false })
  })

  it('the list of where a person is signed in, from which one is ended', async () => {
    const [writer, other] = both()
    const session = (name: string) => ({
      name: `${name}-${person}`,
      sid: `sid-${name}-${person}`,
      signedInAt: at,
      device: 'Firefox on Linux',
    })
    const [first, second] = [session('first'), session('second')]
    const content = { user: user(), browser: 'b', signedInAt: at, tokens: { accessToken: 'a', issuedAt: at } }
    for (const one of [first, second]) {
      await recordSessionTexts(records).set(one.name, JSON.stringify(content), 60)
      expect(await writer.sessions.add(user(), one, at)).toBe(true)
    }
    expect(await other.sessions.list(user())).toEqual([first, second])
    expect(await other.sessions.endThere(user().issuer, { sid: first.sid })).toBe(1)
    expect(await writer.sessions.list(user())).toEqual([second])
  })

  it('a walk, which loses nothing', async () => {
    const [writer, other] = both()
    const known = (instance: string) => ({
      instance,
      name: instance,
      status: 'awaiting' as const,
      firstSeen: at,
      departures: 1,
      departedIn: 1,
    })
    const attempt = { step: 's', instance: 'slack', departedAt: at, looks: 0 }
    await writer.walks.update(user(), (walk) => ({
      ...walk,
      clicks: 1,
      known: [
        { ...known('slack'), unconfirmedAt: at },
        { ...known('jira'), skippedAt: at },
      ],
      attempts: [attempt],
    }))
    const written = await writer.walks.load(user())
    expect(await other.walks.load(user())).toEqual(written)
    await other.walks.update(user(), (walk) => ({ ...walk, known: [...walk.known, known('drive')] }))
    expect(await writer.walks.load(user())).toEqual({ ...written, known: [...written.known, known('drive')] })
  })

  it('who was emailed and opened it, and who wants no emails', async () => {
    const [writer, other] = both()
    const email = `ada-${person}@acme.example`
    const mailings = [{ wave: 0, state: 'sent' as const, at, tries: 1 }]
    const emailed = { campaigns: [{ name: 'launch', mailings }], group: 'Sales' }
    const source = { instance: 'slack', name: 'Slack', state: 'waiting' as const, at }
    await writer.arrivals.change(email, (before) => ({ ...before, ...emailed, sources: [source] }))
    expect(await other.arrivals.look(email)).toMatchObject({ certainty: 'certain', arrival: emailed })
    await other.arrivals.change(email, (before) => ({ ...before, openedAt: at, optedOutAt: at }))
    const all = { ...emailed, sources: [source], openedAt: at, optedOutAt: at }
    expect(await writer.arrivals.get(email)).toMatchObject(all)
  })

  it('the client that is registered, which is not registered again', async () => {
    const [writer, other] = both()
    const client = { client_id: `client-${person}`, client_secret: 's', client_secret_expires_at: 0 }
    await writer.registration.current(async () => ({ kind: 'registered', client }) as never)
    expect(await other.registration.current(() => expect.fail('registered again'))).toMatchObject(client)
    expect(await other.registration.forget(client.client_id)).toBe(true)
    expect(await writer.registration.stored()).toBeUndefined()
  })
})
