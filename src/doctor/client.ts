// Does the authorization server know the client? Its token endpoint is asked with a code that is made up. Some servers
// answer any client the same, so a wrong one is tried too: only a difference says "ok".
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { ServerMetadata as Metadata } from 'openid-client'
import { parseJsonObject } from '../http/body.ts'
import { clientAddresses } from '../sign-in/server/client-addresses.ts'
import {
  readClientAuthentication,
  createClientAuth,
  formEncoded,
  type ClientAuthentication,
} from '../sign-in/server/client-authentication.ts'
import type { Settings } from '../settings/settings.ts'
import { fetchOnce, isSafeAddress, type HttpReply } from './ask.ts'
import type { Table } from './rule.ts'

type Method = ClientAuthentication['method']

export type Client = { id: string; how: ClientAuthentication }

/** `accepted`: past the check of the client, if any. `silent`: no response, or a page. `unsent`: can't authenticate. */
type ClientAnswer =
  'accepted' | 'refused' | 'not-allowed' | `status ${number}` | 'unclear' | 'silent' | 'unsent'

type ClientFacts = {
  metadata: Metadata
  client: Client
  ours: ClientAnswer
  /** The same secret, sent in the other way. */
  otherMethod?: ClientAnswer | undefined
  /** With a wrong secret; of a client without one, with an invented id. */
  wrong?: ClientAnswer | undefined
}

/** The client of the settings; undefined where one has to be registered, or its secret is missing. */
export function clientIn(settings: Partial<Settings>): Client | undefined {
  const { OIDC_CLIENT_ID: id } = settings
  const how = readClientAuthentication(settings)
  if (id === undefined || how === undefined) return undefined
  if (how.method.startsWith('client_secret') && how.secret === undefined) return undefined
  return { id, how }
}

/** Pure. RFC 6749 5.2. */
export function answerIn(reply: HttpReply): ClientAnswer {
  if (reply.kind === 'silent') return 'silent'
  const { status, text } = reply
  const body = parseJsonObject(text)
  const error = body?.['error']
  if (error === 'invalid_client' || status === 401) return 'refused'
  if (status === 429 || status >= 500) return `status ${status}`
  if (error === 'unauthorized_client') return 'not-allowed'
  if (body === undefined && (status < 400 || status === 403)) return 'silent'
  return error === 'invalid_grant' ? 'accepted' : 'unclear'
}

const invented = () => `onramp-doctor-${randomBytes(12).toString('base64url')}`

function wrongOne({ how, ...client }: Client): Client {
  if (how.method === 'none') return { ...client, how, id: invented() }
  if (how.method !== 'private_key_jwt') return { ...client, how: { ...how, secret: invented() } }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { ...client, how: { method: how.method, key } }
}

const OTHER_METHODS: Partial<Record<Method, Method>> = {
  client_secret_basic: 'client_secret_post',
  client_secret_post: 'client_secret_basic',
}

/** @returns undefined where there is no endpoint to ask */
async function look(metadata: Metadata, client: Client, publicUrl: string): Promise<ClientFacts | undefined> {
  const { token_endpoint: endpoint } = metadata
  if (!isSafeAddress(endpoint)) return undefined
  async function answerTo({ id, how }: Client): Promise<ClientAnswer> {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: invented(),
      redirect_uri: clientAddresses(publicUrl).callback,
      code_verifier: 'x'.repeat(43),
    })
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
    const authenticate = await createClientAuth(how)
    // Signing takes a moment, although the library's type doesn't say so.
    await (authenticate(metadata, { client_id: id }, body, headers) as void | Promise<void>)
    const sent = { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() } as const
    return answerIn(await fetchOnce(String(endpoint), sent))
  }

  const ours = await answerTo(client).catch((): ClientAnswer => 'unsent')
  const method = OTHER_METHODS[client.how.method]
  const other = ours === 'refused' && method ? { ...client, how: { ...client.how, method } } : undefined
  return {
    metadata,
    client,
    ours,
    otherMethod: other && (await answerTo(other)),
    wrong: ours === 'accepted' || ours === 'unclear' ? await answerTo(wrongOne(client)) : undefined,
  }
}

/** The client itself is refused: then a refused sign-in says nothing more. */
export const isRejected = ({ ours }: ClientFacts): boolean => ours === 'refused' || ours === 'not-allowed'

const KNOWN_METHOD = /^(client_secret_(basic|post)|private_key_jwt|none)$/

/** The server has a list, without the way in which the client proves itself. */
function unlisted({ token_endpoint_auth_methods_supported: methods }: Metadata, method: Method) {
  const usable = methods?.filter((one) => KNOWN_METHOD.test(one)).join(' or ')
  const isUnlisted = methods?.includes(method) === false
  return isUnlisted && ({ is: 'unlisted', method, usable: usable || 'one that the server lists' } as const)
}

/** Without OIDC_CLIENT_ID it is one that onramp registered. */
function refused({ id, how }: Client, { OIDC_CLIENT_ID: clientId }: Partial<Settings>) {
  if (clientId === undefined) return 'registered'
  // Basic percent-encodes all but letters, digits and - _ . * (RFC 6749 2.3.1), which some servers don't decode.
  const isBasic = how.method === 'client_secret_basic'
  if (isBasic && [id, how.secret ?? ''].some((text) => formEncoded(text) !== text)) return 'encoded'
  if (how.assertionFile !== undefined) return 'unfederated'
  const key = how.certificate === undefined ? 'OIDC_CLIENT_KEY, ' : 'OIDC_CLIENT_KEY, OIDC_CLIENT_CERT, '
  const proof = how.method === 'private_key_jwt' ? key : 'OIDC_CLIENT_SECRET, '
  return { is: 'rejected', proof: how.method === 'none' ? '' : proof } as const
}

const table: Table<ClientFacts> = {
  'authorization-server.client': [
    ({ client, otherMethod }) =>
      otherMethod === 'accepted' && { is: 'other-method', method: OTHER_METHODS[client.how.method] },
    ({ client, wrong }) =>
      (wrong === 'refused' || wrong === 'not-allowed') && (client.how.method === 'none' ? 'public' : 'fine'),
    ({ metadata, client }) => unlisted(metadata, client.how.method),
    ({ client, ours }, { settings }) => {
      if (ours === 'refused') return refused(client, settings)
      if (ours === 'silent' || ours === 'not-allowed' || ours === 'unsent') return ours
      return ours.startsWith('status ') && { is: 'failing', answer: ours }
    },
  ],
  'authorization-server.registration': [
    (facts, { settings }) => settings.OIDC_CLIENT_ID === undefined && !isRejected(facts) && 'kept',
  ],
}

export const client = { look, table }
