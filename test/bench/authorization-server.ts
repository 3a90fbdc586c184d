// An authorization server without state: it signs in everyone without a page, and the code carries the id_token's
// claims.
import type { IncomingMessage } from 'node:http'
import { callbackUrl, createTokenSigner, metadataOf } from '../helpers/token-signer.ts'

const LIFE_SECONDS = 24 * 3600

type Code = { person: number; nonce: string | undefined; client: string }

export type AuthorizationResponse = { location: string } | { json: object }

export const emailOf = (person: number) => `person${person}@acme.example`

/** The person of an access token; undefined without one. */
export function personOfToken(authorization: string | undefined): number | undefined {
  const person = /access-(\d+)/.exec(authorization ?? '')?.[1]
  return person === undefined ? undefined : Number(person)
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req) body += String(chunk)
  return body
}

/** @returns the response to a request; undefined if the path isn't the authorization server's */
export function createAuthorizationServer(issuer: string, personOf: (req: IncomingMessage) => number) {
  const signer = createTokenSigner('RS256')
  const profileOf = (person: number) => ({
    sub: `person${person}`,
    name: `Person ${person}`,
    email: emailOf(person),
    email_verified: true,
  })
  const metadata = {
    ...metadataOf(issuer, 'RS256'),
    userinfo_endpoint: `${issuer}/userinfo`,
    subject_types_supported: ['public'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  }

  function tokensFor(body: string) {
    const code = new URLSearchParams(body).get('code') ?? ''
    const { person, nonce, client } = JSON.parse(Buffer.from(code, 'base64url').toString()) as Code
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: client, iat, exp: iat + LIFE_SECONDS, nonce }
    return {
      access_token: `access-${person}-abcdefghijklmnopqrstuvwxyz0123456789`,
      refresh_token: `refresh-${person}-abcdefghijklmnopqrstuvwxyz012345678`,
      token_type: 'Bearer',
      expires_in: LIFE_SECONDS,
      id_token: signer.idToken({ ...claims, ...profileOf(person) }),
    }
  }

  function callbackFor(query: URLSearchParams, person: number): string {
    const code: Code = {
      person,
      nonce: query.get('nonce') ?? undefined,
      client: query.get('client_id') ?? '',
    }
    return callbackUrl(query, Buffer.from(JSON.stringify(code)).toString('base64url'))
  }

  return async (
    req: IncomingMessage,
    { pathname, searchParams }: URL,
  ): Promise<AuthorizationResponse | undefined> => {
    if (pathname === '/authorize') return { location: callbackFor(searchParams, personOf(req)) }
    if (pathname === '/token') return { json: tokensFor(await bodyOf(req)) }
    if (pathname === '/userinfo') return { json: profileOf(personOfToken(req.headers.authorization) ?? NaN) }
    if (pathname === '/keys') return { json: signer.keys }
    return pathname === '/.well-known/openid-configuration' ? { json: metadata } : undefined
  }
}
