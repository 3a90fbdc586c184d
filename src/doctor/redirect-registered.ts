// Is PUBLIC_URL/sign-in/callback registered? An authorization request is made as a browser would, without signing in
// (prompt=none), and its answer looked at, not followed.
import { createHash } from 'node:crypto'
import type { Settings } from '../settings.ts'
import { ask, type Asked } from './ask.ts'
import { fail, ok, skip, warn, type Check, type Finding } from './check.ts'
import { withMetadata } from './discovered.ts'
import { isSafeAddress } from './public-address.ts'

/** OpenID Connect Core 3.1.2.6: nobody is signed in here, which is what was to be expected. */
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
    ...(settings.OIDC_RESOURCE === undefined ? {} : { resource: settings.OIDC_RESOURCE }),
    ...(settings.OIDC_AUDIENCE === undefined ? {} : { audience: settings.OIDC_AUDIENCE }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

function refused(status: number, text: string, redirect: string): Finding {
  const register = `register ${redirect} for the client at the authorization server, or mend PUBLIC_URL`
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

/** It came back to us with an error, so the redirect address is registered. */
function returned(error: string, redirect: string): Finding {
  if (EXPECTED.test(error)) return ok(`The redirect address is registered: ${redirect}`)
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
  return fail(`The redirect address is registered, but a sign-in would end with ${known}.`, {
    settings,
    mend,
  })
}

function findingOf(asked: Asked, redirect: string, endpoint: string): Finding {
  if (asked.kind === 'silent' || asked.status >= 500)
    return fail('The authorization endpoint does not answer.', {
      settings: ['OIDC_ISSUER'],
      mend: 'try again later; if it stays, let this machine reach the authorization_endpoint of the metadata',
    })
  const { status, text, location } = asked
  if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, endpoint)) {
    const target = new URL(location, endpoint)
    if (target.href.startsWith(`${redirect}?`) || target.href.startsWith(`${redirect}#`))
      return target.searchParams.has('code')
        ? ok(`The redirect address is registered: ${redirect} (the server gave a code without a sign-in).`)
        : returned(target.searchParams.get('error') ?? 'an error', redirect)
    return /error/i.test(target.pathname)
      ? refused(status, target.search, redirect)
      : ok(`The authorization server takes the redirect address, as far as it tells: ${redirect}`)
  }
  if (status >= 400) return refused(status, text, redirect)
  return /AADSTS50011|redirect.?ur[il].{0,60}(mismatch|invalid|not (registered|match|allowed))|invalid.{0,20}redirect/is.test(
    text,
  )
    ? refused(status, text, redirect)
    : warn('The authorization server shows a page where an answer was due; it may be an error.', {
        settings: ['PUBLIC_URL'],
        mend: `see that ${redirect} is registered there`,
      })
}

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
      const redirect = `${settings.PUBLIC_URL}/sign-in/callback`
      const asked = await ask(requestAddress(endpoint, settings, redirect), subject.now)
      return [findingOf(asked, redirect, endpoint)]
    }),
}
