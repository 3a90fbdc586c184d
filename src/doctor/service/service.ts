// Is the Client API at SERVICE_BASE_URL, do the service tokens work, do consents lead back, and what of it ends soon?
import { CALLBACK_PATH } from '../../onboarding/paths.ts'
import { STANDARD_HEADER_PREFIX, type Credentials } from '../../client-api/credentials.ts'
import type { Reply } from '../../client-api/inquiry.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, skip, warn, type Finding, type Findings } from '../finding.ts'
import { isAboutService, unansweredFinding } from './refusals.ts'

/** No secret: a made-up token. */
const PROBE_TOKEN = 'onramp-doctor-made-up-token'

const prefixOf = ({ settings }: Pick<Subject, 'settings'>): string =>
  settings.SERVICE_HEADER_PREFIX ?? STANDARD_HEADER_PREFIX

/** @returns undefined without SERVICE_BASE_URL */
export const askWithMadeUpToken = async ({ service, settings }: Subject) =>
  await service({
    kind: 'oauth',
    accessToken: PROBE_TOKEN,
    externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
  })

export async function serviceReachable(subject: Subject): Promise<Finding> {
  const reply = await askWithMadeUpToken(subject)
  const { SERVICE_BASE_URL: baseUrl = '' } = subject.settings
  if (reply === undefined) return missing('SERVICE_BASE_URL')
  if (reply.kind === 'answered')
    return fail(`${baseUrl} accepted an invalid token; it doesn't look like the search service.`, {
      settings: ['SERVICE_BASE_URL'],
      fix: "set it to the base URL of the service's backend",
    })
  if (reply.kind === 'silent' || isAboutService(reply.reason))
    return unansweredFinding(reply, { setting: '', baseUrl, prefix: prefixOf(subject), naming: '' })
  // A firewall answers anything with 403, and any server a request that it doesn't understand with 400.
  if (reply.reason === 'scope' || reply.reason === 'request' || reply.reason === 'in-front')
    return warn(
      `${baseUrl} may not be the Client API: it responds to an invalid token with ${reply.status}.`,
      {
        settings: ['SERVICE_BASE_URL'],
        fix: 'check the URL, and that no firewall or gateway responds instead of the service',
      },
    )
  return ok(`Client API found at ${baseUrl}; it rejects invalid tokens (${reply.status}).`)
}

function tokenFinding(reply: Reply, setting: string, { settings }: Pick<Subject, 'settings'>): Finding {
  if (reply.kind === 'silent') return skip("the service isn't responding.")
  if (reply.kind === 'answered') {
    const count = reply.left.length
    return ok(`${setting} works: its owner has ${count} ${count === 1 ? 'app' : 'apps'} left to connect.`)
  }
  return isAboutService(reply.reason) || reply.reason === 'request'
    ? skip(`couldn't test ${setting} (${reply.status}).`)
    : unansweredFinding(reply, {
        setting,
        baseUrl: settings.SERVICE_BASE_URL ?? '',
        prefix: prefixOf({ settings }),
        naming: '--as EMAIL',
      })
}

/** Refused as a service token; perhaps it is an access token, which shows who issues them. */
async function asAccessToken({ service, settings }: Subject, token: string): Promise<Finding | undefined> {
  const reply = await service({ kind: 'oauth', accessToken: token, externalIdp: true })
  if (reply?.kind !== 'answered') return undefined
  const says = 'SERVICE_USER_TOKEN is an access token of an external identity provider'
  return settings.TOKEN_ISSUED_BY === 'external-idp'
    ? ok(`${says}; the service accepts it with ${prefixOf({ settings })}-Auth-Type (TOKEN_ISSUED_BY).`)
    : fail(`${says}: the service rejects it without ${prefixOf({ settings })}-Auth-Type (Invalid Secret).`, {
        settings: ['TOKEN_ISSUED_BY'],
        fix: 'set it to external-idp',
      })
}

async function userToken(subject: Subject): Promise<Finding | undefined> {
  const { SERVICE_USER_TOKEN: token } = subject.settings
  const reply = token === undefined ? undefined : await subject.service({ kind: 'user-token', token })
  if (token === undefined || reply === undefined) return undefined
  const isOtherKind = reply.kind === 'refused' && reply.reason.startsWith('auth-type')
  const issuer = isOtherKind ? await asAccessToken(subject, token) : undefined
  return issuer ?? tokenFinding(reply, 'SERVICE_USER_TOKEN', subject)
}

async function globalToken({ service, settings, actAs }: Subject): Promise<Finding | undefined> {
  const { SERVICE_GLOBAL_TOKEN: token } = settings
  if (token === undefined) return undefined
  if (actAs === undefined) return skip('SERVICE_GLOBAL_TOKEN requires a person to look up: --as EMAIL.')
  const reply = await service({ kind: 'global-token', token, actAs })
  return reply === undefined ? undefined : tokenFinding(reply, 'SERVICE_GLOBAL_TOKEN', { settings })
}

/** Used as the command line uses them (contract sections 5 and 7). */
export async function serviceToken(subject: Subject): Promise<Findings> {
  const { SERVICE_USER_TOKEN: user, SERVICE_GLOBAL_TOKEN: global } = subject.settings
  if (user === undefined && global === undefined) return skip('no service token configured.')
  if (subject.settings.SERVICE_BASE_URL === undefined) return missing('SERVICE_BASE_URL')
  return [await userToken(subject), await globalToken(subject)]
}

/** A service token, which sees the list of one person. */
function credentialsOf({ settings, actAs }: Subject): Credentials | undefined {
  const { SERVICE_GLOBAL_TOKEN: global, SERVICE_USER_TOKEN: user } = settings
  if (global !== undefined && actAs !== undefined) return { kind: 'global-token', token: global, actAs }
  return user === undefined ? undefined : { kind: 'user-token', token: user }
}

type Answered = Extract<Reply, { kind: 'answered' }>

function wayBackFinding(without: Answered, reply: Reply | undefined, redirect: string): Finding {
  if (reply?.kind === 'refused' && reply.reason === 'request')
    return fail(`The service rejected ${redirect} as a final_redirect_url (${reply.status}).`, {
      settings: ['PUBLIC_URL'],
      fix: 'allow this URL in the service, or fix PUBLIC_URL',
    })
  if (reply?.kind !== 'answered')
    return skip("the service didn't respond to a request with a final_redirect_url.")
  const { shape } = reply
  if (shape === undefined || without.shape === undefined)
    return skip('that person has nothing left to connect; try someone else.')
  if (shape.namesRedirect) return ok(`After consent, the service redirects to ${redirect}`)
  return shape.parameters > without.shape.parameters
    ? ok('After consent, the service redirects back (the URL is encoded in its path).')
    : warn("The service's connection links don't seem to contain the final_redirect_url.", {
        settings: ['PUBLIC_URL'],
        fix: `have the service's oauth.postAuthRedirectUrl set to PUBLIC_URL${CALLBACK_PATH}`,
      })
}

/**
 * final_redirect_url: do the paths that the service gives out lead back to onramp? The paths are one-time secrets, so only
 * their shape is known here.
 */
export async function finalRedirect(subject: Subject): Promise<Finding> {
  const { PUBLIC_URL: url } = subject.settings
  const credentials = credentialsOf(subject)
  if (url === undefined) return missing('PUBLIC_URL')
  if (credentials === undefined) return missing('SERVICE_USER_TOKEN, or SERVICE_GLOBAL_TOKEN and --as EMAIL')
  const without = await subject.service(credentials)
  if (without?.kind !== 'answered') return missing('a token that the service accepts')
  const redirect = `${url}${CALLBACK_PATH}`
  const reply = await subject.service(credentials, `${redirect}?step=onramp-doctor`)
  return wayBackFinding(without, reply, redirect)
}

const DAY_MS = 24 * 3600 * 1000
const NEAR_DAYS = 90

/** What of the service ends soon. The caller passes the schedule; without one there is nothing to report. */
export function deprecationDates({ deadlines, now }: Subject): Finding[] {
  if (deadlines.length === 0) return []
  const found = deadlines.flatMap(({ what, replacement: fix, removal }) => {
    const days = Math.ceil((Date.parse(removal) - now()) / DAY_MS)
    if (days > NEAR_DAYS) return []
    return days <= 0
      ? fail(`${what} was removed on ${removal}.`, { fix })
      : warn(`${what} will be removed on ${removal}, in ${days} ${days === 1 ? 'day' : 'days'}.`, { fix })
  })
  return found.length > 0 ? found : [ok(`No API removals in the next ${NEAR_DAYS} days.`)]
}
