// What the service's refusals mean for the person who asked, for the doctor and for `onramp status` (contract section 7).
// Pure.
import type { Reply } from '../../client-api/inquiry.ts'
import type { RefusalReason } from '../../client-api/refusal-reason.ts'
import { silenceInWords } from '../../client-api/silence.ts'
import { fail, warn, type Finding } from '../finding.ts'

export type Unanswered = Exclude<Reply, { kind: 'answered' }>

/** Reasons that are about the address, or about the service as a whole; the others are about the token or the question. */
const ABOUT_SERVICE: readonly RefusalReason[] = ['not-there', 'redirected', 'unreadable', 'failing', 'busy']

export const isAboutService = (reason: RefusalReason): boolean => ABOUT_SERVICE.includes(reason)

export type Asking = {
  /** Which setting the token is from. */
  setting: string
  /** SERVICE_BASE_URL. */
  baseUrl: string
  /** How the person of a global token is named, like `--as EMAIL`. */
  naming: string
}

/**
 * Why the service did not answer the question, and which setting to change. A refused question (`request`) repeats what
 * the service said, which is for the terminal only.
 */
export function unansweredFinding(reply: Unanswered, { setting, baseUrl, naming }: Asking): Finding {
  const address = ['SERVICE_BASE_URL']
  if (reply.kind === 'silent')
    return fail(`The service at ${baseUrl} cannot be reached: ${silenceInWords[reply.why]}.`, {
      settings: address,
      fix: 'check the address, and that this machine may reach it',
    })
  const { status, retryAfter, said } = reply
  switch (reply.reason) {
    case 'token':
      return fail(`The service does not accept ${setting} (401): it is invalid or expired.`, {
        settings: [setting],
        fix: 'put a new token into it',
      })
    case 'scope':
      return fail(`${setting} may not do this (403): it lacks a scope.`, {
        settings: [setting],
        fix: 'give the token the scope for checkdatasourceauth',
      })
    case 'auth-type':
    case 'auth-type-missing':
      return fail(
        `The service does not know ${setting} as a service token (${status}): it seems to come from an identity provider.`,
        { settings: [setting], fix: 'put a service token into it, not an access token' },
      )
    case 'act-as-missing':
      return setting === 'SERVICE_USER_TOKEN'
        ? fail('SERVICE_USER_TOKEN holds a global token: the service asks for X-Service-ActAs.', {
            settings: ['SERVICE_GLOBAL_TOKEN', 'SERVICE_USER_TOKEN'],
            fix: `move the token here and name the person (${naming})`,
          })
        : fail('The service did not get X-Service-ActAs, which was sent.', {
            settings: address,
            fix: 'find what takes the header away between here and the service',
          })
    case 'act-as-refused':
      return fail(`The service does not accept the person (${status}, X-Service-ActAs).`, {
        settings: ['SERVICE_GLOBAL_TOKEN'],
        fix: `check the address (${naming}): a person at the service must have it`,
      })
    case 'busy':
      return warn('The service has had too many requests (429).', {
        settings: address,
        fix: `try again in ${retryAfter} seconds`,
      })
    case 'not-there':
      return fail(`The Client API is not at ${baseUrl} (${status}).`, {
        settings: address,
        fix: 'check the address; the path is part of it where the service has one, like /tenant/a',
      })
    case 'redirected':
      return fail(`${baseUrl} redirects (${status}), which is never followed with a token.`, {
        settings: address,
        fix: 'set it to the address that it redirects to: https, and the backend rather than the web app',
      })
    case 'unreadable':
      return fail(`${baseUrl} answers, but not as the Client API does.`, {
        settings: address,
        fix: "set it to the service's backend address rather than its web app",
      })
    case 'failing':
      return fail(`The service at ${baseUrl} fails (${status}).`, {
        settings: address,
        fix: `nothing is wrong here: try again in ${retryAfter} seconds, and check the address if it keeps failing`,
      })
    case 'request':
      return fail(
        `The service does not accept the question (${status}). ${said === '' ? 'It gave no reason' : `It said: “${said}”`}.`,
        { settings: address, fix: 'report it to the team that runs the service; asking again will not help' },
      )
  }
}
