// What the authorization server says of itself, found in the very way in which the server finds it.
import { z } from 'zod'
import { silenceInWords } from '../../client-api/silence.ts'
import { findMetadata, type Attempt, type Discovery } from '../../sign-in/server/discovery.ts'
import { fail, publicAddress, type Finding } from '../finding.ts'

const optionalText = z.string().optional().catch(undefined)
const optionalList = z.array(z.string()).optional().catch(undefined)

const metadataSchema = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: optionalText,
  token_endpoint: optionalText,
  jwks_uri: optionalText,
  userinfo_endpoint: optionalText,
  registration_endpoint: optionalText,
  revocation_endpoint: optionalText,
  introspection_endpoint: optionalText,
  end_session_endpoint: optionalText,
  pushed_authorization_request_endpoint: optionalText,
  require_pushed_authorization_requests: z.boolean().optional().catch(undefined),
  scopes_supported: optionalList,
  claims_supported: optionalList,
  response_types_supported: optionalList,
  grant_types_supported: optionalList,
  code_challenge_methods_supported: optionalList,
  token_endpoint_auth_methods_supported: optionalList,
  revocation_endpoint_auth_methods_supported: optionalList,
})

export type Metadata = z.infer<typeof metadataSchema>

/** The Date header, and when the answer came by our own clock; milliseconds since 1970. */
type Times = { theirs: number | undefined; ours: number }

export type Discovered =
  | { kind: 'found'; how: 'OpenID Connect' | 'OAuth 2.1 (RFC 8414)'; metadata: Metadata; answer: Times }
  | { kind: 'missing'; finding: Finding }
  /** OIDC_ISSUER cannot be read. */
  | { kind: 'unknown' }

const TIME_LIMIT_SECONDS = 8
const settings = ['OIDC_ISSUER']

/** Why there is no metadata, and that OIDC_ISSUER is what to look at. */
function missing(issuer: string, attempts: Attempt[]): Finding {
  const silent = attempts.find(({ silence }) => silence !== undefined)
  if (silent?.silence !== undefined)
    return fail(
      `The authorization server at ${issuer} cannot be reached: ${silenceInWords[silent.silence]}.`,
      {
        settings,
        fix: 'check the address, and that this machine may reach it',
      },
    )
  const told = attempts.map(({ says }) => says).join('; ')
  const [{ status = 0 } = { status: 0 }] = attempts
  if (status >= 500)
    return fail(`The authorization server at ${issuer} fails (${told}).`, {
      settings,
      fix: 'try again later, or check the address',
    })
  return fail(`There is no metadata of an authorization server at ${issuer} (${told}).`, {
    settings,
    fix: 'check the address; the path is part of it, like /oauth2/default, /realms/NAME or /TENANT/v2.0',
  })
}

/** OpenID Connect Discovery 1.0, 4.3: exactly the same, or answers of one server could pass for those of another. */
function otherIssuer(
  issuer: string,
  { issuer: said, expected }: Discovery & { kind: 'other-issuer' },
): Finding {
  const known = publicAddress(said)
  const exact = known !== undefined && said.endsWith('/') ? `${known}/` : known
  const slash = said.replace(/\/$/, '') === expected.replace(/\/$/, '')
  return fail(
    `The authorization server at ${issuer} calls itself ${exact ?? 'something else'}${slash ? ', which differs in the slash at the end' : ''}.`,
    {
      settings,
      fix:
        exact === undefined
          ? 'set it to the issuer, exactly as the server writes it'
          : `set it to exactly ${exact} if that is the one that you mean`,
    },
  )
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
    metadata: metadataSchema.parse(discovery.metadata),
    answer: { theirs: Number.isNaN(theirs) ? undefined : theirs, ours: now() },
  }
}
