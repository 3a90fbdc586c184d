// TOKEN_ISSUED_BY: whether X-Service-Auth-Type goes out. Without a person's token this cannot be settled; what can be
// known is where the issuer is, and what the service says to a made-up token.
import { fail, ok, skip, warn, type Check } from './check.ts'
import { PROBE_TOKEN } from './service-reachable.ts'

const PROVIDERS =
  /(^|\.)(okta(preview|-emea)?\.com|auth0\.com|microsoftonline\.(com|us)|sts\.windows\.net|accounts\.google\.com|onelogin\.com|pingone\.\w+|pingidentity\.com|jumpcloud\.com|duosecurity\.com|amazoncognito\.com)$/

/** An address at which only identity providers are. */
export const isProvider = (issuer: string) => {
  const { hostname, pathname } = new URL(issuer)
  return PROVIDERS.test(hostname) || pathname.startsWith('/realms/')
}

export const tokenIssuer: Check = {
  id: 'service.token-issuer',
  about: 'Who issues tokens',
  group: 'Service',
  network: true,
  async look({ service, settings }) {
    const { TOKEN_ISSUED_BY: by, OIDC_ISSUER: issuer, SERVICE_BASE_URL: base } = settings
    if (by === undefined || issuer === undefined || base === undefined)
      return [skip('TOKEN_ISSUED_BY, OIDC_ISSUER or SERVICE_BASE_URL cannot be read.')]
    const external = { settings: ['TOKEN_ISSUED_BY'], mend: 'set it to external-idp' }
    const reply = await service({
      kind: 'oauth',
      accessToken: PROBE_TOKEN,
      externalIdp: by === 'external-idp',
    })
    const namesHeader = reply?.kind === 'refused' && reply.reason === 'auth-type'
    if (by === 'external-idp')
      return [
        namesHeader
          ? fail('The service does not get X-Service-Auth-Type, which was sent.', {
              settings: ['SERVICE_BASE_URL'],
              mend: 'let nothing in between take the header away',
            })
          : ok('X-Service-Auth-Type: OAUTH goes out with every call (external-idp).'),
      ]
    if (isProvider(issuer))
      return [
        fail(
          'OIDC_ISSUER is an identity provider, but TOKEN_ISSUED_BY says that the service issues tokens.',
          external,
        ),
      ]
    if (namesHeader && new URL(issuer).hostname !== new URL(base).hostname)
      return [
        warn(
          'The service takes unknown tokens for secrets of its own (Invalid Secret), and OIDC_ISSUER is not at its address.',
          { ...external, mend: 'if OIDC_ISSUER is an external identity provider, set it to external-idp' },
        ),
      ]
    return [ok('Tokens come from the service’s own authorization server (TOKEN_ISSUED_BY=service).')]
  },
}
