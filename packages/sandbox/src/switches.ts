// The switches: everything about the sandbox that can change while it runs, with its default and its meaning, the faults
// of the authorization servers, and the presets, which set several switches at once.
import { z } from 'zod'
import { isOperation } from './journal.ts'
import { forgeries } from './provider/forgeries.ts'

const operation = z.string().refine(isOperation, 'unknown operation')
const texts = z.record(z.string(), z.string())
const milliseconds = z.int().min(0)
const forgery = z.enum(Object.keys(forgeries) as (keyof typeof forgeries)[])
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

/** Members to set in an answer; null leaves one out. */
const members = z.record(z.string(), z.json())

const faults = z
  .strictObject({
    idToken: forgery,
    logoutToken: forgery,
    /** Parameters of the redirect back to the client. */
    authorizationAnswer: z.record(z.string(), z.string().nullable()),
    metadata: members,
    /** The id_token then is `subOnly`, so that clients ask. */
    userinfo: members,
    /** RFC 8414 alone: no OpenID Connect metadata. */
    plainOAuth: z.boolean(),
    /** A person who is signed in comes straight back, whatever `prompt` asks for. */
    prompt: z.literal('ignored'),
    /** A used refresh token keeps working, and no new one is issued. */
    keepRefreshToken: z.boolean(),
    /** How late the answer of the token endpoint is, in milliseconds, after everything has happened. */
    tokenDelayMs: milliseconds,
    /** How long the secrets of new clients last. */
    secretSeconds: z.int().min(1),
  })
  .partial()

export const switchesSchema = z.strictObject({
  consentDelaySeconds: setting(z.number().min(0), 0, 'Delay before a consent takes effect (seconds)'),
  denyAll: off('Treat Allow as Deny'),
  neverReturn: off("Don't redirect back after Allow or Deny"),
  dropParams: off('Drop the query string of final_redirect_url'),
  returnParams: setting(texts, {}, 'Extra parameters to add to the redirect'),
  autoConsent: off('Skip the consent page and allow automatically'),
  latencyMs: setting(
    z.union([milliseconds, z.record(operation, milliseconds)]),
    0,
    'Delay before every response (milliseconds), or an object by operation',
  ),
  answers: setting(
    z.record(operation, answer.nullable()),
    {},
    'Override responses, by operation, server.operation or server',
  ),
  accessTokenSeconds: setting(z.int().min(1), 3600, 'Lifetime of new access tokens, in seconds'),
  externalTokenMessage: setting(
    z.enum(['Invalid Secret', 'Required header missing: X-Service-Auth-Type']),
    'Invalid Secret',
    'Error message for an external token without X-Service-Auth-Type (one of two)',
  ),
  tenantRedirectUrl: setting(
    z.url({ protocol: /^https?$/ }).nullable(),
    null,
    "The tenant's oauth.postAuthRedirectUrl",
  ),
  rateLimit: setting(
    z.strictObject({ perSecond: z.number().positive(), burst: z.int().min(1) }).nullable(),
    null,
    'Rate limit of the Client API, such as {"perSecond": 5, "burst": 5}; null: no limit',
  ),
  retryAfterDate: off('Retry-After is a date, not seconds'),
  date: setting(
    z.iso.date().nullable(),
    null,
    'Simulated date for deprecations (YYYY-MM-DD; blank = today, UTC)',
  ),
  faults: setting(faults, {}, 'Authorization server faults'),
})

export type Switches = z.infer<typeof switchesSchema>
export type Faults = Switches['faults']
type ResponseOverride = z.infer<typeof answer>
export type SwitchesControl = ReturnType<typeof createSwitches>

const down = { close: true }

/** What can go wrong, one button each. Each puts the other switches back first, so that one press shows one thing. */
export const presets: { name: string; label: string; switches: Partial<Switches> }[] = [
  { name: 'well', label: 'Everything works', switches: {} },
  { name: 'deny', label: 'Everyone denies', switches: { denyAll: true } },
  { name: 'slow', label: 'Consents take effect after 30 s', switches: { consentDelaySeconds: 30 } },
  { name: 'lag', label: 'The service takes 2 s', switches: { latencyMs: 2_000 } },
  { name: 'busy', label: 'The service is busy', switches: { rateLimit: { perSecond: 0.2, burst: 1 } } },
  { name: 'down', label: 'The service is down', switches: { answers: { service: down } } },
  {
    name: 'sign-in-down',
    label: 'Sign-in is down',
    switches: { answers: { authorizationServer: down, externalIdp: down } },
  },
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
    /** The day that it is for the schedule of deprecations, `YYYY-MM-DD`; in UTC. */
    day: (): string => current.date ?? new Date().toISOString().slice(0, 10),
    /** Changes some switches: `answers` by operation, every other one as a whole. @returns all of them */
    set: (partial: Partial<Switches>): Switches => (current = merge(current, partial)),
    reset: (): Switches => (current = start),
    /** The answer to give instead, if any; counts `skip` and `times` down. The first name that has one wins. */
    takeOverride(names: string[]): ResponseOverride | undefined {
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
