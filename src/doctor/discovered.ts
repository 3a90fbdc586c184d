// What the authorization server says of itself: OpenID Connect Discovery 1.0 first, then RFC 8414, as the server does.
import { z } from 'zod'
import { silenceInWords } from '../client-api/silence.ts'
import { ask, type Answer, type Asked } from './ask.ts'
import { fail, skip, type Finding, type Subject } from './check.ts'

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
  end_session_endpoint: optionalText,
  pushed_authorization_request_endpoint: optionalText,
  require_pushed_authorization_requests: z.boolean().optional().catch(undefined),
  scopes_supported: optionalList,
  claims_supported: optionalList,
  response_types_supported: optionalList,
  grant_types_supported: optionalList,
  code_challenge_methods_supported: optionalList,
  token_endpoint_auth_methods_supported: optionalList,
})

export type Metadata = z.infer<typeof metadataSchema>

export type Discovered =
  | { kind: 'found'; how: 'OpenID Connect' | 'OAuth 2.1 (RFC 8414)'; metadata: Metadata; answer: Answer }
  | { kind: 'missing'; finding: Finding }
  /** OIDC_ISSUER cannot be read. */
  | { kind: 'unknown' }

function addressesOf(issuer: string) {
  const [appended, inserted] = [new URL(issuer), new URL(issuer)]
  const path = appended.pathname.replace(/\/$/, '')
  appended.pathname = `${path}/.well-known/openid-configuration`
  inserted.pathname = `/.well-known/oauth-authorization-server${path}`
  return { appended, inserted }
}

const readMetadata = (asked: Asked): Metadata | undefined => {
  if (asked.kind !== 'answer' || asked.status !== 200) return undefined
  try {
    return metadataSchema.safeParse(JSON.parse(asked.text)).data
  } catch {
    return undefined
  }
}

/** Why there is no metadata, and that OIDC_ISSUER is what to look at. */
function missing(issuer: string, asked: Asked): Finding {
  const settings = ['OIDC_ISSUER']
  if (asked.kind === 'silent')
    return fail(`The authorization server at ${issuer} cannot be reached: ${silenceInWords[asked.why]}.`, {
      settings,
      mend: 'check the address, and that this machine may reach it',
    })
  if (asked.status >= 500)
    return fail(`The authorization server at ${issuer} fails (${asked.status}).`, {
      settings,
      mend: 'try again later, or check the address',
    })
  return fail(`There is no metadata of an authorization server at ${issuer} (${asked.status}).`, {
    settings,
    mend: 'check the address; the path is part of it, like /oauth2/default, /realms/NAME or /TENANT/v2.0',
  })
}

export async function discoverOnce(issuer: string | undefined, now: () => number): Promise<Discovered> {
  if (issuer === undefined) return { kind: 'unknown' }
  const { appended, inserted } = addressesOf(issuer)
  const headers = { accept: 'application/json' }
  const first = await ask(appended, now, { headers })
  const oidc = readMetadata(first)
  if (oidc !== undefined && first.kind === 'answer')
    return { kind: 'found', how: 'OpenID Connect', metadata: oidc, answer: first }
  // Who does not answer once will not answer twice.
  if (first.kind === 'silent') return { kind: 'missing', finding: missing(issuer, first) }
  const second = await ask(inserted, now, { headers })
  const oauth = readMetadata(second)
  if (oauth !== undefined && second.kind === 'answer')
    return { kind: 'found', how: 'OAuth 2.1 (RFC 8414)', metadata: oauth, answer: second }
  return { kind: 'missing', finding: missing(issuer, first) }
}

/** For checks that need the metadata: what they find, or that they have to wait for it. */
export async function withMetadata(
  { authorizationServer }: Subject,
  look: (metadata: Metadata) => Finding[] | Promise<Finding[]>,
): Promise<Finding[]> {
  const discovered = await authorizationServer()
  return discovered.kind === 'found' ? await look(discovered.metadata) : [skip('needs the metadata first.')]
}
