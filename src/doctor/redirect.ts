// Checks that the redirect URI is registered, by authorization requests with ours and with an invented URI, because
// servers redirect only to registered URIs (RFC 6749 4.1.2.1). No one signs in.
import { hash } from 'node:crypto'
import type { ServerMetadata as Metadata } from 'openid-client'
import { isSafeUrl } from '../http/loopback.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { clientUrls } from '../sign-in/server/client-urls.ts'
import type { Settings } from '../settings/settings.ts'
import { fetchOnce, redirectTarget, type FetchResult } from './fetch-once.ts'
import { createCheck, fail, ok, warn } from './findings.ts'

type AuthorizationResponse =
  /** No response, 429 or 5xx. */
  | { kind: 'unavailable'; status?: number }
  /** A response of a firewall, which mentions neither the client nor the URI. */
  | { kind: 'barred'; status: number }
  /** A redirect to our URI, with a code or an error. */
  | { kind: 'back'; error: string | undefined }
  /** A redirect elsewhere, most likely to a sign-in page. */
  | { kind: 'elsewhere' }
  | { kind: 'refused'; status: number; text: string }
  | { kind: 'page' }

const SHOWS_REFUSAL =
  /AADSTS50011|redirect.?ur[il].{0,60}(mismatch|invalid|not (registered|match|allowed))|invalid.{0,20}redirect/is

function readResponse(result: FetchResult, endpoint: string, redirect: string): AuthorizationResponse {
  if (result.kind === 'no-response') return { kind: 'unavailable' }
  const { status, text } = result
  if (status >= 500 || status === 429) return { kind: 'unavailable', status }
  // The authorization server would give a reason.
  if ([401, 403, 407].includes(status) && !/redirect|client|callback/i.test(text))
    return { kind: 'barred', status }
  const target = redirectTarget(result, endpoint)
  if (target !== undefined) {
    const inFragment = new URLSearchParams(target.hash.slice(1))
    const value = (name: string) => target.searchParams.get(name) ?? inFragment.get(name) ?? undefined
    if (target.href.startsWith(`${redirect}?`) || target.href.startsWith(`${redirect}#`))
      return { kind: 'back', error: value('code') === undefined ? (value('error') ?? 'an error') : undefined }
    const isError = /error/i.test(target.pathname) || value('error') !== undefined
    return isError ? { kind: 'refused', status, text: target.search + target.hash } : { kind: 'elsewhere' }
  }
  if (status >= 400 || SHOWS_REFUSAL.test(text)) return { kind: 'refused', status, text }
  return { kind: 'page' }
}

function signInUrl(endpoint: string, settings: Partial<Settings>, id: string, redirect: string): URL {
  const url = new URL(endpoint)
  const parameters = omitUndefined({
    ...settings.OIDC_AUTHORIZATION_PARAMS,
    resource: settings.OIDC_RESOURCE,
    audience: settings.OIDC_AUDIENCE,
    response_type: 'code',
    client_id: id,
    redirect_uri: redirect,
    scope: settings.OIDC_SCOPE ?? 'openid',
    state: 'onramp-doctor',
    nonce: 'onramp-doctor',
    code_challenge: hash('sha256', 'onramp-doctor', 'base64url'),
    code_challenge_method: 'S256',
    prompt: 'none',
  })
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

/** Headers of a browser, because some servers treat a fetch differently (Fetch Metadata, W3C). */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'cross-site',
  'sec-fetch-user': '?1',
  'user-agent': 'Mozilla/5.0 (onramp doctor)',
}

/** This URI can't be registered (RFC 2606). */
const INVENTED = 'https://onramp-doctor.invalid/no-such-callback'

/** @returns undefined without a usable authorization endpoint, or if it requires PAR */
async function collect(
  { metadata, url, client: { id } }: { metadata: Metadata; url: string; client: { id: string } },
  settings: Partial<Settings>,
  isClientRejected: boolean,
) {
  const { authorization_endpoint: endpoint, require_pushed_authorization_requests: isPushed } = metadata
  if (!isSafeUrl(endpoint) || isPushed === true) return undefined
  const redirect = clientUrls(url).redirectUri
  const request = async (redirectUri: string): Promise<AuthorizationResponse> => {
    const result = await fetchOnce(signInUrl(endpoint, settings, id, redirectUri), { headers: BROWSER })
    return readResponse(result, endpoint, redirectUri)
  }
  return {
    redirect,
    ourResponse: await request(redirect),
    responseToInvented: await request(INVENTED),
    isClientRejected,
  }
}

type RedirectFacts = NonNullable<Awaited<ReturnType<typeof collect>>>

/** Errors that are expected, because no one is signed in (OpenID Connect Core 3.1.2.6). */
const EXPECTED = /^(login|interaction|consent|account_selection)_required$|^access_denied$/

/** Remedies by error code (RFC 6749 4.1.2.1, RFC 8707 2). */
const REMEDIES: Partial<Record<string, string>> = {
  invalid_scope: 'OIDC_SCOPE: request only scopes that the client is allowed to have',
  invalid_target: 'OIDC_RESOURCE: set it to a resource that the authorization server recognizes',
  unauthorized_client:
    'OIDC_CLIENT_ID: allow the authorization code flow for the client at the authorization server',
}
const OTHER_REMEDY = "OIDC_CLIENT_ID, OIDC_SCOPE: check the client's settings at the authorization server"

const isAboutClient = (text: string) =>
  /invalid_client|unknown client|client.{0,20}(not found|invalid|unknown|does not exist)/i.test(text) &&
  !/invalid_redirect/i.test(text)

function unavailable(ours: AuthorizationResponse) {
  if (ours.kind !== 'unavailable') return undefined
  const { status } = ours
  const remedy = 'OIDC_ISSUER: try again in a few minutes'
  if (status === 429) return warn('The authorization endpoint is limiting requests (429).', remedy)
  const problem = status === undefined ? "isn't responding" : `returned an error (${status})`
  return fail(
    `The authorization endpoint ${problem}.`,
    `${remedy}; if it persists, make sure this machine can reach the authorization_endpoint in the metadata`,
  )
}

function rejection({ ourResponse: ours, redirect }: RedirectFacts) {
  if (ours.kind === 'barred')
    return warn(
      `The authorization endpoint rejected a test sign-in without giving a reason (${ours.status}).`,
      `PUBLIC_URL, OIDC_CLIENT_ID, OIDC_ISSUER: check that ${redirect} is registered there for this client; if so, a firewall may be blocking this machine`,
    )
  const error = ours.kind === 'back' ? ours.error : undefined
  if (error !== undefined && !EXPECTED.test(error)) {
    const errorName = /^[a-z_]{1,40}$/.test(error) ? error : 'an error'
    return fail(`A sign-in would come back with ${errorName}.`, REMEDIES[error] ?? OTHER_REMEDY)
  }
  if (ours.kind !== 'refused') return undefined
  if (isAboutClient(ours.text))
    return fail(
      `The authorization server doesn't know the client (${ours.status}).`,
      'OIDC_CLIENT_ID: copy the client ID from the authorization server again',
    )
  const isAboutRedirect = /redirect/i.test(ours.text)
  return fail(
    `The authorization server rejected ${isAboutRedirect ? 'the redirect URI' : 'a test sign-in'} (${ours.status}).`,
    `${isAboutRedirect ? 'PUBLIC_URL' : 'PUBLIC_URL, OIDC_CLIENT_ID'}: register ${redirect} for the client at the authorization server, or fix PUBLIC_URL`,
  )
}

/** True if the invented URI was treated differently, so ours is registered. */
const isDistinguished = ({ ourResponse: ours, responseToInvented: invented }: RedirectFacts) =>
  invented.kind === 'refused' ||
  (invented.kind === 'page' && ours.kind !== 'page') ||
  (ours.kind === 'back' && invented.kind === 'barred' && [401, 403].includes(invented.status))

export const redirectUriCheck = createCheck(collect, {
  'authorization-server.redirect-registered': (facts) =>
    unavailable(facts.ourResponse) ??
    (facts.isClientRejected ? undefined : rejection(facts)) ??
    (isDistinguished(facts) && ok(`The redirect URI is registered: ${facts.redirect}`)),
})
