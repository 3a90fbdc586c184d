// Dynamic registration (RFC 7591), where OIDC_CLIENT_ID is absent: is it open? Nothing is registered: what is sent
// has no usable redirect address, which an open endpoint refuses as such and a closed one does not even read.
import type { Settings } from '../settings.ts'
import { ask, type Asked } from './ask.ts'
import { fail, ok, skip, warn, type Check, type Finding } from './check.ts'
import { withMetadata } from './discovered.ts'
import { isSafeAddress } from './public-address.ts'

const BY_HAND = 'register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'
const NOT_A_REGISTRATION = JSON.stringify({ redirect_uris: 'none: onramp doctor looks whether this is open' })

function errorOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : ''
  } catch {
    return ''
  }
}

function findingOf(asked: Asked, hasToken: boolean): Finding {
  if (asked.kind === 'silent')
    return fail('The registration endpoint does not answer.', { settings: ['OIDC_CLIENT_ID'], mend: BY_HAND })
  const { status } = asked
  if (status === 400 && /^invalid_(redirect_uri|client_metadata|request)$/.test(errorOf(asked.text)))
    return ok('Registration is open: onramp registers itself at its first start.')
  if (status === 401 || status === 403)
    return fail(
      hasToken
        ? `The registration endpoint does not accept the token (${status}).`
        : `The registration endpoint asks for a token (${status}).`,
      {
        settings: ['OIDC_INITIAL_ACCESS_TOKEN', 'OIDC_CLIENT_ID'],
        mend: `have one made there, or ${BY_HAND}`,
      },
    )
  if (status < 300)
    return warn('The registration endpoint accepts whatever it is sent.', {
      settings: ['OIDC_CLIENT_ID'],
      mend: BY_HAND,
    })
  return fail(`Registration is closed (${status}).`, { settings: ['OIDC_CLIENT_ID'], mend: BY_HAND })
}

function headersOf({ OIDC_INITIAL_ACCESS_TOKEN: token }: Partial<Settings>): Record<string, string> {
  const json = { 'content-type': 'application/json', accept: 'application/json' }
  return token === undefined ? json : { ...json, authorization: `Bearer ${token}` }
}

export const registration: Check = {
  id: 'authorization-server.registration',
  about: 'Registering itself',
  group: 'Authorization server',
  network: true,
  look: (subject) =>
    withMetadata(subject, async ({ registration_endpoint: endpoint }) => {
      const { settings } = subject
      if (settings.OIDC_CLIENT_ID !== undefined) return [skip('OIDC_CLIENT_ID is set.')]
      if (endpoint === undefined)
        return [
          fail('OIDC_CLIENT_ID is not set, and the authorization server has no registration endpoint.', {
            settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
            mend: BY_HAND,
          }),
        ]
      if (!isSafeAddress(endpoint)) return [skip('the endpoint is not https.')]
      const init = { method: 'POST', headers: headersOf(settings), body: NOT_A_REGISTRATION }
      const asked = await ask(endpoint, subject.now, init)
      return [findingOf(asked, settings.OIDC_INITIAL_ACCESS_TOKEN !== undefined)]
    }),
}
