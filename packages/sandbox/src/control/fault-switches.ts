// Which faults the authorization servers can be told to have. What each does is in provider/faults.ts.
import { z } from 'zod'
import { idTokenFaults, logoutTokenFaults, redirectFaults } from '../provider/forgeries.ts'

const nameIn = <Name extends string>(table: Record<Name, unknown>) => z.enum(Object.keys(table) as Name[])

const metadata = z.strictObject({
  /** RFC 8414 alone: no OpenID Connect metadata, and userinfo for tokens without the scope `openid`. */
  plainOAuth: z.boolean(),
  wrongIssuer: z.boolean(),
  /** Members that are left out, for example `userinfo_endpoint`. */
  without: z.array(z.string()),
  /** `none` is among the algorithms of id_tokens. */
  algNone: z.boolean(),
})

const token = z.strictObject({
  /** Narrows the faults to one grant type. */
  grant: z.enum(['authorization_code', 'refresh_token']),
  withoutRefreshToken: z.boolean(),
  withoutExpiresIn: z.boolean(),
  expiresIn: z.number(),
  tokenType: z.string(),
  delayMs: z.number().int().min(0),
  error: z.string(),
  status: z.number().int(),
  /** true: a used refresh token keeps working and no new one is issued. */
  keepRefreshToken: z.boolean(),
})

const registration = z.strictObject({
  /** The status that registration answers with. */
  closed: z.number().int().min(400).max(599),
  /** How long a new secret lasts. */
  secretSeconds: z.number().int().min(1),
})

/** What is wrong with what the authorization servers answer. */
export const faultsSchema = z
  .strictObject({
    idToken: nameIn(idTokenFaults),
    /** Of the redirect back to the client. */
    authorizationAnswer: nameIn(redirectFaults),
    /** The redirect back to the client carries this error instead of a code. */
    authorizationError: z.strictObject({ error: z.string(), description: z.string().optional() }),
    /** `ignored`: a person who is signed in comes straight back. `selectAccountRefused`: that value is an error. */
    prompt: z.enum(['ignored', 'selectAccountRefused']),
    metadata: metadata.partial(),
    /** Of a logout token, or of how it is sent. */
    logoutToken: nameIn(logoutTokenFaults),
    /** The id_token then is `subOnly`, so that clients ask. */
    userinfo: z.enum(['otherSub', 'noSub', 'noEmail']),
    token: token.partial(),
    registration: registration.partial(),
  })
  .partial()

export type Faults = z.infer<typeof faultsSchema>
