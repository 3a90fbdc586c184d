// Dynamic registration (RFC 7591), where OIDC_CLIENT_ID is absent: is it open? Nothing is registered: what is sent
// has no usable redirect address, which an open endpoint refuses as such and a closed one does not even read.
import { randomBytes } from 'node:crypto'
import { ask, type Asked } from '../ask.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { withMetadata } from './discovered.ts'
import { isSafeAddress } from '../settings/public-address.ts'

const BY_HAND = 'register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'
const TRIAL_NAME = 'onramp doctor (may be removed)'
const NOT_A_REGISTRATION = JSON.stringify({
  client_name: TRIAL_NAME,
  redirect_uris: 'none: onramp doctor looks whether this is open',
})

type Json = Record<string, unknown>

function bodyOf({ text }: { text: string }): Json {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Json) : {}
  } catch {
    return {}
  }
}

const isRefusedAsFaulty = (asked: Asked): boolean =>
  asked.kind === 'answer' &&
  [400, 422].includes(asked.status) &&
  /^invalid_(redirect_uris?|client_metadata|request)$/.test(String(bodyOf(asked)['error']))

function findingOf(asked: Asked, hasToken: boolean): Finding {
  if (asked.kind === 'silent')
    return fail('The registration endpoint does not answer.', { settings: ['OIDC_CLIENT_ID'], mend: BY_HAND })
  const { status } = asked
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
  if (status >= 200 && status < 300)
    return warn('The registration endpoint takes even a request without a usable redirect address.', {
      settings: ['OIDC_CLIENT_ID'],
      mend: `remove the client "${TRIAL_NAME}" there if it was made; onramp registers itself at its first start`,
    })
  return fail(`Registration is closed (${status}).`, { settings: ['OIDC_CLIENT_ID'], mend: BY_HAND })
}

/** A server may look at the request before it looks at who asks: then a refusal of the request says nothing of the right. */
async function rightOf(attempt: (token: string | undefined) => Promise<Asked>, token: string | undefined) {
  const unknown = skip(
    'whether it is open shows at the first start: the server refused the trial for its content.',
  )
  if (token === undefined) return unknown
  const control = await attempt(`onramp-doctor-${randomBytes(12).toString('base64url')}`)
  return control.kind === 'answer' && (control.status === 401 || control.status === 403)
    ? ok('Registration takes the token: onramp registers itself at its first start.')
    : unknown
}

/** What was made in spite of everything is removed again (RFC 7592 2.3), as far as the server lets us. */
async function removeTrial(asked: Asked, now: () => number): Promise<void> {
  if (asked.kind !== 'answer' || asked.status < 200 || asked.status >= 300) return
  const { registration_client_uri: uri, registration_access_token: token } = bodyOf(asked)
  if (typeof uri !== 'string' || typeof token !== 'string' || !isSafeAddress(uri)) return
  await ask(uri, now, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
}

function headersOf(token: string | undefined): Record<string, string> {
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
      const { OIDC_INITIAL_ACCESS_TOKEN: token } = settings
      const attempt = async (shown: string | undefined) => {
        const init = { method: 'POST', headers: headersOf(shown), body: NOT_A_REGISTRATION }
        const asked = await ask(endpoint, subject.now, init)
        await removeTrial(asked, subject.now)
        return asked
      }
      const asked = await attempt(token)
      return [
        isRefusedAsFaulty(asked) ? await rightOf(attempt, token) : findingOf(asked, token !== undefined),
      ]
    }),
}
