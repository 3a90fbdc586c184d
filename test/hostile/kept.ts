// What comes back from the store, and the cookie: whoever can write there must gain nothing.
import * as fc from 'fast-check'
import { bucketOf, bucketText, keyOf, readBucket } from '../../src/people/record.ts'
import { jsonIn } from '../../src/client-api/body.ts'
import { notDescribed } from '../../src/onboarding/overview/about.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import { readWalk } from '../../src/onboarding/walks.ts'
import { createCookieIds, cookieValue } from '../../src/session/cookie-id.ts'
import { createSealer } from '../../src/records/seal.ts'
import { openJson } from '../../src/records/sealed-json.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { t } from '../helpers/texts.ts'
import { jsonTextWith, near, reshaped, must, type Reader } from './inputs.ts'

const NOW = Date.UTC(2026, 10, 22)
const SECRET = 'a secret of thirty-two characters'
const OWN = 'https://onramp.acme.example'

const cookieIds = createCookieIds({ secrets: [SECRET], https: false })

const cookies: Reader = {
  name: 'the session cookie',
  input: near('onramp=s:abcdefgh.c2lnbmF0dXJl; other=1', 'a=1; onramp="s%3Aabc.def"; onramp=2'),
  read(cookie) {
    cookieValue(cookie, 'onramp')
    must(cookieIds({ headers: { cookie } }) === undefined, 'take a signature that we never made')
  },
}

const sealer = createSealer([SECRET])
const KEY = 'walk:someone'
const PLAIN = '{"version":1,"known":[]}'
const sealed = sealer.seal(PLAIN, KEY)

const sealedRecords: Reader = {
  name: 'a sealed record',
  input: near(sealed),
  read(text) {
    const opened = sealer.open(text, KEY)
    must(opened === undefined || opened === PLAIN, 'open what was changed')
    openJson(text, KEY, { sealer, version: 1 })
  },
}

const wholeWalk = {
  startedAt: NOW,
  known: ['awaiting', 'stale', 'disabled', 'connected', 'attention'].map((status, index) => ({
    instance: `app_${index}`,
    name: 'App',
    status,
    firstSeen: NOW,
    connectedAt: NOW,
    skippedAt: index === 0 ? NOW : undefined,
    blockedAt: index === 1 ? NOW : undefined,
    unconfirmedAt: index === 2 ? NOW : undefined,
    attempt: { step: `s${index}`, leftAt: NOW, backAt: NOW, looks: 3 },
    leftIn: 1,
  })),
  visit: { only: ['app_1'], returnTo: '/onboarding' },
  clicks: 2,
}

const walks: Reader = {
  name: 'a walk of any content',
  input: fc.oneof(reshaped(wholeWalk), jsonTextWith(...Object.keys(wholeWalk), 'instance', 'step', 'looks')),
  read(text) {
    const json = jsonIn(text)
    if (typeof json !== 'object' || json === null) return
    const walk = readWalk(json, (value) => safeReturnTo(value, { publicOrigin: OWN, allowedOrigins: [] }))
    const about = () => notDescribed
    if (walk !== undefined)
      overviewOf(walk, { now: NOW, t, person: 'ada', from: undefined, about, confirmSeconds: 90 })
  },
}

/** Whose address falls into record 7. */
const someone = {
  email: emailIn(7),
  group: 'Research',
  changedAt: NOW,
  openedAt: NOW,
  signedInAt: NOW,
  sources: [{ instance: 'slack_1', name: 'Slack', at: NOW, state: 'connected' }],
  campaigns: [{ name: 'first', mailings: [{ state: 'sent', at: NOW }] }],
}

function emailIn(bucket: number): string {
  for (let number = 0; ; number++)
    if (bucketOf(`p${number}@acme.example`) === bucket) return `p${number}@acme.example`
}

const people: Reader = {
  name: 'a record of people of any content',
  input: fc.oneof(
    reshaped({ version: 1, people: [someone, someone] }),
    jsonTextWith('version', 'people', ...Object.keys(someone)),
  ),
  read(text) {
    const read = readBucket(`${sealer.seal(text, keyOf(7))}.!zz.${text}`, 7, sealer)
    bucketText(read, 7, sealer)
  },
}

export const kept: readonly Reader[] = [cookies, sealedRecords, walks, people]
