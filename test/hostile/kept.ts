// What comes back from the store, and the cookie: whoever can write there must gain nothing.
import * as fc from 'fast-check'
import { jsonIn } from '../../src/client-api/body.ts'
import { notDescribed } from '../../src/onboarding/overview/about.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import { readWalk } from '../../src/onboarding/walks.ts'
import { createSealer } from '../../src/records/seal.ts'
import { sealedJson } from '../../src/records/sealed-json.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { createStates } from '../../src/sign-in/state.ts'
import { t } from '../helpers/texts.ts'
import { jsonTextWith, near, reshaped, must, type Reader } from './inputs.ts'

const NOW = Date.UTC(2026, 10, 22)
const SECRET = 'a secret of thirty-two characters'
const OWN = 'https://onramp.acme.example'

const states = createStates([SECRET])
const begun = states.seal(
  { id: 'a', returnTo: '/onboarding', startedAt: NOW, restarts: 0, browser: 'b' },
  'cookie',
)

const signInStates: Reader = {
  name: 'the state of a sign-in',
  input: near(begun.text, 'AAAA', ''),
  read(text) {
    // Base64 may be written in several ways; what it says may not be changed.
    const { returnTo = '/onboarding', id = 'a' } = states.open(text)?.state ?? {}
    must(returnTo === '/onboarding' && id === 'a', 'open a state that we never sealed')
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
    sealedJson(sealer).open(text, KEY)
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

export const kept: readonly Reader[] = [signInStates, sealedRecords, walks]
