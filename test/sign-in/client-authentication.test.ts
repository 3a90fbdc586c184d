// Client authentication at the token endpoint: secrets, signed assertions and assertion files.
import { generateKeyPairSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeProtectedHeader } from 'jose'
import type { ServerMetadata } from 'openid-client'
import { expect, it } from 'vitest'
import { omitUndefined } from '../../src/omit-undefined.ts'
import { credentialsIn } from '../../src/settings/client-credentials.ts'
import { createClientAuth, publicJwks } from '../../src/sign-in/server/client-authentication.ts'
import type { ClientAuthentication } from '../../src/sign-in/server/client-authentication.ts'
import { useFolder } from '../helpers/folder.ts'

const pemOf = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
  key.export({ type: 'pkcs8', format: 'pem' }) as string
const ec = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const keysOf: [string, string, string][] = [
  ['an RSA key', pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey), 'RS256'],
  ['a P-256 key', ec, 'ES256'],
  ['an Ed25519 key', pemOf(generateKeyPairSync('ed25519').privateKey), 'Ed25519'],
]

const folder = useFolder()

async function authenticatedRequest(authentication: ClientAuthentication) {
  const [body, headers] = [new URLSearchParams(), new Headers()]
  const prove = await createClientAuth(authentication)
  const server = { issuer: 'https://as.example' } as ServerMetadata
  // The library's type ignores that signing is asynchronous.
  await (prove(server, { client_id: 'a:b' }, body, headers) as unknown as Promise<void>)
  return { body: Object.fromEntries(body), authorization: headers.get('authorization') ?? undefined }
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

it.each<[ClientAuthentication['method'], string | undefined, object, string | undefined]>([
  ['none', undefined, { client_id: 'a:b' }, undefined],
  // RFC 6749 2.3.1.
  ['client_secret_basic', 'x-_.*~ +%ü', {}, basic('a%3Ab:x-_.*%7E+%2B%25%C3%BC')],
  ['client_secret_basic', undefined, {}, basic('a%3Ab:')],
  ['client_secret_post', 'hush', { client_id: 'a:b', client_secret: 'hush' }, undefined],
])('%s sends the secret %j in the documented place', async (method, secret, body, authorization) => {
  expect(await authenticatedRequest({ method, ...omitUndefined({ secret }) })).toEqual({
    body,
    authorization,
  })
})

it.each(keysOf)('private_key_jwt signs with %s', async (_title, key, alg) => {
  const { body } = await authenticatedRequest({ method: 'private_key_jwt', key })
  expect(body).toMatchObject({ client_id: 'a:b' })
  expect(decodeProtectedHeader(body['client_assertion'] ?? '')).toEqual({ alg })
})

const assertionFile = join(folder, 'token')
const federated: ClientAuthentication = {
  method: 'private_key_jwt',
  ...credentialsIn({ OIDC_CLIENT_ASSERTION_FILE: assertionFile }, 'OIDC'),
}

it('an assertion file is read again for each request', async () => {
  for (const token of ['a.b.c', 'd.e.f']) {
    writeFileSync(assertionFile, `${token}\n`)
    expect((await authenticatedRequest(federated)).body).toEqual({
      client_id: 'a:b',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: token,
    })
  }
})

it.each([
  ['is empty', '', 'holds no signed JWT'],
  ['holds another text', 'root:planted:0', 'holds no signed JWT'],
  ['is missing', undefined, 'cannot be read (ENOENT)'],
])('an assertion file that %s stops the request and is logged', async (_title, text, why) => {
  if (text === undefined) rmSync(assertionFile)
  else writeFileSync(assertionFile, text)
  const refused: unknown = await authenticatedRequest(federated).catch((error: unknown) => error)
  const detail = expect.stringContaining(`${assertionFile} ${why}: see OIDC_CLIENT_ASSERTION_FILE`) as string
  expect(refused).toMatchObject({ code: 'sign_in_misconfigured', detail })
  expect(JSON.stringify(refused)).not.toContain('planted')
})

it.each(keysOf)('the published key for %s has no private parts', (_title, key) => {
  const { keys } = publicJwks(key)
  expect(keys).toEqual([expect.objectContaining({ use: 'sig', kty: expect.any(String) as string })])
  expect(keys[0]).not.toHaveProperty('d')
})
