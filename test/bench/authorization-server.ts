// The authorization server, as little of it as there can be: whoever comes is signed in at once. It keeps nothing: the
// code says what the id_token has to say.
import { generateKeyPairSync, sign } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const LIFE_SECONDS = 24 * 3600

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEAD = encoded({ alg: 'RS256', kid: 'bench', typ: 'JWT' })

type Code = { person: number; nonce: string | undefined; client: string }

export type Answer = { location: string } | { json: object }

export const emailOf = (person: number) => `person${person}@acme.example`

/** Who calls with this access token; undefined: no one. */
export function personOfToken(authorization: string | undefined): number | undefined {
  const person = /access-(\d+)/.exec(authorization ?? '')?.[1]
  return person === undefined ? undefined : Number(person)
}

const claimsOf = (person: number) => ({
  sub: `person${person}`,
  name: `Person ${person}`,
  email: emailOf(person),
  email_verified: true,
})

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
})

/**
 * @param whoComes the person behind a request to sign in
 * @returns what answers a request; undefined: it is for something else
 */
export function createAuthorizationServer(issuer: string, whoComes: (req: IncomingMessage) => number) {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }]
  const metadata = metadataOf(issuer)

  function idToken({ person, nonce, client }: Code): string {
    const iat = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: client, iat, exp: iat + LIFE_SECONDS, nonce, ...claimsOf(person) }
    const text = `${HEAD}.${encoded(claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }

  function tokensFor(body: string) {
    const code = new URLSearchParams(body).get('code') ?? ''
    const said = JSON.parse(Buffer.from(code, 'base64url').toString()) as Code
    return {
      access_token: `access-${said.person}-abcdefghijklmnopqrstuvwxyz0123456789`,
      refresh_token: `refresh-${said.person}-abcdefghijklmnopqrstuvwxyz012345678`,
      token_type: 'Bearer',
      expires_in: LIFE_SECONDS,
      id_token: idToken(said),
    }
  }

  function backFrom(query: URLSearchParams, person: number): string {
    const back = new URL(query.get('redirect_uri') ?? '')
    const [nonce, client] = [query.get('nonce') ?? undefined, query.get('client_id') ?? '']
    back.searchParams.set('code', encoded({ person, nonce, client } satisfies Code))
    back.searchParams.set('state', query.get('state') ?? '')
    return back.href
  }

  return async (req: IncomingMessage, { pathname, searchParams }: URL): Promise<Answer | undefined> => {
    if (pathname === '/authorize') return { location: backFrom(searchParams, whoComes(req)) }
    if (pathname === '/token') return { json: tokensFor(await bodyOf(req)) }
    if (pathname === '/userinfo')
      return { json: claimsOf(personOfToken(req.headers.authorization) ?? Number.NaN) }
    if (pathname === '/jwks') return { json: { keys } }
    if (pathname === '/.well-known/openid-configuration') return { json: metadata }
    return undefined
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req) body += String(chunk)
  return body
}
