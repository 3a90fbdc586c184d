// Tries the service with an invented token, with the service tokens, and with a final_redirect_url. One-time paths
// stay in the client.
import { isUnstartable } from '../client-api/app-status.ts'
import { STANDARD_HEADER_PREFIX } from '../client-api/credentials.ts'
import { ServiceClient, type ProbeResult } from '../client-api/client.ts'
import type { ErrorResponse } from '../client-api/error-response.ts'
import { CONSENT_CALLBACK_PATH } from '../onboarding/paths.ts'
import { createCheck, fail, ok, skip, warn, type DoctorContext } from './findings.ts'
import { explainServiceError } from './service-error.ts'

/** True if the reason is the address or the service; others are about the token or the request. */
const isAboutService = (reason: ErrorResponse['reason']): boolean =>
  ['not-found', 'redirected', 'unreadable', 'failing', 'busy'].includes(reason)

const MADE_UP = 'onramp-doctor-made-up-token'
const TIME_LIMIT_MS = 8_000

async function collect(baseUrl: string, { settings, actAs }: DoctorContext, now: () => number) {
  const { SERVICE_HEADER_PREFIX: prefix = STANDARD_HEADER_PREFIX, TOKEN_ISSUED_BY: by } = settings
  const { SERVICE_USER_TOKEN: user, SERVICE_GLOBAL_TOKEN: global, PUBLIC_URL: url } = settings
  const client = new ServiceClient({ baseUrl, headerPrefix: prefix, timeLimitMs: TIME_LIMIT_MS, now })
  const asUser = user ? ({ kind: 'user-token', token: user } as const) : undefined
  const asGlobal = global && actAs ? ({ kind: 'global-token', token: global, actAs } as const) : undefined
  try {
    const isExternalIdp = by === 'external-idp'
    const madeUp = await client.probe({ kind: 'oauth', accessToken: MADE_UP, isExternalIdp })
    const ofUser = asUser && (await client.probe(asUser))
    // Without a person, only a personal token gets a response.
    const withoutPerson = global && !asGlobal ? await client.probeGlobalToken(global) : undefined
    const ofGlobal = asGlobal ? await client.probe(asGlobal) : withoutPerson
    const facts = { baseUrl, prefix, madeUp, user: ofUser, global: ofGlobal, redirectTrial: undefined }
    const credentials = asGlobal ?? asUser
    const withoutRedirect = ofGlobal ?? ofUser
    if (credentials === undefined || withoutRedirect?.kind !== 'accepted' || url === undefined) return facts
    // This is the same call with a final_redirect_url.
    const redirect = `${url}${CONSENT_CALLBACK_PATH}`
    const withRedirect = await client.probe(credentials, `${redirect}?step=onramp-doctor`)
    return { ...facts, redirectTrial: { redirect, without: withoutRedirect, withRedirect } }
  } finally {
    await client.close()
  }
}

type ServiceFacts = Awaited<ReturnType<typeof collect>>

/** The finding about a token. Faults of the address or the header prefix have separate findings. */
function tokenFinding(facts: ServiceFacts, setting: string, result: ProbeResult | undefined) {
  if (result?.kind === 'accepted') {
    const apps = (count: number) => `${count} ${count === 1 ? 'app' : 'apps'}`
    const unstartable = result.unconnected.filter(({ status }) => isUnstartable(status)).length
    return [
      ok(`${setting} works: that person has ${apps(result.unconnected.length)} left to connect.`),
      unstartable > 0 &&
        warn(
          `That person can't connect ${apps(unstartable)}: the service lists no usable link.`,
          'find the app with onramp status, and check its setup in the service: authUrlRelativePath has to begin with /auth/datasource/ID',
        ),
    ]
  }
  if (result?.kind !== 'rejected' || result.expectedHeaderPrefix !== undefined) return []
  if (isAboutService(result.reason) || result.reason === 'request') return []
  return [explainServiceError(result, { ...facts, setting })]
}

const isOfAuthType = (result: ProbeResult) =>
  result.kind === 'rejected' && ['auth-type', 'auth-type-missing'].includes(result.reason)

function reachability(facts: ServiceFacts) {
  const { madeUp, baseUrl } = facts
  if (madeUp.kind === 'accepted')
    return fail(
      `${baseUrl} accepted an invalid token; it doesn't look like the search service.`,
      "SERVICE_BASE_URL: set it to the base URL of the service's backend",
    )
  if (madeUp.kind === 'unreachable' || isAboutService(madeUp.reason))
    return explainServiceError(madeUp, { ...facts, setting: '' })
  // A firewall may answer anything with 403, and any server an unknown request with 400.
  if (['scope', 'request', 'intermediary'].includes(madeUp.reason))
    return warn(
      `${baseUrl} may not be the Client API: it responds to an invalid token with ${madeUp.status}.`,
      'SERVICE_BASE_URL: check the URL, and that no firewall or gateway responds instead of the service',
    )
  return ok(`Client API found at ${baseUrl}; it rejects invalid tokens (${madeUp.status}).`)
}

function tokenIssuer(facts: ServiceFacts, { settings }: DoctorContext) {
  const { baseUrl, prefix, madeUp, user, global } = facts
  const { TOKEN_ISSUED_BY: by, OIDC_ISSUER: issuer } = settings
  const rejections = [madeUp, user, global].filter((result) => result?.kind === 'rejected')
  const prefixRejection = rejections.find(({ expectedHeaderPrefix }) => expectedHeaderPrefix !== undefined)
  if (prefixRejection !== undefined) return explainServiceError(prefixRejection, { ...facts, setting: '' })
  if (by === 'external-idp')
    return isOfAuthType(madeUp)
      ? fail(
          `The service responds as if it hadn't received ${prefix}-Auth-Type, although onramp sent ${prefix}-Auth-Type: OAUTH.`,
          "SERVICE_BASE_URL, SERVICE_HEADER_PREFIX: make sure that no proxy removes the header, that the service's headers begin with this prefix, and that it accepts tokens from OIDC_ISSUER",
        )
      : ok(`onramp sends ${prefix}-Auth-Type: OAUTH with every access token (external-idp).`)
  if (issuer === undefined || new URL(issuer).origin === new URL(baseUrl).origin) return undefined
  return isOfAuthType(madeUp)
    ? warn(
        'The service treats unknown tokens as its own (Invalid Secret), and OIDC_ISSUER has another origin.',
        'TOKEN_ISSUED_BY: if OIDC_ISSUER is an external identity provider, set it to external-idp',
      )
    : skip(
        'OIDC_ISSUER and the service have different origins. Only a sign-in shows whether the service issues the tokens. If it is an external identity provider, set TOKEN_ISSUED_BY to external-idp.',
      )
}

function finalRedirect({ redirectTrial }: ServiceFacts) {
  if (redirectTrial === undefined) return undefined
  const { redirect, without, withRedirect: result } = redirectTrial
  if (result.kind === 'rejected' && result.reason === 'request')
    return fail(
      `The service rejected ${redirect} as a final_redirect_url (${result.status}).`,
      'PUBLIC_URL: allow this URL in the service, or fix PUBLIC_URL',
    )
  const shape = result.kind === 'accepted' ? result.shape : undefined
  if (shape === undefined || without.shape === undefined) return undefined
  if (shape.namesRedirect || shape.parameters > without.shape.parameters)
    return ok(`After consent, the service redirects back to ${redirect}`)
  return warn(
    "The service's connection links don't seem to contain the final_redirect_url.",
    "PUBLIC_URL: have the service's oauth.postAuthRedirectUrl set to PUBLIC_URL/onboarding/callback",
  )
}

export const serviceCheck = createCheck(collect, {
  'service.reachable': reachability,
  'service.token-issuer': tokenIssuer,
  'service.token': (facts, { settings: { SERVICE_GLOBAL_TOKEN: global }, actAs }) => {
    const ofGlobal = tokenFinding(facts, 'SERVICE_GLOBAL_TOKEN', facts.global)
    const isUntried = global !== undefined && !actAs && ofGlobal.length === 0
    return [
      ...tokenFinding(facts, 'SERVICE_USER_TOKEN', facts.user),
      ...ofGlobal,
      isUntried && skip('SERVICE_GLOBAL_TOKEN requires a person to look up: --as EMAIL.'),
    ]
  },
  'service.final-redirect': finalRedirect,
})
