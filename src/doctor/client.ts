// Does the authorization server know the client? Its endpoints are asked with a code and a token that are made up. Some
// servers answer any client the same, so a wrong one is tried too: only a difference says "ok".
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { AuthorizationServer as Metadata } from 'oauth4webapi'
import { objectIn } from '../client-api/body.ts'
import { addressesOf } from '../sign-in/addresses.ts'
import {
  clientAuthOf,
  formEncoded,
  type ClientAuthentication,
} from '../sign-in/server/client-authentication.ts'
import type { Settings } from '../settings/settings.ts'
import { ask, isSafeAddress, type Reply } from './ask.ts'
import type { Table } from './rule.ts'

type Method = ClientAuthentication['method']

export type Client = {
  id: string
  how: ClientAuthentication
  /** onramp registered it itself, so that it is in no setting. */
  isRegistered: boolean
}

/**
 * `accepted`: it got past the check of the client, if there is one; `not-allowed`: unauthorized_client; `challenged`: a
 * bare 401, perhaps of a firewall; `unclear`: it tells nothing; `silent`: no answer, or a page instead of one.
 */
type ClientAnswer =
  'accepted' | 'refused' | 'not-allowed' | 'challenged' | `status ${number}` | 'unclear' | 'silent'

type Endpoint = 'token' | 'revocation' | 'introspection'

/** What one endpoint answers our client; and others, where that could mean something. */
type Asked = {
  endpoint: Endpoint
  ours: ClientAnswer
  /** The same secret, sent in the other way. */
  otherMethod?: ClientAnswer
  /** With a wrong secret; of a client without one, with an invented id. */
  wrong?: ClientAnswer
}

type ClientFacts = { metadata: Metadata; client: Client; asked: Asked[] }

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

function wrongOne({ how, ...client }: Client): Client {
  if (how.method === 'none') return { ...client, how, id: invented() }
  if (how.method !== 'private_key_jwt') return { ...client, how: { ...how, secret: invented() } }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...client, how: { ...how, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() } }
}

const OTHER_METHODS: Partial<Record<Method, Method>> = {
  client_secret_basic: 'client_secret_post',
  client_secret_post: 'client_secret_basic',
}

/** Introspection often is for resource servers, so only where there is no revocation. */
function endpointsOf(metadata: Metadata, { how }: Client): Endpoint[] {
  const second = metadata.revocation_endpoint === undefined ? 'introspection' : 'revocation'
  const methods = metadata[`${second}_endpoint_auth_methods_supported`]
  const isTaken = !Array.isArray(methods) || methods.includes(how.method)
  const endpoints: Endpoint[] = isTaken ? ['token', second] : ['token']
  return endpoints.filter((endpoint) => isSafeAddress(metadata[`${endpoint}_endpoint`]))
}

const isRefusal = (answer: ClientAnswer | undefined) => answer === 'refused' || answer === 'challenged'

/** @returns undefined where its key can't sign, which has a finding of its own */
async function look(metadata: Metadata, client: Client, publicUrl: string): Promise<ClientFacts | undefined> {
  try {
    await clientAuthOf(client.how)
  } catch {
    return undefined
  }
  async function answerTo({ id, how }: Client, endpoint: Endpoint): Promise<ClientAnswer> {
    const redirect_uri = addressesOf(publicUrl).callback
    const code = { grant_type: 'authorization_code', code: invented(), redirect_uri }
    const body = new URLSearchParams(
      endpoint === 'token' ? { ...code, code_verifier: 'x'.repeat(43) } : { token: invented() },
    )
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
    const authenticate = await clientAuthOf(how)
    // Signing takes a moment, although the library's type doesn't say so.
    await (authenticate(metadata, { client_id: id }, body, headers) as void | Promise<void>)
    const sent = { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() } as const
    return answerIn(await ask(String(metadata[`${endpoint}_endpoint`]), sent), endpoint)
  }

  const asked: Asked[] = []
  for (const endpoint of endpointsOf(metadata, client)) {
    const one: Asked = { endpoint, ours: await answerTo(client, endpoint) }
    asked.push(one)
    const method = OTHER_METHODS[client.how.method]
    if (one.ours === 'refused' && method !== undefined)
      one.otherMethod = await answerTo({ ...client, how: { ...client.how, method } }, endpoint)
    if (one.ours === 'accepted') one.wrong = await answerTo(wrongOne(client), endpoint)
    if (isRefusal(one.wrong) || !(one.ours === 'accepted' || one.ours === 'unclear')) break
  }
  return { metadata, client, asked }
}

/** The client itself is refused: then a refused sign-in says nothing more. */
export const isRejected = ({ asked }: ClientFacts): boolean =>
  asked.some(({ ours }) => ours === 'refused' || ours === 'not-allowed')

const KNOWN_METHOD = /^(client_secret_(basic|post)|private_key_jwt|none)$/

/** The server has a list, without the way in which the client proves itself, or would. */
export function unlisted({ token_endpoint_auth_methods_supported: methods }: Metadata, method: Method) {
  const usable = methods?.filter((one) => KNOWN_METHOD.test(one)).join(' or ')
  const isUnlisted = methods?.includes(method) === false
  return isUnlisted && ({ is: 'unlisted', method, usable: usable || 'one that the server lists' } as const)
}

function refused({ id, how, isRegistered }: Client, { endpoint }: Asked) {
  if (isRegistered) return { is: 'registered', endpoint } as const
  // Basic percent-encodes all but letters, digits and - _ . * (RFC 6749 2.3.1), which some servers don't decode.
  const isBasic = how.method === 'client_secret_basic'
  if (isBasic && [id, how.secret ?? ''].some((text) => formEncoded(text) !== text))
    return { is: 'encoded', endpoint } as const
  const proof = how.method === 'private_key_jwt' ? 'OIDC_CLIENT_KEY, ' : 'OIDC_CLIENT_SECRET, '
  return { is: 'rejected', endpoint, proof: how.method === 'none' ? '' : proof } as const
}

const table: Table<ClientFacts> = {
  'authorization-server.client': [
    ({ client, asked }) =>
      asked.some(({ otherMethod }) => otherMethod === 'accepted') && {
        is: 'other-method',
        method: OTHER_METHODS[client.how.method],
      },
    ({ client, asked }) =>
      asked.some(({ wrong }) => isRefusal(wrong)) && (client.how.method === 'none' ? 'public' : 'fine'),
    ({ metadata, client }) => unlisted(metadata, client.how.method),
    ({ client, asked }) => {
      const one = asked.find(({ ours }) => ours === 'refused')
      return one && refused(client, one)
    },
    ({ asked }) => {
      const { ours = '' } = asked.find(({ endpoint }) => endpoint === 'token') ?? {}
      if (ours === 'silent' || ours === 'not-allowed') return ours
      return ours.startsWith('status ') && { is: 'failing', answer: ours }
    },
  ],
  'authorization-server.registration': [(facts) => facts.client.isRegistered && !isRejected(facts) && 'kept'],
}

export const client = { look, table }
