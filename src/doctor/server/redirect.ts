// The addresses that the authorization server has to know. Is PUBLIC_URL/sign-in/callback registered? An authorization
// request is made as a browser would, without signing in (prompt=none), and its answer is looked at, not followed. An
// invented address has to be refused for that to mean anything.
import { hash } from 'node:crypto'
import { addressesOf } from '../../sign-in/addresses.ts'
import type { Settings } from '../../settings/settings.ts'
import { isSafeAddress, navigate, type Asked } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, skip, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

/** To be copied. */
export function redirectAddresses({ settings: { PUBLIC_URL: url } }: Subject): Finding | Finding[] {
  if (url === undefined) return missing('PUBLIC_URL')
  const { callback, signedOut, backChannelLogout } = addressesOf(url)
  return [
    ok(`Redirect URI: ${callback}`),
    ok(`Post-logout redirect URI: ${signedOut}`),
    ok(`Back-channel logout URI: ${backChannelLogout}`),
  ]
}

/** OpenID Connect Core 3.1.2.6: no one is signed in here, as expected. */
const EXPECTED = /^(login|interaction|consent|account_selection)_required$|^access_denied$/

function requestAddress(endpoint: string, settings: Partial<Settings>, redirect: string): URL {
  const url = new URL(endpoint)
  const scope = settings.OIDC_SCOPE ?? 'openid'
  const parameters = {
    ...settings.OIDC_AUTHORIZATION_PARAMS,
    response_type: 'code',
    client_id: settings.OIDC_CLIENT_ID ?? '',
    redirect_uri: redirect,
    scope,
    state: 'onramp-doctor',
    nonce: scope.split(' ').includes('openid') ? 'onramp-doctor' : undefined,
    code_challenge: hash('sha256', 'onramp-doctor', 'base64url'),
    code_challenge_method: 'S256',
    prompt: 'none',
    resource: settings.OIDC_RESOURCE,
    audience: settings.OIDC_AUDIENCE,
  }
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  return url
}

function refused(status: number, text: string, redirect: string): Finding {
  const isAboutClient =
    /invalid_client|unknown client|client.{0,20}(not found|invalid|unknown|does not exist)/i.test(text)
  if (isAboutClient && !/invalid_redirect/i.test(text))
    return fail(`The authorization server doesn't know the client (${status}).`, {
      settings: ['OIDC_CLIENT_ID'],
      fix: 'copy the client ID from the authorization server again',
    })
  const isAboutRedirect = /redirect/i.test(text)
  const what = isAboutRedirect ? 'rejected the redirect URI' : 'rejected a test sign-in'
  return fail(`The authorization server ${what} (${status}).`, {
    settings: isAboutRedirect ? ['PUBLIC_URL'] : ['PUBLIC_URL', 'OIDC_CLIENT_ID'],
    fix: `register ${redirect} for the client at the authorization server, or fix PUBLIC_URL`,
  })
}

/** By the error that came back (RFC 6749 4.1.2.1). */
const RETURNED: Record<string, { settings: string[]; fix: string }> = {
  invalid_scope: { settings: ['OIDC_SCOPE'], fix: 'request only scopes that the client is allowed to have' },
  invalid_target: {
    settings: ['OIDC_RESOURCE'],
    fix: 'set it to a resource that the authorization server recognizes',
  },
  unauthorized_client: {
    settings: ['OIDC_CLIENT_ID'],
    fix: 'allow the authorization code flow for the client at the authorization server',
  },
}

/** It came back to us with an error, so the redirect address is registered, if others are refused. */
function returned(error: string): Finding | undefined {
  if (EXPECTED.test(error)) return undefined
  const known = /^[a-z_]{1,40}$/.test(error) ? error : 'an error'
  const remedy = RETURNED[error] ?? {
    settings: ['OIDC_CLIENT_ID', 'OIDC_SCOPE'],
    fix: "check the client's settings at the authorization server",
  }
  return fail(`A sign-in would come back with ${known}.`, remedy)
}

const SHOWS_REFUSAL =
  /AADSTS50011|redirect.?ur[il].{0,60}(mismatch|invalid|not (registered|match|allowed))|invalid.{0,20}redirect/is

/** A firewall, or a gate in front of the server, answers so; the server itself gives a reason. */
const BARS = [401, 403, 407]

/** What the answer to an authorization request looks like. */
type Look =
  | { kind: 'silent'; status?: number }
  /** By a firewall or a limit, it seems: nothing in it is about the client or the address. */
  | { kind: 'barred'; status: number }
  /** To the redirect address: with a code or an error. */
  | { kind: 'back'; error: string | undefined }
  /** Elsewhere, to sign in as it seems. */
  | { kind: 'onward' }
  | { kind: 'page' }
  | { kind: 'refused'; status: number; text: string }

function lookOf(asked: Asked, redirect: string, endpoint: string): Look {
  if (asked.kind === 'silent') return { kind: 'silent' }
  const { status, text } = asked
  if (status >= 500) return { kind: 'silent', status }
  if (status === 429 || (BARS.includes(status) && !/redirect|client|callback/i.test(text)))
    return { kind: 'barred', status }
  const location = asked.header('location')
  if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, endpoint)) {
    const target = new URL(location, endpoint)
    const inFragment = new URLSearchParams(target.hash.slice(1))
    const value = (name: string) => target.searchParams.get(name) ?? inFragment.get(name) ?? undefined
    if (target.href.startsWith(`${redirect}?`) || target.href.startsWith(`${redirect}#`))
      return { kind: 'back', error: value('code') === undefined ? (value('error') ?? 'an error') : undefined }
    const isError = /error/i.test(target.pathname) || value('error') !== undefined
    return isError ? { kind: 'refused', status, text: target.search + target.hash } : { kind: 'onward' }
  }
  if (status >= 400 || SHOWS_REFUSAL.test(text)) return { kind: 'refused', status, text }
  return { kind: 'page' }
}

const barredFinding = (status: number, redirect: string): Finding =>
  status === 429
    ? warn('The authorization endpoint is limiting requests (429).', {
        settings: ['OIDC_ISSUER'],
        fix: 'try again in a few minutes',
      })
    : warn(`The authorization endpoint rejected a test sign-in without giving a reason (${status}).`, {
        settings: ['PUBLIC_URL', 'OIDC_CLIENT_ID', 'OIDC_ISSUER'],
        fix: `check that ${redirect} is registered there for this client; if so, a firewall may be blocking this machine`,
      })

/** RFC 6749 4.1.2.1: a server may send people back only to an address that is registered. */
const sendsBackToOursAlone = (seen: Look, control: Look): boolean =>
  seen.kind === 'back' && control.kind === 'barred' && [401, 403].includes(control.status)

/** @param control the answer to the same request with an invented redirect address */
function findingOf(seen: Look, control: Look, redirect: string): Finding {
  if (seen.kind === 'silent')
    return fail(
      `The authorization endpoint ${seen.status ? `returned an error (${seen.status})` : "isn't responding"}.`,
      {
        settings: ['OIDC_ISSUER'],
        fix: 'try again later; if it persists, make sure this machine can reach the authorization_endpoint in the metadata',
      },
    )
  if (seen.kind === 'barred') return barredFinding(seen.status, redirect)
  if (seen.kind === 'refused') return refused(seen.status, seen.text, redirect)
  const trouble = seen.kind === 'back' && seen.error !== undefined ? returned(seen.error) : undefined
  if (trouble !== undefined) return trouble
  // The same answer twice says nothing about the address.
  const isTelling =
    control.kind === 'refused' ||
    (control.kind === 'page' && seen.kind !== 'page') ||
    sendsBackToOursAlone(seen, control)
  if (isTelling) return ok(`The redirect URI is registered: ${redirect}`)
  const how =
    control.kind === 'barred' || control.kind === 'silent'
      ? `because a test with an invented URI got ${control.status ?? 'no response'}`
      : seen.kind === 'back'
        ? 'because the server accepts an invented URI too'
        : 'because the server has people sign in before it checks'
  return skip(`can't be checked, ${how}; check that ${redirect} is registered there.`)
}

/** No one can have registered it (RFC 2606). */
const INVENTED = 'https://onramp-doctor.invalid/no-such-callback'

export async function redirectRegistered(metadata: Metadata, { settings }: Subject): Promise<Finding> {
  const { authorization_endpoint: endpoint = '' } = metadata
  if (settings.OIDC_CLIENT_ID === undefined)
    return skip('onramp registers it automatically (OIDC_CLIENT_ID is not set).')
  if (settings.PUBLIC_URL === undefined) return missing('PUBLIC_URL')
  if (!isSafeAddress(endpoint)) return skip('no authorization endpoint to ask.')
  if (metadata.require_pushed_authorization_requests === true)
    return skip('not tested, because the server requires pushed authorization requests.')
  const redirect = addressesOf(settings.PUBLIC_URL).callback
  const lookAt = async (address: string) =>
    lookOf(await navigate(requestAddress(endpoint, settings, address)), address, endpoint)
  return findingOf(await lookAt(redirect), await lookAt(INVENTED), redirect)
}
