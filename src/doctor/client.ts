// Does the authorization server know the client? Its endpoints are asked with a code and a token that are made up. Some
// servers answer any client the same, so an invented one and a wrong secret are tried too: only a difference says "ok".
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { AuthorizationServer as Metadata } from 'oauth4webapi'
import { objectIn } from '../client-api/body.ts'
import { addressesOf } from '../sign-in/addresses.ts'
import { clientAuthOf, type ClientAuthentication } from '../sign-in/server/client-authentication.ts'
import type { Settings } from '../settings/settings.ts'
import { ask, isSafeAddress, type Reply } from './ask.ts'

type Method = ClientAuthentication['method']

export type Client = {
  id: string
  how: ClientAuthentication
  /** onramp registered it itself, so that it is in no setting. */
  isRegistered: boolean
}

/**
 * `accepted`: it got past the check of the client, if there is one; `not-allowed`: known, but not for this; `challenged`:
 * a bare 401, perhaps of a firewall; `unclear`: it tells nothing; `silent`: no answer, or a page instead of one.
 */
type ClientAnswer =
  'accepted' | 'refused' | 'not-allowed' | 'challenged' | `status ${number}` | 'unclear' | 'silent'

export type Endpoint = 'token' | 'revocation' | 'introspection'

/** What one endpoint answers our client; and others, where that could mean something. */
type Asked = {
  endpoint: Endpoint
  ours: ClientAnswer
  /** The same secret, sent in the other way. */
  otherMethod?: ClientAnswer
  inventedId?: ClientAnswer
  wrongSecret?: ClientAnswer
}

export type ClientFacts = { client: Client; asked: Asked[] }

/** The client of the settings; undefined where one has to be registered, or its secret is missing. */
export function clientIn(settings: Partial<Settings>): Client | undefined {
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_AUTH: method } = settings
  const { OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_KEY: key } = settings
  if (id === undefined || method === undefined) return undefined
  if (method.startsWith('client_secret') && secret === undefined) return undefined
  return { id, how: { method, secret, key }, isRegistered: false }
}

/** Pure. RFC 6749 5.2, RFC 7009 2.2.1, RFC 7662 2.2. */
export function answerIn(reply: Reply, endpoint: Endpoint): ClientAnswer {
  if (reply.kind === 'silent') return 'silent'
  const { status, text } = reply
  const isToken = endpoint === 'token'
  const body = objectIn(text)
  const error = body?.['error']
  if (error === 'invalid_client') return 'refused'
  // Every sign-in would meet it there.
  if (status === 401) return isToken ? 'refused' : 'challenged'
  if (status === 429 || status >= 500) return `status ${status}`
  if (error === 'unauthorized_client') return 'not-allowed'
  if (isToken && body === undefined && (status < 400 || status === 403)) return 'silent'
  const isDone = status === 200 && (endpoint === 'revocation' || (!isToken && body !== undefined))
  const expected = isToken ? ['invalid_grant'] : ['invalid_token', 'unsupported_token_type']
  return isDone || expected.includes(String(error)) ? 'accepted' : 'unclear'
}

const invented = () => `onramp-doctor-${randomBytes(12).toString('base64url')}`

function withWrongSecret(client: Client): Client {
  if (client.how.method !== 'private_key_jwt')
    return { ...client, how: { ...client.how, secret: invented() } }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { ...client, how: { ...client.how, key } }
}

export function otherMethod(method: Method): Method | undefined {
  if (method === 'client_secret_basic') return 'client_secret_post'
  return method === 'client_secret_post' ? 'client_secret_basic' : undefined
}

/** Introspection often is for resource servers, so only where there is no revocation. */
function endpointsOf(metadata: Metadata, { how }: Client): Endpoint[] {
  const second = metadata.revocation_endpoint === undefined ? 'introspection' : 'revocation'
  const methods = metadata[`${second}_endpoint_auth_methods_supported`]
  const isTaken = !Array.isArray(methods) || methods.includes(how.method)
  const endpoints: Endpoint[] = isTaken ? ['token', second] : ['token']
  return endpoints.filter((endpoint) => isSafeAddress(metadata[`${endpoint}_endpoint`]))
}

/** @param client one whose key, if it has one, can sign */
export async function tryClient(
  metadata: Metadata,
  client: Client,
  settings: Partial<Settings>,
): Promise<ClientFacts> {
  const { callback } = addressesOf(settings.PUBLIC_URL ?? 'https://onramp.invalid')
  async function answerTo(one: Client, endpoint: Endpoint): Promise<ClientAnswer> {
    const code = { grant_type: 'authorization_code', code: invented(), redirect_uri: callback }
    const body = new URLSearchParams(
      endpoint === 'token' ? { ...code, code_verifier: 'x'.repeat(43) } : { token: invented() },
    )
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
    const authenticate = await clientAuthOf(one.how)
    // Signing takes a moment, although the library's type doesn't say so.
    await (authenticate(metadata, { client_id: one.id }, body, headers) as void | Promise<void>)
    const sent = { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() } as const
    return answerIn(await ask(String(metadata[`${endpoint}_endpoint`]), sent), endpoint)
  }

  const asked: Asked[] = []
  for (const endpoint of endpointsOf(metadata, client)) {
    const one: Asked = { endpoint, ours: await answerTo(client, endpoint) }
    asked.push(one)
    const method = otherMethod(client.how.method)
    if (one.ours === 'refused' && method !== undefined)
      one.otherMethod = await answerTo({ ...client, how: { ...client.how, method } }, endpoint)
    if (one.ours === 'accepted' || one.ours === 'not-allowed')
      one.inventedId = await answerTo({ ...client, id: invented() }, endpoint)
    if (one.ours === 'accepted') one.wrongSecret = await answerTo(withWrongSecret(client), endpoint)
    const isTold = isRefusal(one.inventedId) && isRefusal(one.wrongSecret)
    if (isTold || !(one.ours === 'accepted' || one.ours === 'unclear')) break
  }
  return { client, asked }
}

export const isRefusal = (answer: ClientAnswer | undefined): boolean =>
  answer === 'refused' || answer === 'challenged'
