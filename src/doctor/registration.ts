// Checks that onramp can register at the next start, by an invalid registration: only a request shows a closed
// endpoint.
import type { ServerMetadata as Metadata } from 'openid-client'
import { isSafeUrl } from '../http/loopback.ts'
import {
  readRegistrationError,
  readRegistrationResponse,
  requestedMetadata,
} from '../sign-in/registration/metadata.ts'
import { removeClient } from '../sign-in/registration/register.ts'
import type { Settings } from '../settings/settings.ts'
import { fetchOnce, type FetchResult } from './fetch-once.ts'
import { createCheck, fail, ok, warn } from './findings.ts'

/** An open endpoint rejects these redirect URIs; a closed one doesn't read them. */
const NOT_A_REGISTRATION = JSON.stringify({
  client_name: 'onramp doctor (may be removed)',
  redirect_uris: 'none: onramp doctor checks whether this is open',
})

/** @param settings with PUBLIC_URL and the client's settings @param now milliseconds since 1970 */
async function collect(metadata: Metadata, settings: Settings, now: () => number) {
  const requestedClient = requestedMetadata(settings, metadata, undefined)
  const { registration_endpoint: endpoint } = metadata
  if (!isSafeUrl(endpoint)) return { requested: requestedClient, result: undefined }
  const { OIDC_INITIAL_ACCESS_TOKEN: token } = settings
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...authorization }
  const result = await fetchOnce(endpoint, { method: 'POST', headers, body: NOT_A_REGISTRATION })
  if (result.kind === 'response' && result.status >= 200 && result.status < 300) {
    // The server accepts anything: remove the new client, if the server supports that (RFC 7592 2.3).
    const client = readRegistrationResponse(result.text, requestedClient, now())
    if (typeof client !== 'string') await removeClient(client)
  }
  return { requested: requestedClient, result }
}

const IS_CLOSED = [404, 405, 410, 501]
const IS_ABOUT_THE_TOKEN = /^(invalid_token|insufficient_scope|access_denied|unauthorized_client)$/

const BY_HAND = 'register a client yourself and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'

function endpointFailure(result: FetchResult | undefined, hasToken: boolean) {
  if (result === undefined)
    return fail(
      "OIDC_CLIENT_ID is not set, and the authorization server doesn't offer dynamic registration.",
      `OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: ${BY_HAND}`,
    )
  if (result.kind === 'no-response')
    return fail("The registration endpoint isn't responding.", `OIDC_CLIENT_ID: ${BY_HAND}`)
  const { status, text } = result
  const isAboutToken = IS_ABOUT_THE_TOKEN.test(readRegistrationError(text, undefined).error ?? '')
  if (status === 401 || status === 403 || (status === 400 && isAboutToken))
    return fail(
      `The registration endpoint ${hasToken ? 'rejected the' : 'requires a'} token (${status}).`,
      `OIDC_INITIAL_ACCESS_TOKEN, OIDC_CLIENT_ID: get ${hasToken ? 'another one' : 'one'} there, or ${BY_HAND}`,
    )
  if (IS_CLOSED.includes(status))
    return fail(`Registration is closed (${status}).`, `OIDC_CLIENT_ID: ${BY_HAND}`)
  if (status !== 429 && status < 500) return undefined
  return warn(
    `The registration endpoint returned an error (${status}).`,
    `OIDC_CLIENT_ID: try again later; if onramp doesn't register on first start, ${BY_HAND}`,
  )
}

export const registrationCheck = createCheck(collect, {
  'authorization-server.registration': ({ result, requested }, { settings }) => {
    const algorithm = requested.id_token_signed_response_alg ?? 'RS256'
    return (
      endpointFailure(result, settings.OIDC_INITIAL_ACCESS_TOKEN !== undefined) ??
      ok(
        `The first start will ask to register a client (${requested.token_endpoint_auth_method}, ID tokens signed with ${algorithm}).`,
      )
    )
  },
})
