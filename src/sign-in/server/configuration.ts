// Configures openid-client: calls use our connection pool, with a time limit and a bounded response. With Node's global
// fetch, a sign-in takes 10% more processor time.
import {
  allowInsecureRequests,
  clockTolerance,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  ResponseBodyError,
  type ClientAuth,
  type ClientMetadata,
  type CustomFetch,
  type ServerMetadata,
} from 'openid-client'
import { Agent } from 'undici'
import { parseJsonObject } from '../../http/body.ts'
import { exchange } from '../../http/exchange.ts'
import { connectOptions } from '../../http/proxy.ts'
import { isLoopback } from '../../http/loopback.ts'
import { measureCall, type OnCall } from '../../trace/measure-call.ts'
import { inHttpSpan } from '../../trace/spans.ts'
import { asymmetricAlgorithms, normalizeKeySet } from './signing-keys.ts'

/**
 * Limits each request to 8 seconds. @param forRefresh 30 seconds, because a refresh must not lose its response; and the
 * signature and expiry of the id_token aren't checked (OpenID Connect Core 3.1.3.7, 6: it came over TLS)
 */
export function createConfiguration(
  server: ServerMetadata,
  { metadata, auth }: { metadata: ClientMetadata; auth: ClientAuth },
  { forRefresh = false, onCall }: { forRefresh?: boolean; onCall?: OnCall | undefined } = {},
): Configuration {
  const { id_token_signing_alg_values_supported: algorithms, jwks_uri: keys } = server
  // Some servers sign userinfo without listing an algorithm; the library would then accept none.
  const listed = { userinfo_signing_alg_values_supported: asymmetricAlgorithms(algorithms), ...server }
  const client = forRefresh ? { ...metadata, [clockTolerance]: Number.MAX_SAFE_INTEGER } : metadata
  const configuration = new Configuration(listed, metadata.client_id, client, auth)
  // The library's own time limit leaves a timer behind with each request.
  configuration.timeout = 0
  configuration[customFetch] = createFetch(forRefresh ? 30 : 8, (url, status, seconds) =>
    onCall?.({ operation: operationOf(server, url), status, seconds }),
  )
  const issuer = new URL(server.issuer)
  if (issuer.protocol === 'http:' && isLoopback(issuer.hostname)) allowInsecureRequests(configuration)
  // In the code flow, the library verifies signatures of id_tokens only with these checks (ASVS 9.1.1).
  if (!forRefresh && keys !== undefined) enableNonRepudiationChecks(configuration)
  // The library clones both at each call.
  const [ofServer, ofClient] = [configuration.serverMetadata(), configuration.clientMetadata()]
  return Object.defineProperties(configuration, {
    serverMetadata: { value: () => ofServer },
    clientMetadata: { value: () => ofClient },
  })
}

/** The label of a metric: `token` for token_endpoint, `jwks` for jwks_uri. */
const operationOf = (server: ServerMetadata, url: string): string =>
  Object.entries(server)
    .find(([, value]) => value === url)?.[0]
    .replace(/_(endpoint|uri)$/, '') ?? 'other'

const dispatcher = new Agent({ ...connectOptions(), keepAliveTimeout: 10_000 })

/** Parameters with secrets (RFC 6749, 7009, 7523, 7636, 7662). */
const SECRETS = 'client_secret client_assertion assertion code code_verifier refresh_token token'.split(' ')

/** The secrets of a request, including the client secret of its Authorization header (RFC 6749 2.3.1). */
function secretsOf(form: string, authorization = ''): string[] {
  const basic = Buffer.from(/^Basic (.*)/.exec(authorization)?.[1] ?? '', 'base64').toString()
  const parameters = new URLSearchParams(`${form}&client_secret=${basic.slice(basic.indexOf(':') + 1)}`)
  return SECRETS.flatMap((name) => parameters.getAll(name)).filter((secret) => secret !== '')
}

/**
 * Removes members that the library rejects, an access token that no header can carry (RFC 6749 A.12), and secrets in a
 * description. Rejects DPoP, as the service does.
 */
function normalizeTokenResponse(json: Record<string, unknown>, secrets: () => string[]) {
  const { error_description: text, token_type: type, access_token: token, ...others } = json
  const description =
    typeof text === 'string' ? secrets().reduce((plain, secret) => plain.replaceAll(secret, '…'), text) : ''
  const token_type = typeof type === 'string' ? type.trim().replace(/^dpop$/i, 'other') : type
  const access_token = typeof token === 'string' && !/^[\x20-\x7e]*$/.test(token) ? undefined : token
  const members = Object.entries({ ...others, access_token, token_type, error_description: description })
  return Object.fromEntries(members.filter(([, value]) => (value ?? '') !== ''))
}

/** Error codes of RFC 6749 5.2 and RFC 8707 2. */
const REGISTERED_ERROR =
  /^(invalid_(request|client|grant|scope|target)|unauthorized_client|unsupported_grant_type)$/

/** Some servers send errors as text, or with status 200. A 5xx counts only with a registered code. */
function isOAuthError(status: number, json: Record<string, unknown>): json is { error: string } {
  const { error } = json
  if (typeof error !== 'string') return false
  if (status >= 500) return REGISTERED_ERROR.test(error)
  return status >= 400 || !['access_token', 'request_uri', 'active'].some((member) => member in json)
}

/** @param seconds limit of each request */
export function createFetch(
  seconds: number,
  onEnd?: (url: string, status: number | undefined, seconds: number) => void,
): CustomFetch {
  return async (url, { body, headers, method }) => {
    const server = new URL(url)
    const { origin, pathname, search } = server
    const form = body === undefined || body === null ? null : String(body as string | URLSearchParams)
    const options = { origin, path: pathname + search, method: method as 'GET' | 'POST', headers, body: form }
    const response = await measureCall(
      () =>
        inHttpSpan({ method, server, path: pathname }, () => exchange(dispatcher, options, seconds * 1000)),
      (reply, took) => onEnd?.(url, reply?.status, took),
    ).catch((error: unknown) => {
      // The library distinguishes the two errors of the Fetch standard.
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new DOMException(error.message, 'TimeoutError')
      throw new TypeError('no response from the authorization server', { cause: error })
    })
    const { status, text } = response
    const json = method === 'POST' ? parseJsonObject(text) : undefined
    const normal = json && normalizeTokenResponse(json, () => secretsOf(form ?? '', headers['authorization']))
    const plain = normal === undefined ? normalizeKeySet(text) : JSON.stringify(normal)
    const result = new Response([204, 205, 304].includes(status) ? null : plain, {
      status,
      headers: Object.entries(response.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((item): [string, string] => [name, item]),
      ),
    })
    if (normal !== undefined && isOAuthError(status, normal))
      throw new ResponseBodyError('an OAuth error', { cause: normal, response: result })
    return Object.defineProperty(result, 'url', { value: origin + pathname })
  }
}
