// Is the Client API at SERVICE_BASE_URL? Asked with a token that no one has, so that a refusal is the right answer.
import type { Reply } from '../../client-api/inquiry.ts'
import { silenceInWords } from '../../client-api/silence.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'

/** No secret: a made-up token. */
export const PROBE_TOKEN = 'onramp-doctor-made-up-token'

const settings = ['SERVICE_BASE_URL']

function reachability(reply: Reply, baseUrl: string): Finding {
  if (reply.kind === 'silent')
    return fail(`The service at ${baseUrl} cannot be reached: ${silenceInWords[reply.why]}.`, {
      settings,
      mend: 'check the address, and that this machine may reach it',
    })
  if (reply.kind === 'answered')
    return fail(`What answers at ${baseUrl} accepts a made-up token.`, {
      settings,
      mend: "set it to the service's own backend address",
    })
  switch (reply.reason) {
    case 'not-there':
      return fail(`The Client API is not at ${baseUrl} (${reply.status}).`, {
        settings,
        mend: 'check the address; the path is part of it where the service has one, like /tenant/a',
      })
    case 'redirected':
      return fail(`${baseUrl} redirects (${reply.status}), which is never followed with a token.`, {
        settings,
        mend: 'set it to the address that it redirects to: https, and the backend rather than the web app',
      })
    case 'unreadable':
      return fail(`${baseUrl} answers with something else than the Client API.`, {
        settings,
        mend: "set it to the service's backend address rather than its web app",
      })
    case 'failing':
      return fail(`The service at ${baseUrl} fails (${reply.status}).`, {
        settings,
        mend: 'try again later; if it stays, check the address',
      })
    case 'busy':
      return warn('The service has had too many requests (429).', {
        settings,
        mend: `try again in ${reply.retryAfter} seconds`,
      })
    default:
      return ok(`The Client API is at ${baseUrl}, and refuses a made-up token (${reply.status}).`)
  }
}

export const serviceReachable: Check = {
  id: 'service.reachable',
  about: 'The service',
  group: 'Service',
  network: true,
  async look({ service, settings }) {
    const externalIdp = settings.TOKEN_ISSUED_BY === 'external-idp'
    const reply = await service({ kind: 'oauth', accessToken: PROBE_TOKEN, externalIdp })
    return [
      reply === undefined
        ? skip('SERVICE_BASE_URL cannot be read.')
        : reachability(reply, settings.SERVICE_BASE_URL ?? ''),
    ]
  },
}
