// New signing keys under the name of the old ones: what was kept of them fits no signature.
import { exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'
import type { Answers } from '../helpers/plain-authorization-server.ts'
import { signInThere, start } from './at-plain-server.ts'

const { publicKey } = await generateKeyPair('ES256')
const old = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'one' }
const withOldKeys: Answers = { '/keys': ({ res }, own) => own.json(res, { keys: [old] }) }

it('people sign in although a signing key is new under an old name', async () => {
  const { running, server } = await start({
    '/keys': (asked, own) => {
      withOldKeys['/keys']?.(asked, own)
      own.answers = {}
    },
  })
  const browser = await signInThere(running)
  expect(browser.hops.at(-1)?.location).toBe('/onboarding')
  expect(server.seen.filter((call) => call === 'GET /keys')).toHaveLength(2)
})

it('a server that never signs rightly is asked for its keys once a minute', async () => {
  let passed = 0
  const { running, server } = await start(withOldKeys, { now: () => Date.now() + passed })
  const asked = () => server.seen.filter((call) => call === 'GET /keys').length
  for (let signIns = 0; signIns < 3; signIns++) await signInThere(running)
  expect(asked()).toBe(2)
  passed = 61_000
  await signInThere(running)
  expect(asked()).toBe(3)
})
