// What a logout token names: an empty name is none, and must not be taken for everyone's.
import { generateKeyPair, SignJWT } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { UnacceptableLogoutToken, verifyLogoutToken } from '../../src/sign-in/sign-out/logout-token.ts'

let keys: Awaited<ReturnType<typeof generateKeyPair>>
beforeAll(async () => {
  keys = await generateKeyPair('ES256')
})

async function read(named: { sub?: string; sid?: string }) {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const token = await new SignJWT({ events, ...named })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://login.example')
    .setAudience('onramp')
    .setIssuedAt()
    .setJti('one')
    .sign(keys.privateKey)
  return await verifyLogoutToken(token, {
    issuer: 'https://login.example',
    clientId: 'onramp',
    algorithms: ['ES256'],
    keys: async () => keys.publicKey,
    now: Date.now(),
  })
}

it('an empty subject or session counts as absent', async () => {
  expect(await read({ sub: '', sid: 'a' })).toEqual({ jti: 'one', sid: 'a' })
  expect(await read({ sub: 'a', sid: '' })).toEqual({ jti: 'one', sub: 'a' })
  for (const named of [{ sub: '' }, { sid: '' }, { sub: '', sid: '' }])
    await expect(read(named)).rejects.toThrow(UnacceptableLogoutToken)
})
