// What the library is given of an authorization server's answer: nothing empty, and no secret that was sent.
import { ClientSecretBasic, ClientSecretPost, refreshTokenGrant, type ClientAuth } from 'openid-client'
import { afterEach, describe, expect, it } from 'vitest'
import { inWords } from '../../src/sign-in/answer-words.ts'
import { configurationOf } from '../../src/sign-in/server/configuration.ts'
import { startPlainServer } from '../helpers/plain-authorization-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const SECRET = 'correct horse+battery%'
const REFRESH = 'sesame'

async function refreshed(body: object, status = 200, auth: ClientAuth = ClientSecretBasic(SECRET)) {
  const plain = await startPlainServer({ '/token': ({ res }, own) => own.json(res, body, status) })
  closers.push(() => plain.close())
  const metadata = { issuer: plain.url, token_endpoint: `${plain.url}/token` }
  return await refreshTokenGrant(configurationOf(metadata, { metadata: { client_id: 'a:b' }, auth }), REFRESH)
}

describe('an answer of the token endpoint', () => {
  it.each([null, ''])('may say %j for what there is not', async (nothing) => {
    const empty = { refresh_token: nothing, expires_in: nothing, id_token: nothing, scope: nothing }
    const tokens = await refreshed({ access_token: 'one', token_type: 'Bearer', ...empty })
    expect(Object.keys(tokens)).toEqual(['access_token', 'token_type'])
  })

  it('without an access token is refused all the same', async () => {
    await expect(refreshed({ access_token: '', token_type: 'Bearer' })).rejects.toThrow('invalid response')
  })

  it.each([
    ['in a header', ClientSecretBasic(SECRET)],
    ['in the body', ClientSecretPost(SECRET)],
  ])(
    'that repeats the secrets it was sent %s, and an address, is told without them',
    async (_where, auth) => {
      const description = `Wrong secret ${SECRET} or token ${REFRESH} for ada@acme.example`
      const refusal = { error: 'invalid_grant', error_description: description }
      const error: unknown = await refreshed(refusal, 400, auth).catch((thrown: unknown) => thrown)
      expect(inWords(error)).toBe('invalid_grant with status 400 ("Wrong secret … or token … for …")')
      expect(JSON.stringify(error)).not.toMatch(/sesame|horse/)
    },
  )
})
