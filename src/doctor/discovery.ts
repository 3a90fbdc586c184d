// The authorization server: is it there, and is it the one that OIDC_ISSUER names?
import { fail, ok, skip, type Check } from './check.ts'
import { publicAddress } from './public-address.ts'

export const discovery: Check = {
  id: 'authorization-server.discovery',
  about: 'The authorization server',
  group: 'Authorization server',
  network: true,
  async look({ authorizationServer, settings }) {
    const discovered = await authorizationServer()
    if (discovered.kind === 'unknown') return [skip('OIDC_ISSUER cannot be read.')]
    if (discovered.kind === 'missing') return [discovered.finding]
    const { OIDC_ISSUER: issuer = '' } = settings
    const said = discovered.metadata.issuer
    // OpenID Connect Discovery 1.0, 4.3: exactly the same, or answers of one server could pass for those of another.
    if (said !== issuer && new URL(issuer).href !== said)
      return [
        fail(
          `The authorization server at ${issuer} calls itself ${publicAddress(said) ?? 'something else'}.`,
          {
            settings: ['OIDC_ISSUER'],
            mend:
              publicAddress(said) === undefined
                ? 'set it to the issuer, exactly as the server writes it'
                : `set it to exactly ${said.endsWith('/') ? `${publicAddress(said)}/` : publicAddress(said)} if that is the one that you mean`,
          },
        ),
      ]
    return [ok(`${issuer} is there and speaks ${discovered.how}.`)]
  },
}
