// What the authorization server says of itself, found in the same way as the server finds it.
import type { AuthorizationServer as Metadata } from 'oauth4webapi'
import { silenceInWords } from '../../client-api/silence.ts'
import {
  findMetadata,
  isOfEveryTenant,
  type Attempt,
  type Discovery,
} from '../../sign-in/server/discovery.ts'
import { fail, publicAddress, unreached, warn, type Finding } from '../finding.ts'

export type { Metadata }

/** A server may send anything: an address that is no text, or a list that is none, counts as absent. */
function isUsable([name, value]: [string, unknown]): boolean {
  if (name.endsWith('s_supported'))
    return Array.isArray(value) && value.every((one) => typeof one === 'string')
  return typeof value === 'string' || !/_(endpoint|uri)$/.test(name)
}

/** The Date header, and when the answer came by our own clock; milliseconds since 1970. */
type Times = { theirs: number | undefined; ours: number }

export type Discovered =
  | { kind: 'found'; how: 'OpenID Connect' | 'OAuth 2.1 (RFC 8414)'; metadata: Metadata; answer: Times }
  | { kind: 'missing'; finding: Finding }
  /** OIDC_ISSUER cannot be read. */
  | { kind: 'unknown' }

const TIME_LIMIT_SECONDS = 8
const settings = ['OIDC_ISSUER']

/** Why there is no metadata. */
function missing(issuer: string, attempts: Attempt[]): Finding {
  const silence = attempts.map((attempt) => attempt.silence).find((why) => why !== undefined)
  if (silence !== undefined)
    return fail(
      `The authorization server at ${issuer} cannot be reached: ${silenceInWords(silence)}.`,
      unreached(silence, settings),
    )
  const answers = attempts.map(({ says }) => says).join('; ')
  if ((attempts[0]?.status ?? 0) >= 500)
    return fail(`The authorization server at ${issuer} returned an error (${answers}).`, {
      settings,
      fix: 'try again later, or check the URL',
    })
  const barred = attempts.find(({ status = 0 }) => [401, 403, 407, 429].includes(status))?.status
  if (barred === 429)
    return warn(`The authorization server at ${issuer} is limiting requests (${answers}).`, {
      settings,
      fix: 'try again in a few minutes',
    })
  if (barred !== undefined)
    return fail(`The server at ${issuer} is blocking this machine (${answers}).`, {
      settings,
      fix: 'allow this machine in the firewall or gateway in front of it, and check the URL',
    })
  return fail(`No authorization server metadata at ${issuer} (${answers}).`, {
    settings,
    fix: 'check the URL, including its path, like /oauth2/default, /realms/NAME or /TENANT/v2.0',
  })
}

/** OpenID Connect Discovery 1.0, 4.3: exactly the same, or answers of one server could pass for those of another. */
function otherIssuer(issuer: string, found: Discovery & { kind: 'other-issuer' }): Finding {
  if (isOfEveryTenant(found.issuer))
    return fail(`The authorization server at ${issuer} stands for every tenant.`, {
      settings,
      fix: "set it to your tenant's own issuer, https://login.microsoftonline.com/TENANT_ID/v2.0: people of other tenants must not sign in",
    })
  const known = publicAddress(found.issuer)
  const exact = known !== undefined && found.issuer.endsWith('/') ? `${known}/` : known
  const isSlash = found.issuer.replace(/\/$/, '') === found.expected.replace(/\/$/, '')
  const slash = isSlash ? ', which differs in the trailing slash' : ''
  return fail(`Issuer mismatch: ${issuer} identifies itself as ${exact ?? 'something else'}${slash}.`, {
    settings,
    fix:
      exact === undefined
        ? 'set it to exactly the issuer that the server uses'
        : `set it to exactly ${exact} if that's the server you want`,
  })
}

export async function discoverOnce(issuer: string | undefined, now: () => number): Promise<Discovered> {
  if (issuer === undefined) return { kind: 'unknown' }
  const discovery = await findMetadata(issuer, TIME_LIMIT_SECONDS)
  if (discovery.kind === 'other-issuer') return { kind: 'missing', finding: otherIssuer(issuer, discovery) }
  if (discovery.kind === 'missing') return { kind: 'missing', finding: missing(issuer, discovery.attempts) }
  const theirs = Date.parse(discovery.date ?? '')
  return {
    kind: 'found',
    how: discovery.how === 'oidc' ? 'OpenID Connect' : 'OAuth 2.1 (RFC 8414)',
    metadata: Object.fromEntries(Object.entries(discovery.metadata).filter(isUsable)) as Metadata,
    answer: { theirs: Number.isNaN(theirs) ? undefined : theirs, ours: now() },
  }
}
