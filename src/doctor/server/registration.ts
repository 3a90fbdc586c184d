// Dynamic registration (RFC 7591), where OIDC_CLIENT_ID is not set: is it open? Nothing is registered: the request has no
// usable redirect address, which an open endpoint refuses as such and a closed one does not even read.
import { randomBytes } from 'node:crypto'
import { objectIn } from '../../client-api/body.ts'
import { retryAfterSeconds } from '../../client-api/retry-after.ts'
import { readRefusal } from '../../sign-in/registration/answer.ts'
import { isAboutTheRequest, type Refusal } from '../../sign-in/registration/metadata.ts'
import { ask, isSafeAddress, type Asked } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

const BY_HAND = 'register a client yourself and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'
const TRIAL_NAME = 'onramp doctor (may be removed)'
const NOT_A_REGISTRATION = JSON.stringify({
  client_name: TRIAL_NAME,
  redirect_uris: 'none: onramp doctor checks whether this is open',
})

type Answer = Extract<Asked, { kind: 'answer' }>

/** No request at all is taken, or none that has no token. */
const IS_CLOSED = [404, 405, 410, 501]
const IS_ABOUT_THE_TOKEN = /^(invalid_token|insufficient_scope|access_denied|unauthorized_client)$/

const refusalIn = ({ status, text }: Answer): Refusal => ({ status, ...readRefusal(text, undefined) })

const isAboutTheToken = (asked: Asked): boolean => {
  if (asked.kind === 'silent') return false
  const { status, error = '' } = refusalIn(asked)
  return status === 401 || status === 403 || (status === 400 && IS_ABOUT_THE_TOKEN.test(error))
}

/** These statuses say nothing about whether it is open: the trial itself may be what the server fails on. */
function unclear(answer: Answer, now: number): Finding {
  const { status } = answer
  const settings = ['OIDC_CLIENT_ID']
  const orByHand = `if onramp doesn't register on first start, ${BY_HAND}`
  if (status === 429)
    return warn('The registration endpoint is limiting requests (429).', {
      settings,
      fix: `try again in ${retryAfterSeconds(answer.header('retry-after'), now)} seconds; ${orByHand}`,
    })
  const what = status >= 500 ? 'returned an error' : "doesn't show whether registration is open"
  return warn(`The registration endpoint ${what} (${status}).`, { settings, fix: orByHand })
}

function findingOf(asked: Asked, hasToken: boolean, now: number): Finding {
  if (asked.kind === 'silent')
    return fail("The registration endpoint isn't responding.", { settings: ['OIDC_CLIENT_ID'], fix: BY_HAND })
  const { status } = asked
  if (isAboutTheToken(asked))
    return fail(
      hasToken
        ? `The registration endpoint rejected the token (${status}).`
        : `The registration endpoint requires a token (${status}).`,
      {
        settings: ['OIDC_INITIAL_ACCESS_TOKEN', 'OIDC_CLIENT_ID'],
        fix: `get one there, or ${BY_HAND}`,
      },
    )
  if (status >= 200 && status < 300)
    return warn(
      'The registration endpoint accepts invalid requests, even one without a usable redirect URI.',
      {
        settings: ['OIDC_CLIENT_ID'],
        fix: `remove the client "${TRIAL_NAME}" there if it was created; onramp will register on first start`,
      },
    )
  if (!IS_CLOSED.includes(status)) return unclear(asked, now)
  return fail(`Registration is closed (${status}).`, { settings: ['OIDC_CLIENT_ID'], fix: BY_HAND })
}

/** A server may check the request before the token: then a refusal of the request says nothing about the token. */
async function rightOf(attempt: (token: string | undefined) => Promise<Asked>, token: string | undefined) {
  const unknown = skip(
    'the first start will show whether it is open: the server rejected the content of the test.',
  )
  if (token === undefined) return unknown
  const control = await attempt(`onramp-doctor-${randomBytes(12).toString('base64url')}`)
  return isAboutTheToken(control)
    ? ok('The registration endpoint accepts the token: onramp will register on first start.')
    : unknown
}

/** A client that was registered after all is removed again (RFC 7592 2.3), as far as the server allows it. */
async function removeTrial(asked: Asked): Promise<void> {
  if (asked.kind !== 'answer' || asked.status < 200 || asked.status >= 300) return
  const { registration_client_uri: uri, registration_access_token: token } = objectIn(asked.text) ?? {}
  if (typeof uri !== 'string' || typeof token !== 'string' || !isSafeAddress(uri)) return
  await ask(uri, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } })
}

export async function registration(
  { registration_endpoint: endpoint }: Metadata,
  { settings, now }: Subject,
): Promise<Finding> {
  if (settings.OIDC_CLIENT_ID !== undefined) return skip('OIDC_CLIENT_ID is set.')
  if (endpoint === undefined)
    return fail(
      "OIDC_CLIENT_ID is not set, and the authorization server doesn't offer dynamic registration.",
      {
        settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
        fix: BY_HAND,
      },
    )
  if (!isSafeAddress(endpoint)) return skip('the registration endpoint is not https.')
  const { OIDC_INITIAL_ACCESS_TOKEN: token } = settings
  const attempt = async (shown: string | undefined) => {
    const authorization = shown === undefined ? undefined : { authorization: `Bearer ${shown}` }
    const headers = { 'content-type': 'application/json', accept: 'application/json', ...authorization }
    const asked = await ask(endpoint, { method: 'POST', headers, body: NOT_A_REGISTRATION })
    await removeTrial(asked)
    return asked
  }
  const asked = await attempt(token)
  return asked.kind === 'answer' && isAboutTheRequest(refusalIn(asked))
    ? await rightOf(attempt, token)
    : findingOf(asked, token !== undefined, now())
}
