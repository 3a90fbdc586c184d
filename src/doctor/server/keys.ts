// The authorization server's signing keys: without them no id_token can be believed.
import { z } from 'zod'
import { silenceInWords } from '../../client-api/silence.ts'
import { ask } from '../ask.ts'
import type { Check } from '../check.ts'
import { fail, ok, skip } from '../finding.ts'
import { withMetadata } from './discovered.ts'
import { isSafeAddress } from '../settings/public-address.ts'

const keysSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })

const signingKeys = (text: string): number => {
  try {
    const { keys } = keysSchema.parse(JSON.parse(text))
    return keys.filter(({ kty, use }) => use !== 'enc' && kty !== 'oct').length
  } catch {
    return 0
  }
}

const elsewhere = { settings: ['OIDC_ISSUER'], mend: 'let this machine reach the jwks_uri of the metadata' }

export const keys: Check = {
  id: 'authorization-server.keys',
  about: 'Signing keys',
  group: 'Authorization server',
  network: true,
  look: (subject) =>
    withMetadata(subject, async ({ jwks_uri: address }) => {
      const openId = subject.settings.OIDC_SCOPE?.split(' ').includes('openid') ?? true
      if (address === undefined)
        return openId
          ? [
              fail('It names no signing keys (jwks_uri), so no id_token can be checked.', {
                settings: ['OIDC_SCOPE', 'OIDC_ISSUER'],
                mend: 'for a plain OAuth 2.1 server leave openid out of OIDC_SCOPE',
              }),
            ]
          : [skip('plain OAuth 2.1 has no id_token.')]
      if (!isSafeAddress(address)) return [skip('their address is not https.')]
      const asked = await ask(address, subject.now)
      if (asked.kind === 'silent')
        return [fail(`The signing keys cannot be fetched: ${silenceInWords[asked.why]}.`, elsewhere)]
      const count = asked.status === 200 ? signingKeys(asked.text) : 0
      return count > 0
        ? [ok(`${count === 1 ? 'One signing key' : `${count} signing keys`} can be fetched.`)]
        : [fail(`The signing keys cannot be fetched (${asked.status}).`, elsewhere)]
    }),
}
