// Is PUBLIC_URL/sign-in/callback registered? An authorization request is made as a browser would, without signing in
// (prompt=none), and its answer looked at, not followed. An invented address has to be refused for that to say anything.
import { createHash } from 'node:crypto'
import { present } from '../../present.ts'
import { addressesOf } from '../../sign-in/addresses.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Asked } from '../ask.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { withMetadata } from './discovered.ts'
import { navigate } from '../navigate.ts'
import { isSafeAddress } from '../settings/public-address.ts'

/** OpenID Connect Core 3.1.2.6: no one is signed in here, as expected. */
const EXPECTED = /^(login|interaction|consent|account_selection)_required$|^access_denied$/

function requestAddress(endpoint: string, settings: Partial<Settings>, redirect: string): URL {
  const url = new URL(endpoint)
  const challenge = createHash('sha256').update('onramp-doctor').digest('base64url')
  const scope = settings.OIDC_SCOPE ?? 'openid'
  const parameters = {
    response_type: 'code',
    client_id: settings.OIDC_CLIENT_ID ?? '',
    redirect_uri: redirect,
    scope,
    state: 'onramp-doctor',
    ...(scope.split(' ').includes('openid') ? { nonce: 'onramp-doctor' } : {}),
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: 'none',
    ...present({ resource: settings.OIDC_RESOURCE, audience: settings.OIDC_AUDIENCE }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

function refused(status: number, text: string, redirect: string): Finding {
  const register = `register ${redirect} for the client at the authorization server, or correct PUBLIC_URL`
  const aboutClient =
    /invalid_client|unknown client|client.{0,20}(not found|invalid|unknown|does not exist)/i.test(text)
  const aboutRedirect = /redirect/i.test(text)
  if (aboutClient && !/invalid_redirect/i.test(text))
    return fail(`The authorization server does not know the client (${status}).`, {
      settings: ['OIDC_CLIENT_ID'],
      mend: 'copy the id from the authorization server again',
    })
  if (aboutRedirect)
    return fail(`The authorization server does not accept the redirect address (${status}).`, {
      settings: ['PUBLIC_URL'],
      mend: register,
    })
  return fail(`The authorization server refuses to start a sign-in (${status}).`, {
    settings: ['PUBLIC_URL', 'OIDC_CLIENT_ID'],
    mend: register,
  })
}

/** It came back to us with an error, so the redirect address is registered, if others are refused. */
function returned(error: string): Finding | undefined {
  if (EXPECTED.test(error)) return undefined
  const mends: Record<string, { settings: string[]; mend: string }> = {
    invalid_scope: { settings: ['OIDC_SCOPE'], mend: 'ask only for scopes that the client may have' },
    invalid_target: {
      settings: ['OIDC_RESOURCE'],
      mend: 'name a resource that the authorization server knows',
    },
    unauthorized_client: {
      settings: ['OIDC_CLIENT_ID'],
      mend: 'allow the authorization code flow for the client at the authorization server',
    },
  }
  const known = /^[a-z_]{1,40}$/.test(error) ? error : 'an error'
  const { settings, mend } = mends[error] ?? {
    settings: ['OIDC_CLIENT_ID', 'OIDC_SCOPE'],
    mend: "look at the client's settings at the authorization server",
  }
  return fail(`A sign-in would come back with ${known}.`, { settings, mend })
}

const SHOWS_REFUSAL =
  /AADSTS50011|redirect.?ur[il].{0,60}(mismatch|invalid|not (registered|match|allowed))|invalid.{0,20}redirect/is

/** What the answer to an authorization request looks like. */
type Look =
  | { kind: 'silent' }
  /** To the redirect address: with a code or an error. */
  | { kind: 'back'; error: string | undefined }
  /** Elsewhere, to sign in as it seems. */
  | { kind: 'onward' }
  | { kind: 'page' }
  | { kind: 'refused'; status: number; text: string }

function lookOf(asked: Asked, redirect: string, endpoint: string): Look {
  if (asked.kind === 'silent' || asked.status >= 500) return { kind: 'silent' }
  const { status, text, location } = asked
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

/** @param control what the same request with an invented redirect address is answered */
function findingOf(seen: Look, control: Look, redirect: string): Finding {
  if (seen.kind === 'silent')
    return fail('The authorization endpoint does not answer.', {
      settings: ['OIDC_ISSUER'],
      mend: 'try again later; if it stays, let this machine reach the authorization_endpoint of the metadata',
    })
  if (seen.kind === 'refused') return refused(seen.status, seen.text, redirect)
  const trouble = seen.kind === 'back' && seen.error !== undefined ? returned(seen.error) : undefined
  if (trouble !== undefined) return trouble
  // Answered alike, or not at all: then the answer says nothing of the address.
  const isTelling = control.kind === 'refused' || (control.kind === 'page' && seen.kind !== 'page')
  if (isTelling) return ok(`The redirect address is registered: ${redirect}`)
  if (seen.kind === 'page')
    return warn('The authorization server shows a page where an answer was due; it may be an error.', {
      settings: ['PUBLIC_URL'],
      mend: `see that ${redirect} is registered there`,
    })
  const how =
    seen.kind === 'back'
      ? 'an invented address is answered too'
      : 'the server sends people to sign in before it checks'
  return skip(`cannot be told, ${how}; see that ${redirect} is registered there.`)
}

/** No one can have registered it (RFC 2606). */
const INVENTED = 'https://onramp-doctor.invalid/no-such-callback'

export const redirectRegistered: Check = {
  id: 'authorization-server.redirect-registered',
  about: 'The redirect address',
  group: 'Authorization server',
  network: true,
  look: (subject) =>
    withMetadata(subject, async (metadata) => {
      const { settings } = subject
      const { authorization_endpoint: endpoint = '', require_pushed_authorization_requests: pushed } =
        metadata
      if (settings.OIDC_CLIENT_ID === undefined)
        return [skip('onramp registers it itself (OIDC_CLIENT_ID is not set).')]
      if (settings.PUBLIC_URL === undefined) return [skip('PUBLIC_URL cannot be read.')]
      if (!isSafeAddress(endpoint)) return [skip('there is no authorization endpoint to ask.')]
      if (pushed === true) return [skip('not tried, because sign-ins start with a pushed request there.')]
      const redirect = addressesOf(settings.PUBLIC_URL).callback
      const lookAt = async (address: string) =>
        lookOf(await navigate(requestAddress(endpoint, settings, address), subject.now), address, endpoint)
      return [findingOf(await lookAt(redirect), await lookAt(INVENTED), redirect)]
    }),
}
