// The service: what it answers to a made-up token, to the service tokens, and about the way back from a consent; and what
// that means. Its one-time paths stay in the client. Without a person's token little is certain.
import { type Credentials, STANDARD_HEADER_PREFIX } from '../client-api/credentials.ts'
import { ServiceClient, type ProbeResult } from '../client-api/client.ts'
import type { ErrorReason } from '../client-api/error-response.ts'
import { CONSENT_CALLBACK_PATH } from '../onboarding/paths.ts'
import type { Settings } from '../settings/settings.ts'
import { providerOf } from './providers.ts'
import { type Finding, findingOf, type Named, type DoctorContext, type Table, unheard } from './rule.ts'

type Unanswered = Exclude<ProbeResult, { kind: 'answered' }>

/** Reasons that are about the address, or about the service as a whole; the others are about the token or the question. */
const isAboutService = (reason: ErrorReason): boolean =>
  ['not-there', 'redirected', 'unreadable', 'failing', 'busy'].includes(reason)

/** `setting`: where the token is from; `baseUrl` and `prefix`: SERVICE_BASE_URL and SERVICE_HEADER_PREFIX. */
type Asked = { setting: string; baseUrl: string; prefix: string }

function refusalIn(reply: Unanswered, asked: Asked): Named<'service.refusals'> {
  if (reply.kind === 'unreachable') return { is: 'silent', ...asked, ...unheard(reply.why) }
  const { reason, status, retryAfter, explanation, otherPrefix } = reply
  if (otherPrefix !== undefined) return { is: 'prefix', ...asked, otherPrefix }
  const isGlobal = reason === 'act-as-missing' && asked.setting === 'SERVICE_USER_TOKEN'
  const answer = explanation === '' ? 'It gave no reason' : `It said: “${explanation}”`
  return { is: isGlobal ? 'act-as-needed' : reason, ...asked, status, retryAfter, answer }
}

/** Why the service refused, and which setting to change. `request` quotes the service: for the terminal only. */
export const explain = (reply: Unanswered, asked: Asked): Finding =>
  findingOf('service.refusals', refusalIn(reply, asked))

type ServiceFacts = {
  baseUrl: string
  prefix: string
  madeUp: ProbeResult
  user: ProbeResult | undefined
  /** Without a person to look up, only a personal token has one. */
  global: ProbeResult | undefined
  /** The same list without and with a final_redirect_url. */
  wayBack: { redirect: string; without: ProbeResult; withRedirect: ProbeResult } | undefined
}

/** No secret: a made-up token. */
const MADE_UP = 'onramp-doctor-made-up-token'
const TIME_LIMIT_MS = 8_000

async function look(
  baseUrl: string,
  { settings, actAs }: DoctorContext,
  now: () => number,
): Promise<ServiceFacts> {
  const { SERVICE_HEADER_PREFIX: prefix = STANDARD_HEADER_PREFIX, TOKEN_ISSUED_BY: by } = settings
  const { SERVICE_USER_TOKEN: user, SERVICE_GLOBAL_TOKEN: global } = settings
  const client = new ServiceClient({ baseUrl, headerPrefix: prefix, timeLimitMs: TIME_LIMIT_MS, now })
  const asUser = user ? ({ kind: 'user-token', token: user } as const) : undefined
  const asGlobal = global && actAs ? ({ kind: 'global-token', token: global, actAs } as const) : undefined
  try {
    const externalIdp = by === 'external-idp'
    const madeUp = await client.probe({ kind: 'oauth', accessToken: MADE_UP, externalIdp })
    const replies = {
      user: asUser && (await client.probe(asUser)),
      global: await (asGlobal
        ? client.probe(asGlobal)
        : global
          ? client.probeGlobalToken(global)
          : undefined),
    }
    const without = replies.global ?? replies.user
    const wayBack = await wayBackOf(client, settings, asGlobal ?? asUser, without)
    return { baseUrl, prefix, madeUp, ...replies, wayBack }
  } finally {
    await client.close()
  }
}

async function wayBackOf(
  client: ServiceClient,
  { PUBLIC_URL: publicUrl }: Partial<Settings>,
  credentials: Credentials | undefined,
  without: ProbeResult | undefined,
): Promise<ServiceFacts['wayBack']> {
  if (credentials === undefined || without?.kind !== 'answered' || publicUrl === undefined) return undefined
  const redirect = `${publicUrl}${CONSENT_CALLBACK_PATH}`
  return {
    redirect,
    without,
    withRedirect: await client.probe(credentials, `${redirect}?step=onramp-doctor`),
  }
}

const explained = (reply: Unanswered, { baseUrl, prefix }: ServiceFacts, setting = '') =>
  refusalIn(reply, { baseUrl, prefix, setting })

/** How one of the service tokens fared. What is wrong with the address, or with every header, has its own finding. */
function tokenFinding(facts: ServiceFacts, setting: string, reply: ProbeResult | undefined) {
  if (reply?.kind === 'answered') {
    const apps = (count: number) => `${count} ${count === 1 ? 'app' : 'apps'}`
    const broken = reply.left.filter(({ status }) => status === 'attention').length
    const works = { is: 'works', setting, count: apps(reply.left.length) } as const
    return broken === 0 ? works : [works, { is: 'no-address', setting, count: apps(broken) } as const]
  }
  if (reply?.kind !== 'rejected' || reply.otherPrefix !== undefined) return []
  return isAboutService(reply.reason) || reply.reason === 'request' ? [] : explained(reply, facts, setting)
}

/** An address at which only identity providers are. */
const isProvider = (issuer: string): boolean =>
  providerOf({ issuer }) !== undefined || new URL(issuer).pathname.startsWith('/realms/')

const isOfAuthType = (reply: ProbeResult) =>
  reply.kind === 'rejected' && ['auth-type', 'auth-type-missing'].includes(reply.reason)

const table: Table<ServiceFacts> = {
  'service.reachable': [
    (facts) => {
      const { madeUp, baseUrl } = facts
      if (madeUp.kind === 'answered') return { is: 'credulous', baseUrl }
      if (madeUp.kind === 'unreachable' || isAboutService(madeUp.reason)) return explained(madeUp, facts)
      // A firewall answers anything with 403, and any server a request that it doesn't understand with 400.
      const isDoubtful = ['scope', 'request', 'in-front'].includes(madeUp.reason)
      return { is: isDoubtful ? 'doubtful' : 'fine', baseUrl, status: madeUp.status }
    },
  ],
  'service.token-issuer': [
    (facts) => {
      const refused = [facts.madeUp, facts.user, facts.global].filter((reply) => reply?.kind === 'rejected')
      const other = refused.find(({ otherPrefix }) => otherPrefix !== undefined)
      return other && explained(other, facts)
    },
    ({ madeUp, prefix }, { settings: { TOKEN_ISSUED_BY: by } }) =>
      by === 'external-idp' && { is: isOfAuthType(madeUp) ? 'header' : 'external', prefix },
    ({ baseUrl, madeUp }, { settings: { OIDC_ISSUER: issuer } }) => {
      if (issuer === undefined || new URL(issuer).origin === new URL(baseUrl).origin) return undefined
      if (isProvider(issuer)) return 'provider'
      return isOfAuthType(madeUp) ? 'own' : 'elsewhere'
    },
  ],
  'service.token': [
    (facts, { settings: { SERVICE_GLOBAL_TOKEN: global }, actAs }) => [
      ...[tokenFinding(facts, 'SERVICE_USER_TOKEN', facts.user)].flat(),
      ...[tokenFinding(facts, 'SERVICE_GLOBAL_TOKEN', facts.global)].flat(),
      ...(global && !actAs && !facts.global ? (['no-person'] as const) : []),
    ],
  ],
  'service.final-redirect': [
    ({ wayBack }) => {
      if (wayBack === undefined) return undefined
      const { redirect, without, withRedirect: reply } = wayBack
      if (reply.kind === 'rejected' && reply.reason === 'request')
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
