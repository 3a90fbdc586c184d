// What the service's refusals mean for the person who asked, for the doctor and for `onramp status` (contract section 7).
// Pure.
import type { Reply } from '../../client-api/inquiry.ts'
import type { RefusalReason } from '../../client-api/refusal.ts'
import { silenceInWords } from '../../client-api/silence.ts'
import { fail, unreached, warn, type Finding } from '../finding.ts'

export type Unanswered = Exclude<Reply, { kind: 'answered' }>

/** Reasons that are about the address, or about the service as a whole; the others are about the token or the question. */
const ABOUT_SERVICE: readonly RefusalReason[] = ['not-there', 'redirected', 'unreadable', 'failing', 'busy']

export const isAboutService = (reason: RefusalReason): boolean => ABOUT_SERVICE.includes(reason)

export type Asking = {
  /** Which setting the token is from. */
  setting: string
  /** SERVICE_BASE_URL. */
  baseUrl: string
  /** SERVICE_HEADER_PREFIX. */
  prefix: string
  /** How the person of a global token is named, like `--as EMAIL`. */
  naming: string
}

export const otherHeaders = (theirs: string, ours: string): Finding =>
  fail(`The service's headers begin with ${theirs}, and onramp sends ${ours}.`, {
    settings: ['SERVICE_HEADER_PREFIX'],
    fix: `set it to ${theirs}`,
  })

/**
 * Why the service did not answer the question, and which setting to change. A refused question (`request`) repeats what
 * the service said, which is for the terminal only.
 */
export function unansweredFinding(reply: Unanswered, asking: Asking): Finding {
  const { setting, baseUrl, prefix, naming } = asking
  const address = ['SERVICE_BASE_URL']
  if (reply.kind === 'silent')
    return fail(
      `The service at ${baseUrl} cannot be reached: ${silenceInWords(reply.why)}.`,
      unreached(reply.why, address),
    )
  const { status, retryAfter, explanation, otherPrefix } = reply
  if (otherPrefix !== undefined) return otherHeaders(otherPrefix, prefix)
  switch (reply.reason) {
    case 'in-front':
      return fail(
        `Something in front of the service seems to have answered (${status}): a firewall, or a login.`,
        {
          settings: address,
          fix: `have it let the calls through; if the service itself answers so, check ${setting}`,
        },
      )
    case 'token':
      return fail(`The token in ${setting} is invalid or has expired (401).`, {
        settings: [setting],
        fix: 'set a new token',
      })
    case 'scope':
      return fail(`The token in ${setting} lacks a scope (403).`, {
        settings: [setting],
        fix: 'grant it the scope for checkdatasourceauth',
      })
    case 'auth-type':
    case 'auth-type-missing':
      return fail(`${setting} isn't a service token (${status}): it seems to be from an identity provider.`, {
        settings: [setting],
        fix: 'set a service token, not an access token',
      })
    case 'act-as-missing':
      return setting === 'SERVICE_USER_TOKEN'
        ? fail(`SERVICE_USER_TOKEN is a global token: the service requires ${prefix}-ActAs.`, {
            settings: ['SERVICE_GLOBAL_TOKEN', 'SERVICE_USER_TOKEN'],
            fix: `move the token here and add the person (${naming})`,
          })
        : fail(`The service didn't receive ${prefix}-ActAs, although onramp sent it.`, {
            settings: address,
            fix: 'make sure no proxy between here and the service removes the header',
          })
    case 'act-as-refused':
      return fail(`The service rejected the person (${status}, ${prefix}-ActAs).`, {
        settings: ['SERVICE_GLOBAL_TOKEN'],
        fix: `check the address (${naming}): it must belong to someone in the service`,
      })
    case 'busy':
      return warn('Too many requests to the service (429).', {
        settings: address,
        fix: `try again in ${retryAfter} seconds`,
      })
    case 'not-there':
      return fail(`The Client API is not at ${baseUrl} (${status}).`, {
        settings: address,
        fix: 'check the URL, including its path if the service has one, like /tenant/a',
      })
    case 'redirected':
      return fail(`${baseUrl} redirects (${status}); onramp never follows redirects with a token.`, {
        settings: address,
        fix: "set it to the redirect's target: https, and the backend rather than the web app",
      })
    case 'unreadable':
      return fail(`${baseUrl} isn't the Client API.`, {
        settings: address,
        fix: "set it to the base URL of the service's backend, not its web app",
      })
    case 'failing':
      return fail(`The service at ${baseUrl} returned an error (${status}).`, {
        settings: address,
        fix: `try again in ${retryAfter} seconds, and check the URL if it keeps failing`,
      })
    case 'request':
      return fail(
        `The service rejected the request (${status}). ${explanation === '' ? 'It gave no reason' : `It said: “${explanation}”`}.`,
        { settings: address, fix: "report this to the team that runs the service; trying again won't help" },
      )
  }
}
