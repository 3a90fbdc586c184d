// Reads the links of emails that left before invitations were encrypted: a signed JWT around the sealed address. Nothing
// issues one now, and a link works for 90 days. Delete this file, its test and its use in token.ts after 2027-02-19,
// or 90 days after the last server was updated. The opt-out links of those emails end with it.
import { createHmac, hkdfSync } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { createSealer } from '../records/seal.ts'

const claimsSchema = z.object({
  v: z.literal(1),
  use: z.literal('invite'),
  to: z.string(),
  ds: z.array(z.string().max(200)).max(50).default([]),
})

export function createSignedInvitations(secrets: readonly string[], audience: string) {
  const sealer = createSealer(secrets)
  const keys = secrets.map((secret) => {
    const key = new Uint8Array(hkdfSync('sha256', secret, '', 'onramp invite 1', 32))
    return { key, id: createHmac('sha256', key).update('id').digest('base64url').slice(0, 6) }
  })
  return {
    /** @returns undefined where the token is not one of ours @throws {errors.JOSEError} where it is not valid */
    async read(token: string, currentDate: Date) {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const found = keys.find(({ id }) => id === kid)
          if (found === undefined) throw new errors.JWKSNoMatchingKey()
          return found.key
        },
        { algorithms: ['HS256'], audience, requiredClaims: ['iat', 'exp'], currentDate },
      )
      const claims = claimsSchema.safeParse(payload).data
      const email = claims && sealer.open(claims.to, 'invite')
      return email === undefined ? undefined : { email, datasources: claims?.ds ?? [] }
    },
  }
}
