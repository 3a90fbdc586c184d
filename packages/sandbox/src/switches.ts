// The switches: everything about the sandbox that can change while it runs, with its default and its meaning, the faults
// of the authorization servers, and the presets, which set several switches at once.
import { z } from 'zod'
import { isOperation } from './journal.ts'
import { idTokenFaults, logoutTokenFaults, redirectFaults } from './provider/forgeries.ts'

const operation = z.string().refine(isOperation, 'unknown operation')
const texts = z.record(z.string(), z.string())
const milliseconds = z.int().min(0)
const nameIn = <Name extends string>(table: Record<Name, unknown>) => z.enum(Object.keys(table) as Name[])
const setting = <Schema extends z.ZodType>(schema: Schema, initial: z.output<Schema>, meaning: string) =>
  schema.default(initial as never).describe(meaning)
const off = (meaning: string) => setting(z.boolean(), false, meaning)

const answer = z
  .strictObject({
    status: z.int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]),
    contentType: z.string(),
    headers: texts,
    delayMs: milliseconds,
    skip: z.int().min(0),
    times: z.int().min(1),
    hang: z.boolean(),
    drip: z.boolean(),
    close: z.boolean(),
    truncate: z.boolean(),
  })
  .partial()

const faults = z
  .strictObject({
    idToken: nameIn(idTokenFaults),
    /** Of the redirect back to the client. */
    authorizationAnswer: nameIn(redirectFaults),
    /** The redirect back to the client carries this error instead of a code. */
    authorizationError: z.strictObject({ error: z.string(), description: z.string().optional() }),
    /** A person who is signed in comes straight back, whatever `prompt` asks for. */
    prompt: z.literal('ignored'),
    metadata: z
      .strictObject({
        /** RFC 8414 alone: no OpenID Connect metadata, and userinfo for tokens without the scope `openid`. */
        plainOAuth: z.boolean(),
        wrongIssuer: z.boolean(),
        /** Members that are left out, for example `userinfo_endpoint`. */
        without: z.array(z.string()),
        /** `none` is among the algorithms of id_tokens. */
        algNone: z.boolean(),
      })
      .partial(),
    logoutToken: nameIn(logoutTokenFaults),
    /** The id_token then is `subOnly`, so that clients ask. */
    userinfo: z.enum(['otherSub', 'noSub']),
    token: z
      .strictObject({
        /** Narrows the faults to one grant type. */
        grant: z.enum(['authorization_code', 'refresh_token']),
        withoutRefreshToken: z.boolean(),
        withoutExpiresIn: z.boolean(),
        delayMs: milliseconds,
        error: z.string(),
        status: z.int(),
        /** true: a used refresh token keeps working and no new one is issued. */
        keepRefreshToken: z.boolean(),
      })
      .partial(),
    registration: z
      .strictObject({
        /** The status that registration answers with. */
        closed: z.int().min(400).max(599),
        /** How long a new secret lasts. */
        secretSeconds: z.int().min(1),
      })
      .partial(),
  })
  .partial()

export const switchesSchema = z.strictObject({
  consentDelaySeconds: setting(z.number().min(0), 0, 'Delay before a consent takes effect (seconds)'),
  denyAll: off('Treat Allow as Deny'),
  neverReturn: off("Don't redirect back after Allow or Deny"),
  dropParams: off('Drop the query string of final_redirect_url'),
  returnParams: setting(texts, {}, 'Extra parameters to add to the redirect'),
  autoConsent: off('Skip the consent page and allow automatically'),
  firstHopDelayMs: setting(milliseconds, 0, 'Delay before the first redirect to an app (milliseconds)'),
  latencyMs: setting(
    z.union([milliseconds, z.record(operation, milliseconds)]),
    0,
    'Delay before every response (milliseconds), or an object by operation',
  ),
  answers: setting(z.record(operation, answer.nullable()), {}, 'Override responses, by operation'),
  accessTokenSeconds: setting(z.int().min(1), 3600, 'Lifetime of new access tokens, in seconds'),
  externalTokenMessage: setting(
    z.enum(['Invalid Secret', 'Required header missing: X-Service-Auth-Type']),
    'Invalid Secret',
    'Error message for an external token without X-Service-Auth-Type',
  ),
  refusalStatus: setting(
    z.int().min(400).max(499),
    401,
    'Status of the two errors for which the contract specifies none',
  ),
  errorShape: setting(
    z.enum(['text', 'html', 'message', 'error', 'errors']),
    'text',
    'Format of error bodies',
  ),
  tenantRedirectUrl: setting(
    z.url({ protocol: /^https?$/ }).nullable(),
    null,
    "The tenant's oauth.postAuthRedirectUrl",
  ),
  voidEarlierTokens: setting(z.boolean(), true, 'Each check invalidates earlier links'),
  authUrlSeconds: setting(z.number().min(0), 300, 'Lifetime of a link, in seconds'),
  rateLimit: setting(
    z.strictObject({ perSecond: z.number().positive(), burst: z.int().min(1) }).nullable(),
    null,
    'Rate limit of the Client API, such as {"perSecond": 5, "burst": 5}; null: no limit',
  ),
  retryAfterDate: off('Retry-After is a date, not seconds'),
  authorizationServerDown: off('Both authorization servers are down'),
  serviceDown: off('The service is down'),
  date: setting(
    z.iso.date().nullable(),
    null,
    'Simulated date for deprecations (YYYY-MM-DD; blank = today, UTC)',
  ),
  faults: setting(faults, {}, 'Authorization server faults'),
})

export type Switches = z.infer<typeof switchesSchema>
export type Faults = Switches['faults']
export type Answer = z.infer<typeof answer>
export type SwitchesControl = ReturnType<typeof createSwitches>

/** What can go wrong, one button each. Each puts the other switches back first, so that one press shows one thing. */
export const presets: { name: string; label: string; switches: Partial<Switches> }[] = [
  { name: 'well', label: 'Everything works', switches: {} },
  { name: 'deny', label: 'Everyone denies', switches: { denyAll: true } },
  { name: 'slow', label: 'Consents take effect after 30 s', switches: { consentDelaySeconds: 30 } },
  { name: 'lag', label: 'The service takes 2 s', switches: { latencyMs: 2_000 } },
  { name: 'busy', label: 'The service is busy', switches: { rateLimit: { perSecond: 0.2, burst: 1 } } },
  { name: 'down', label: 'The service is down', switches: { serviceDown: true } },
  { name: 'sign-in-down', label: 'Sign-in is down', switches: { authorizationServerDown: true } },
]

/**
 * Creates the switches. `initial` is what `reset` goes back to.
 * @throws ZodError for a switch that does not exist or a value that it cannot take
 */
export function createSwitches(initial: Partial<Switches> = {}) {
  const start = merge(switchesSchema.parse({}), initial)
  let current = start
  return {
    get: (): Switches => current,
    /** Changes some switches: `answers` by operation, every other one as a whole. @returns all of them */
    set: (partial: Partial<Switches>): Switches => (current = merge(current, partial)),
    reset: (): Switches => (current = start),
    /** The answer to give instead, if any; counts `skip` and `times` down. The first name that has one wins. */
    takeAnswer(names: string[]): Answer | undefined {
      const name = names.find((one) => current.answers[one]) ?? ''
      const answer = current.answers[name]
      if (!answer) return undefined
      const { skip, times } = answer
      const isLast = !skip && times === 1
      const left = skip ? { ...answer, skip: skip - 1 } : { ...answer, times: times && times - 1 }
      current = merge(current, { answers: { [name]: isLast ? null : left } })
      return skip ? undefined : answer
    },
  }
}

function merge(current: Switches, partial: Partial<Switches>): Switches {
  const merged = { ...current, ...partial, answers: { ...current.answers, ...partial.answers } }
  const { answers, ...others } = switchesSchema.parse(merged)
  const left = Object.entries(answers).filter(([, answer]) => answer)
  return { ...others, answers: Object.fromEntries(left) }
}
