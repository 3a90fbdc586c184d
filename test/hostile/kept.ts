// What comes back from the store, and the cookie: whoever can write there must gain nothing.
import { createSealer } from '../../src/records/seal.ts'
import { sealedJson } from '../../src/records/sealed-json.ts'
import { LoginTransactions } from '../../src/sign-in/transaction/login-transaction.ts'
import { must, near, type Reader } from './inputs.ts'

const NOW = Date.UTC(2026, 10, 22)
const SECRET = 'a secret of thirty-two characters'

const states = new LoginTransactions([SECRET])
const begun = states.seal(
  { returnTo: '/onboarding', startedAt: NOW, restarts: 0 },
  { cookie: 'cookie', sessionId: undefined },
)
const BEGUN_ID = states.open(begun.state)?.transaction.id

const signInStates: Reader = {
  name: 'the state of a sign-in',
  input: near(begun.state, 'AAAA', ''),
  read(text) {
    // Base64 may be written in several ways; what it says may not be changed.
    const { returnTo = '/onboarding', id = BEGUN_ID } = states.open(text)?.transaction ?? {}
    must(returnTo === '/onboarding' && id === BEGUN_ID, 'open a state that we never sealed')
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

export const kept: readonly Reader[] = [signInStates, sealedRecords]
