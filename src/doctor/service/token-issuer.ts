// TOKEN_ISSUED_BY: whether X-Service-Auth-Type goes out. Without a person's token only two things can be known: where the
// issuer is, and what the service says to a made-up token.
import { STANDARD_HEADER_PREFIX } from '../../client-api/credentials.ts'
import type { RefusalReason } from '../../client-api/refusal.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, skip, warn, type Finding } from '../finding.ts'
import { otherHeaders } from './refusals.ts'
import { askWithMadeUpToken } from './service.ts'

const PROVIDERS =
  /(^|\.)(okta(preview|-emea)?\.com|auth0\.com|microsoftonline\.(com|us)|sts\.windows\.net|accounts\.google\.com|onelogin\.com|pingone\.\w+|pingidentity\.com|jumpcloud\.com|duosecurity\.com|amazoncognito\.com)$/

/** An address at which only identity providers are. */
export const isProvider = (issuer: string) => {
  const { hostname, pathname } = new URL(issuer)
  return PROVIDERS.test(hostname) || pathname.startsWith('/realms/')
}

/** TOKEN_ISSUED_BY=external-idp: the header was sent, so that setting is not at fault. */
function withHeader(reason: RefusalReason | undefined, header: string): Finding {
  if (reason === 'auth-type-missing')
    return fail(`The service didn't receive ${header}, although onramp sent it.`, {
      settings: ['SERVICE_BASE_URL'],
      fix: 'make sure no proxy between here and the service removes the header',
    })
  if (reason === 'auth-type')
    return warn(`The service responds with Invalid Secret, although onramp sent ${header}: OAUTH.`, {
      settings: ['SERVICE_BASE_URL', 'SERVICE_HEADER_PREFIX'],
      fix: "make sure that no proxy removes the header, that the service's headers begin so, and that it accepts tokens from OIDC_ISSUER",
    })
  return ok(`onramp sends ${header}: OAUTH with every access token (external-idp).`)
}

/** TOKEN_ISSUED_BY=service: only the addresses and one refusal give a hint who issues tokens. */
function withoutHeader(reason: RefusalReason | undefined, issuer: string, base: string): Finding {
  const external = { settings: ['TOKEN_ISSUED_BY'], fix: 'set it to external-idp' }
  if (new URL(issuer).origin === new URL(base).origin)
    return ok(
      'OIDC_ISSUER has the same origin as the service, which issues the tokens (TOKEN_ISSUED_BY=service).',
    )
  if (isProvider(issuer))
    return fail(
      'OIDC_ISSUER is an identity provider, but TOKEN_ISSUED_BY says that the service issues tokens.',
      external,
    )
  if (reason === 'auth-type' || reason === 'auth-type-missing')
    return warn(
      'The service treats unknown tokens as its own (Invalid Secret), and OIDC_ISSUER has another origin.',
      { ...external, fix: 'if OIDC_ISSUER is an external identity provider, set it to external-idp' },
    )
  return skip(
    'OIDC_ISSUER and the service have different origins. Only a sign-in shows whether the service issues the tokens. If it is an external identity provider, set TOKEN_ISSUED_BY to external-idp.',
  )
}

export async function tokenIssuer(subject: Subject): Promise<Finding> {
  const { TOKEN_ISSUED_BY: by, OIDC_ISSUER: issuer, SERVICE_BASE_URL: base } = subject.settings
  if (by === undefined || issuer === undefined || base === undefined)
    return missing('TOKEN_ISSUED_BY, OIDC_ISSUER and SERVICE_BASE_URL')
  const reply = await askWithMadeUpToken(subject)
  const reason = reply?.kind === 'refused' ? reply.reason : undefined
  const prefix = subject.settings.SERVICE_HEADER_PREFIX ?? STANDARD_HEADER_PREFIX
  if (reply?.kind === 'refused' && reply.otherPrefix !== undefined)
    return otherHeaders(reply.otherPrefix, prefix)
  return by === 'external-idp'
    ? withHeader(reason, `${prefix}-Auth-Type`)
    : withoutHeader(reason, issuer, base)
}
