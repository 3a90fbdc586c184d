// Explains an error response of the service, with the setting to change, for the doctor and `onramp status`.
import type { ProbeResult } from '../client-api/client.ts'
import type { ErrorResponse } from '../client-api/error-response.ts'
import { fail, unreachable, warn } from './findings.ts'

type ServiceCall = {
  baseUrl: string
  prefix: string
  setting: string
}

/** The reason `request` quotes the service, so it is for the terminal only. */
export function explainServiceError(result: Exclude<ProbeResult, { kind: 'accepted' }>, call: ServiceCall) {
  const { baseUrl, prefix } = call
  if (result.kind === 'unreachable')
    return unreachable(result.why, 'SERVICE_BASE_URL', `The service at ${baseUrl} cannot be reached`)
  const { expectedHeaderPrefix } = result
  if (expectedHeaderPrefix !== undefined)
    return fail(
      `The service's headers begin with ${expectedHeaderPrefix}, and onramp sends ${prefix}.`,
      `SERVICE_HEADER_PREFIX: set it to ${expectedHeaderPrefix}`,
    )
  return EXPLANATIONS[result.reason](result, call)
}

type Explain = (error: ErrorResponse, call: ServiceCall) => ReturnType<typeof fail>

const notServiceToken: Explain = ({ status }, { setting }) =>
  fail(
    `${setting} isn't a service token (${status}): it seems to be from an identity provider.`,
    `${setting}: set a service token, not an access token`,
  )

const EXPLANATIONS: Record<ErrorResponse['reason'], Explain> = {
  token: (_, { setting }) =>
    fail(`The token in ${setting} is invalid or has expired (401).`, `${setting}: set a new token`),
  scope: (_, { setting }) =>
    fail(
      `The token in ${setting} lacks a scope (403).`,
      `${setting}: grant it the scope for checkdatasourceauth`,
    ),
  'auth-type': notServiceToken,
  'auth-type-missing': notServiceToken,
  'act-as-missing': (_, { setting, prefix }) =>
    setting === 'SERVICE_USER_TOKEN'
      ? fail(
          `SERVICE_USER_TOKEN is a global token: the service requires ${prefix}-ActAs.`,
          'SERVICE_GLOBAL_TOKEN, SERVICE_USER_TOKEN: move the token here and name the person (EMAIL, or --as EMAIL)',
        )
      : fail(
          `The service didn't receive ${prefix}-ActAs, although onramp sent it.`,
          'SERVICE_BASE_URL: make sure no proxy between here and the service removes the header',
        ),
  personal: () =>
    fail(
      "SERVICE_GLOBAL_TOKEN holds a personal token: it would list its owner's apps for everyone.",
      'SERVICE_GLOBAL_TOKEN: set a global token here, and a personal one as SERVICE_USER_TOKEN',
    ),
  'act-as-refused': ({ status }, { prefix }) =>
    fail(
      `The service rejected the person (${status}, ${prefix}-ActAs).`,
      'SERVICE_GLOBAL_TOKEN: check the address (EMAIL, or --as EMAIL): it must belong to someone in the service',
    ),
  intermediary: ({ status }, { setting }) =>
    fail(
      `Something in front of the service, such as a firewall or login page, seems to have responded (${status}).`,
      `SERVICE_BASE_URL: allow requests from this machine; if the service itself responds like this, check ${setting}`,
    ),
  busy: ({ retryAfter }) =>
    warn('Too many requests to the service (429).', `SERVICE_BASE_URL: try again in ${retryAfter} seconds`),
  'not-found': ({ status }, { baseUrl }) =>
    fail(
      `The Client API is not at ${baseUrl} (${status}).`,
      'SERVICE_BASE_URL: check the URL, including its path if the service has one, like /tenant/a',
    ),
  redirected: ({ status }, { baseUrl }) =>
    fail(
      `${baseUrl} redirects (${status}); onramp never follows redirects with a token.`,
      "SERVICE_BASE_URL: set it to the redirect's target: https, and the backend rather than the web app",
    ),
  unreadable: (_, { baseUrl }) =>
    fail(
      `${baseUrl} isn't the Client API.`,
      "SERVICE_BASE_URL: set it to the base URL of the service's backend, not its web app",
    ),
  failing: ({ status, retryAfter }, { baseUrl }) =>
    fail(
      `The service at ${baseUrl} returned an error (${status}).`,
      `SERVICE_BASE_URL: try again in ${retryAfter} seconds, and check the URL if it keeps failing`,
    ),
  request: ({ status, explanation }) =>
    fail(
      `The service rejected the request (${status}). ${explanation === '' ? 'No reason was given' : `The reason: “${explanation}”`}.`,
      "SERVICE_BASE_URL: report this to the team that runs the service; trying again won't help",
    ),
}
