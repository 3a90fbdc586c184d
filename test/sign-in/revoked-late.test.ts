// A server that takes its time to take tokens back keeps no one who signs out waiting.
import { expect, it } from 'vitest'
import { inProcess, ISSUER } from './in-process.ts'

it('a sign-out waits a second for the tokens to be taken back', async () => {
  const { browser, answers, logged } = inProcess({ metadata: { revocation_endpoint: `${ISSUER}/revoke` } })
  const ada = browser()
  await ada.signIn()
  answers['/revoke'] = () => new Promise(() => {})
  const before = performance.now()
  await ada.agent.post('/sign-out').expect(303)
  expect(performance.now() - before).toBeGreaterThan(990)
  expect(logged.at(-1)).toEqual([
    'warn',
    'the authorization server did not take back the tokens at sign-out (no answer within 1000 ms): good until they run out',
    { err: expect.objectContaining({ name: 'RevocationLate' }) as unknown, revoked: 'failed' },
  ])
})
