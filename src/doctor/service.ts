// The service: what it answers to a made-up token, to the service tokens, and about the way back from a consent; and what
// that means. Its one-time paths stay in the inquiry. Without a person's token little is certain.
import { createInquiry, type Inquiry, type Reply } from '../client-api/inquiry.ts'
import type { RefusalReason } from '../client-api/refusal.ts'
import { type Credentials, STANDARD_HEADER_PREFIX } from '../client-api/credentials.ts'
import { CALLBACK_PATH } from '../onboarding/paths.ts'
import { type Finding, findingOf, type Setup, type Table, unheard } from './rule.ts'

export type Unanswered = Exclude<Reply, { kind: 'answered' }>

/** Reasons that are about the address, or about the service as a whole; the others are about the token or the question. */
const isAboutService = (reason: RefusalReason): boolean =>
  ['not-there', 'redirected', 'unreadable', 'failing', 'busy'].includes(reason)

export type Question = {
  /** Which setting the token is from. */
  setting: string
  /** SERVICE_BASE_URL. */
  baseUrl: string
  /** SERVICE_HEADER_PREFIX. */
  prefix: string
  /** How the person of a global token is named, like `--as EMAIL`. */
  naming: string
}

/**
 * Why the service did not answer the question, and which setting to change. A refused question (`request`) repeats what
 * the service said, which is for the terminal only.
 */
export function explain(reply: Unanswered, question: Question): Finding {
  if (reply.kind === 'silent')
    return findingOf('service.refusals', { is: 'silent', ...question, ...unheard(reply.why) })
  const { reason, status, retryAfter, explanation, otherPrefix } = reply
  if (otherPrefix !== undefined)
    return findingOf('service.refusals', { is: 'prefix', ...question, otherPrefix })
  const isGlobal = reason === 'act-as-missing' && question.setting === 'SERVICE_USER_TOKEN'
  const answer = explanation === '' ? 'It gave no reason' : `It said: “${explanation}”`
  return findingOf('service.refusals', {
    is: isGlobal ? 'act-as-needed' : reason,
    ...question,
    status,
    retryAfter,
    answer,
  })
}

type ServiceFacts = {
  /** SERVICE_BASE_URL. */
  baseUrl: string
  /** SERVICE_HEADER_PREFIX. */
  prefix: string
  madeUp: Reply
  user: Reply | undefined
  global: Reply | undefined
  /** The same list without and with a final_redirect_url. */
  wayBack: { redirect: string; without: Reply; withRedirect: Reply } | undefined
}

/** No secret: a made-up token. */
const MADE_UP = 'onramp-doctor-made-up-token'
const TIME_LIMIT_MS = 8_000

async function look(baseUrl: string, { settings, actAs }: Setup, now: () => number): Promise<ServiceFacts> {
  const prefix = settings.SERVICE_HEADER_PREFIX ?? STANDARD_HEADER_PREFIX
  const { SERVICE_USER_TOKEN: user, SERVICE_GLOBAL_TOKEN: global } = settings
  const inquiry = createInquiry({ baseUrl, headerPrefix: prefix, timeLimitMs: TIME_LIMIT_MS, now })
  const asUser: Credentials | undefined = user === undefined ? undefined : { kind: 'user-token', token: user }
  const asGlobal: Credentials | undefined =
    global === undefined || actAs === undefined ? undefined : { kind: 'global-token', token: global, actAs }
  try {
    const madeUp = await inquiry.ask({
      kind: 'oauth',
      accessToken: MADE_UP,
      externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
    })
    const users = asUser && (await inquiry.ask(asUser))
    const globals = asGlobal && (await inquiry.ask(asGlobal))
    return {
      baseUrl,
      prefix,
      madeUp,
      user: users,
      global: globals,
      wayBack: await wayBackOf(inquiry, asGlobal ?? asUser, globals ?? users, settings.PUBLIC_URL),
    }
  } finally {
    await inquiry.close()
  }
}

async function wayBackOf(
  inquiry: Inquiry,
  credentials: Credentials | undefined,
  without: Reply | undefined,
  publicUrl: string | undefined,
): Promise<ServiceFacts['wayBack']> {
  if (credentials === undefined || without?.kind !== 'answered' || publicUrl === undefined) return undefined
  const redirect = `${publicUrl}${CALLBACK_PATH}`
  return { redirect, without, withRedirect: await inquiry.ask(credentials, `${redirect}?step=onramp-doctor`) }
}

const explained = (reply: Unanswered, { baseUrl, prefix }: ServiceFacts, setting = ''): Finding =>
  explain(reply, { baseUrl, prefix, setting, naming: '--as EMAIL' })

/** How one of the service tokens fared. What is wrong with the address, or with every header, has its own finding. */
function tokenFinding(facts: ServiceFacts, setting: string, reply: Reply | undefined) {
  if (reply?.kind === 'answered') {
    const { length } = reply.left
    return { is: 'works', setting, count: `${length} ${length === 1 ? 'app' : 'apps'}` } as const
  }
  if (reply?.kind !== 'refused' || reply.otherPrefix !== undefined) return []
  return isAboutService(reply.reason) || reply.reason === 'request' ? [] : explained(reply, facts, setting)
}

const PROVIDERS =
  /(^|\.)(okta(preview|-emea)?\.com|auth0\.com|microsoftonline\.(com|us)|sts\.windows\.net|accounts\.google\.com|onelogin\.com|pingone\.\w+|pingidentity\.com|jumpcloud\.com|duosecurity\.com|amazoncognito\.com)$/

/** An address at which only identity providers are. */
const isProvider = ({ hostname, pathname }: URL): boolean =>
  PROVIDERS.test(hostname) || pathname.startsWith('/realms/')

/** OIDC_ISSUER, where TOKEN_ISSUED_BY=service and the issuer is elsewhere than the service. */
function issuerElsewhere({ baseUrl }: ServiceFacts, { settings }: Setup): URL | undefined {
  const { TOKEN_ISSUED_BY: by, OIDC_ISSUER: issuer } = settings
  if (by !== 'service' || issuer === undefined) return undefined
  return new URL(issuer).origin === new URL(baseUrl).origin ? undefined : new URL(issuer)
}

const isOfAuthType = (reply: Reply) =>
  reply.kind === 'refused' && ['auth-type', 'auth-type-missing'].includes(reply.reason)

const table: Table<ServiceFacts> = {
  'service.reachable': [
    (facts) => {
      const { madeUp, baseUrl } = facts
      if (madeUp.kind === 'answered') return { is: 'credulous', baseUrl }
      if (madeUp.kind === 'silent' || isAboutService(madeUp.reason)) return explained(madeUp, facts)
      // A firewall answers anything with 403, and any server a request that it doesn't understand with 400.
      const isDoubtful = ['scope', 'request', 'in-front'].includes(madeUp.reason)
      return { is: isDoubtful ? 'doubtful' : 'fine', baseUrl, status: madeUp.status }
    },
  ],
  'service.token-issuer': [
    (facts) => {
      const refused = [facts.madeUp, facts.user, facts.global].filter((reply) => reply?.kind === 'refused')
      const other = refused.find(({ otherPrefix }) => otherPrefix !== undefined)
      return other && explained(other, facts)
    },
    ({ madeUp, prefix }, { settings: { TOKEN_ISSUED_BY: by } }) =>
      by === 'external-idp' && { is: isOfAuthType(madeUp) ? 'header' : 'external', prefix },
    (facts, setup) => {
      const issuer = issuerElsewhere(facts, setup)
      if (issuer === undefined) return undefined
      if (isProvider(issuer)) return 'provider'
      return isOfAuthType(facts.madeUp) ? 'own' : 'elsewhere'
    },
  ],
  'service.token': [
    (facts, { settings: { SERVICE_GLOBAL_TOKEN: global }, actAs }) => {
      const isUntried = global !== undefined && actAs === undefined
      return [
        tokenFinding(facts, 'SERVICE_USER_TOKEN', facts.user),
        tokenFinding(facts, 'SERVICE_GLOBAL_TOKEN', facts.global),
        isUntried ? ('no-person' as const) : [],
      ].flat()
    },
  ],
  'service.final-redirect': [
    ({ wayBack }) => {
      if (wayBack === undefined) return undefined
      const { redirect, without, withRedirect: reply } = wayBack
      if (reply.kind === 'refused' && reply.reason === 'request')
        return { is: 'refused', redirect, status: reply.status }
      if (reply.kind !== 'answered' || without.kind !== 'answered') return undefined
      const [before, after] = [without.shape, reply.shape]
      if (before === undefined || after === undefined) return undefined
      const isNamed = after.namesRedirect || after.parameters > before.parameters
      return isNamed ? { is: 'fine', redirect } : 'ignored'
    },
  ],
}

export const service = { look, table }
