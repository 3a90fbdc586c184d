// What the service's refusals mean for the person who asked (contract section 7): a line with what to do, and an exit code. Pure.
import type { Reply } from '../../client-api/inquiry.ts'
import { silenceInWords } from '../../client-api/silence.ts'
import { EXIT_SETTINGS } from '../../settings/settings.ts'

const EXIT = { failed: 1, token: 3, scope: 4, person: 5, busy: 6, service: 7 }

type Explained = { exit: number; words: string }
type TokenKind = 'global-token' | 'user-token'
type Unanswered = Exclude<Reply, { kind: 'answered' }>

/** @param kind which token was used: it decides which setting to change */
export function explainReply(reply: Unanswered, kind: TokenKind): Explained {
  if (reply.kind === 'silent')
    return {
      exit: EXIT.service,
      words: `the service cannot be reached: ${silenceInWords[reply.why]}. Check SERVICE_BASE_URL, or try again later`,
    }
  return explainRefusal(reply, kind === 'global-token' ? 'SERVICE_GLOBAL_TOKEN' : 'SERVICE_USER_TOKEN')
}

function explainRefusal(reply: Extract<Reply, { kind: 'refused' }>, setting: string): Explained {
  const { status } = reply
  switch (reply.reason) {
    case 'token':
      return {
        exit: EXIT.token,
        words: `the service does not accept the token (401): it is invalid or expired. Put a new one into ${setting}`,
      }
    case 'auth-type':
    case 'auth-type-missing':
      return {
        exit: EXIT.token,
        words: `the service does not know the token as a service token (${status}): it seems to come from an identity provider. Put a service token into ${setting}`,
      }
    case 'scope':
      return {
        exit: EXIT.scope,
        words: `the token may not do this (403): give the token in ${setting} the scope for checkdatasourceauth`,
      }
    case 'act-as-missing':
      return {
        exit: EXIT.person,
        words:
          setting === 'SERVICE_USER_TOKEN'
            ? 'the service asks for X-Service-ActAs: the token in SERVICE_USER_TOKEN is a global one. Put it into SERVICE_GLOBAL_TOKEN and name the person: onramp status EMAIL'
            : 'the service did not get X-Service-ActAs, which was sent: something between here and SERVICE_BASE_URL takes the header away',
      }
    case 'act-as-refused':
      return {
        exit: EXIT.person,
        words: `the service does not accept that person (${status}, X-Service-ActAs): check the address, and that a person there has it`,
      }
    case 'busy':
      return {
        exit: EXIT.busy,
        words: `the service has had too many requests (429): try again in ${reply.retryAfter} seconds`,
      }
    case 'not-there':
    case 'redirected':
    case 'unreadable':
      return {
        exit: EXIT_SETTINGS,
        words: `the Client API is not at that address (${status}): SERVICE_BASE_URL leads elsewhere, or lacks its path`,
      }
    case 'failing':
      return {
        exit: EXIT.service,
        words: `the service fails (${status}): nothing is wrong here. Try again in ${reply.retryAfter} seconds`,
      }
    case 'request':
      return {
        exit: EXIT.failed,
        words: `the service does not accept the question (${status}), and would not accept it again. ${reply.said === '' ? 'It gave no reason' : `It said: “${reply.said}”`}`,
      }
  }
}
