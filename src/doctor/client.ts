// Tries client authentication at the token endpoint, with an invented code. Some servers treat all clients alike, so a
// wrong client is tried, too: only a difference proves that ours works.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { ServerMetadata as Metadata } from 'openid-client'
import { parseJsonObject } from '../http/body.ts'
import { isSafeUrl } from '../http/loopback.ts'
import { clientUrls } from '../sign-in/server/client-urls.ts'
import { createClientAuth, formEncoded } from '../sign-in/server/client-authentication.ts'
import type { ClientAuthentication } from '../sign-in/server/client-authentication.ts'
import type { Settings } from '../settings/settings.ts'
import { fetchOnce, type FetchResult } from './fetch-once.ts'
import { createCheck, fail, ok, warn } from './findings.ts'

type Method = ClientAuthentication['method']

type TestedClient = { id: string; auth: ClientAuthentication }

/** `accepted`: or not checked. `no-usable-response`: none, or a page. `unsent`: the assertion file can't be used. */
type ClientResponse =
  'accepted' | 'refused' | 'not-allowed' | `status ${number}` | 'unclear' | 'no-usable-response' | 'unsent'

/** Reads a token endpoint's response about the client (RFC 6749 5.2). */
export function readClientResponse(result: FetchResult): ClientResponse {
  if (result.kind === 'no-response') return 'no-usable-response'
  const { status, text } = result
  const body = parseJsonObject(text)
  const error = body?.['error']
  if (error === 'invalid_client' || status === 401) return 'refused'
  if (status === 429 || status >= 500) return `status ${status}`
  if (error === 'unauthorized_client') return 'not-allowed'
  if (body === undefined && (status < 400 || status === 403)) return 'no-usable-response'
  return error === 'invalid_grant' ? 'accepted' : 'unclear'
}

const inventSecret = () => `onramp-doctor-${randomBytes(12).toString('base64url')}`

/** Replaces the secret by an invented one; for a client without a secret, the id. */
function withWrongCredentials({ auth, ...client }: TestedClient): TestedClient {
  if (auth.method === 'none') return { ...client, auth, id: inventSecret() }
  if (auth.method !== 'private_key_jwt') return { ...client, auth: { ...auth, secret: inventSecret() } }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { ...client, auth: { method: auth.method, key } }
}

const OTHER_METHODS: Partial<Record<Method, Method>> = {
  client_secret_basic: 'client_secret_post',
  client_secret_post: 'client_secret_basic',
}

/** @param known.url PUBLIC_URL */
async function collect(known: { metadata: Metadata; client: TestedClient; url: string }) {
  const { metadata, client, url } = known
  const { token_endpoint: endpoint } = metadata
  if (!isSafeUrl(endpoint)) return undefined
  async function responseFor({ id, auth }: TestedClient): Promise<ClientResponse> {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: inventSecret(),
      redirect_uri: clientUrls(url).redirectUri,
      code_verifier: 'x'.repeat(43),
    })
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
    const authenticate = await createClientAuth(auth)
    // Signing is asynchronous, although the library's type is void.
    await (authenticate(metadata, { client_id: id }, body, headers) as void | Promise<void>)
    const request = { method: 'POST', headers: Object.fromEntries(headers), body: body.toString() } as const
    return readClientResponse(await fetchOnce(String(endpoint), request))
  }

  const ourResponse = await responseFor(client).catch((): ClientResponse => 'unsent')
  const method = OTHER_METHODS[client.auth.method]
  const other =
    ourResponse === 'refused' && method ? { ...client, auth: { ...client.auth, method } } : undefined
  return {
    metadata,
    client,
    ourResponse,
    otherMethod: other && (await responseFor(other)),
    responseToWrongClient:
      ourResponse === 'accepted' || ourResponse === 'unclear'
        ? await responseFor(withWrongCredentials(client))
        : undefined,
  }
}

const KNOWN_METHOD = /^(client_secret_(basic|post)|private_key_jwt|none)$/

function rejection({ id, auth }: TestedClient, { OIDC_CLIENT_ID: clientId }: Partial<Settings>) {
  const failure = (subject: string, remedy: string) =>
    fail(
      `The authorization server rejected ${subject} (401 or invalid_client at the token endpoint).`,
      remedy,
    )
  if (clientId === undefined)
    return failure(
      'the client that onramp registered',
      'run onramp registration forget and restart: the next start registers again',
    )
  if (auth.assertionFile !== undefined)
    return failure(
      'the token in OIDC_CLIENT_ASSERTION_FILE',
      "OIDC_CLIENT_ASSERTION_FILE, OIDC_CLIENT_ID: compare the token's iss, sub and aud with the federated credential of the client there, and check that it hasn't expired",
    )
  // Basic percent-encodes id and secret (RFC 6749 2.3.1), and some servers don't decode them.
  if (
    auth.method === 'client_secret_basic' &&
    [id, auth.secret ?? ''].some((text) => formEncoded(text) !== text)
  )
    return failure(
      'the client',
      "OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_CLIENT_AUTH: copy the client ID and the secret from the authorization server again; some servers can't read their special characters in a header: then set OIDC_CLIENT_AUTH to client_secret_post, or create a secret of letters and digits",
    )
  const key = auth.certificate === undefined ? 'OIDC_CLIENT_KEY, ' : 'OIDC_CLIENT_KEY, OIDC_CLIENT_CERT, '
  const secret = auth.method === 'private_key_jwt' ? key : 'OIDC_CLIENT_SECRET, '
  return failure(
    'the client',
    `OIDC_CLIENT_ID, ${auth.method === 'none' ? '' : secret}OIDC_CLIENT_AUTH: copy the client ID and the secret or key from the authorization server again`,
  )
}

function credentials(
  {
    metadata,
    client,
    ourResponse,
    otherMethod,
    responseToWrongClient,
  }: NonNullable<Awaited<ReturnType<typeof collect>>>,
  settings: Partial<Settings>,
) {
  const { method: listed } = client.auth
  const other = OTHER_METHODS[listed]
  if (otherMethod === 'accepted')
    return fail(
      `The client credentials work, but only with ${other}.`,
      `OIDC_CLIENT_AUTH: set it to ${other}`,
    )
  if (responseToWrongClient === 'refused' || responseToWrongClient === 'not-allowed')
    return ok(listed === 'none' ? 'Client ID accepted.' : 'Client authentication accepted.')
  const { token_endpoint_auth_methods_supported: methods } = metadata
  if (methods?.includes(listed) === false)
    return fail(
      `The server doesn't support ${listed} (OIDC_CLIENT_AUTH).`,
      `OIDC_CLIENT_AUTH: set it to ${methods.filter((method) => KNOWN_METHOD.test(method)).join(' or ') || 'one that the server lists'}`,
    )
  if (ourResponse === 'refused') return rejection(client, settings)
  if (ourResponse === 'unsent')
    return fail(
      "The file in OIDC_CLIENT_ASSERTION_FILE can't be read, or holds no signed JWT.",
      "OIDC_CLIENT_ASSERTION_FILE: set it to the path of the token, and let onramp's user read it",
    )
  if (ourResponse === 'no-usable-response')
    return fail(
      'The token endpoint returned an invalid response.',
      'OIDC_ISSUER: make sure this machine can reach the token_endpoint in the metadata, and that no page or log-in stands in between',
    )
  if (ourResponse === 'not-allowed')
    return fail(
      'The authorization server rejected the client (unauthorized_client).',
      'OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PUBLIC_URL: copy the client ID and the secret or key from the authorization server again, and check there that the redirect URI is registered and the client may use authorization_code and refresh_token',
    )
  if (!ourResponse.startsWith('status ')) return undefined
  return warn(
    `Couldn't verify the client: the token endpoint responds with ${ourResponse}.`,
    "OIDC_ISSUER: try again in a minute; if it stays like this, check the authorization server's log",
  )
}

export const clientCheck = createCheck(collect, {
  'authorization-server.client': (facts, { settings }) => credentials(facts, settings),
  'authorization-server.registration': (facts, { settings }) =>
    settings.OIDC_CLIENT_ID === undefined &&
    facts.ourResponse !== 'refused' &&
    facts.ourResponse !== 'not-allowed' &&
    ok('onramp has registered a client there.'),
})
