// What can be said of the client, once the endpoints were asked.
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import type { ClientAuthentication } from '../../sign-in/server/client-authentication.ts'
import type { ProbeAnswer } from '../../sign-in/server/client-probe.ts'

type Method = ClientAuthentication['method']

export function acceptedFinding(
  method: Method,
  refusesOtherId: boolean,
  refusesOtherSecret: boolean,
): Finding {
  const hasSecret = method !== 'none'
  if (refusesOtherId && !hasSecret) return ok('Client ID accepted.')
  if (refusesOtherId && refusesOtherSecret) return ok('Client ID and authentication accepted.')
  if (refusesOtherId)
    return skip(
      'the server knows the client ID, but responds to a wrong secret the same way: compare the secret yourself.',
    )
  if (refusesOtherSecret && hasSecret) return ok('Client authentication accepted.')
  return skip(
    "can't be checked, because the server responds to an invented client the same way. The first sign-in will tell.",
  )
}

export const unclearFinding = warn("Couldn't verify the client from the token endpoint's response.", {
  settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  fix: 'compare them with the values at the authorization server',
})

export const unansweredFinding = fail('The token endpoint returned an invalid response.', {
  settings: ['OIDC_ISSUER'],
  fix: 'make sure this machine can reach the token_endpoint in the metadata, and that no page or log-in stands in between',
})

/** @param control what an invented client is answered: some servers say the same of any that they don't accept */
export function notAllowedFinding(control: ProbeAnswer): Finding {
  if (control === 'not-allowed')
    return fail('The authorization server rejected the client (unauthorized_client).', {
      settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'],
      fix: 'copy the client ID and the secret or key from the authorization server again, and check that the redirect URI is registered there',
    })
  return fail("The client isn't allowed to use the authorization code flow (unauthorized_client).", {
    settings: ['OIDC_CLIENT_ID'],
    fix: 'allow authorization_code and refresh_token for the client at the authorization server',
  })
}
export const isFailing = (answer: ProbeAnswer) => answer.startsWith('status ')

export const failingFinding = (answer: ProbeAnswer): Finding =>
  warn(`Couldn't verify the client: the token endpoint responds with ${answer}.`, {
    settings: ['OIDC_ISSUER'],
    fix: "try again in a minute; if it stays like this, check the authorization server's log",
  })
