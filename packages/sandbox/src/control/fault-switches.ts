// Which faults the authorization servers can be told to have. What each does is in provider/faults.ts.
import { z } from 'zod'
import { idTokenFaults, logoutTokenFaults, redirectFaults } from '../provider/forgeries.ts'

const nameIn = <Name extends string>(table: Record<Name, unknown>) => z.enum(Object.keys(table) as Name[])

export const faultsSchema = z.strictObject({
  /** What is wrong with the id_token. */
  idToken: nameIn(idTokenFaults).optional(),
  /** What is wrong with the redirect back to the client. */
  authorizationAnswer: nameIn(redirectFaults).optional(),
  /** The redirect back to the client carries this error instead of a code. */
  authorizationError: z.strictObject({ error: z.string(), description: z.string().optional() }).optional(),
  /** `ignored`: a person who is signed in comes straight back. `selectAccountRefused`: that value is an error. */
  prompt: z.enum(['ignored', 'selectAccountRefused']).optional(),
  /** What is missing or wrong in the metadata. */
  metadata: z
    .strictObject({
      /** RFC 8414 alone: no OpenID Connect metadata, and userinfo for tokens without the scope `openid`. */
      plainOAuth: z.boolean().optional(),
      wrongIssuer: z.boolean().optional(),
      /** Members that are left out, for example `userinfo_endpoint`. */
      without: z.array(z.string()).optional(),
      /** `none` is among the algorithms of id_tokens. */
      algNone: z.boolean().optional(),
    })
    .optional(),
  /** What is wrong with a logout token, or with how it is sent. */
  logoutToken: nameIn(logoutTokenFaults).optional(),
  /** The id_token then is `subOnly`, so that clients ask. */
  userinfo: z.enum(['otherSub', 'noSub', 'noEmail']).optional(),
  /** What is wrong with the token endpoint; `grant` narrows it to one grant type. */
  token: z
    .strictObject({
      grant: z.enum(['authorization_code', 'refresh_token']).optional(),
      withoutRefreshToken: z.boolean().optional(),
      withoutExpiresIn: z.boolean().optional(),
      expiresIn: z.number().optional(),
      tokenType: z.string().optional(),
      delayMs: z.number().int().min(0).optional(),
      error: z.string().optional(),
      status: z.number().int().optional(),
      /** true: a used refresh token keeps working and no new one is issued. */
      keepRefreshToken: z.boolean().optional(),
    })
    .optional(),
  /** `closed`: the status that registration answers with; `secretSeconds`: until a new secret expires. */
  registration: z
    .strictObject({
      closed: z.number().int().min(400).max(599).optional(),
      secretSeconds: z.number().int().min(1).optional(),
    })
    .optional(),
})

export type Faults = z.infer<typeof faultsSchema>
