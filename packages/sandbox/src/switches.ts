// The switches, which change the running sandbox, with defaults and descriptions.
import { z } from 'zod'
import { Journal } from './journal.ts'

const operation = z.string().refine(Journal.isOperation, 'unknown operation')
const milliseconds = z.int().min(0)
const webUrl = z.url({ protocol: /^https?$/ })
const setting = <Schema extends z.ZodType>(schema: Schema, initial: z.output<Schema>, meaning: string) =>
  schema.default(initial as never).describe(meaning)
const off = (meaning: string) => setting(z.boolean(), false, meaning)

const responseOverride = z
  .strictObject({
    status: z.int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]),
    contentType: z.string(),
    headers: z.record(z.string(), z.string()),
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
    idToken: z.enum(['badSignature', 'wrongNonce', 'subOnly']),
    /** Members to set in the metadata; null removes one. */
    metadata: z.record(z.string(), z.json()),
    /** Serves no OpenID Connect metadata, only RFC 8414. */
    plainOAuth: z.boolean(),
    /** `prompt` is ignored, so a signed-in person returns at once. */
    prompt: z.literal('ignored'),
    /** Delays the token response, after the grant took effect. */
    tokenDelayMs: milliseconds,
  })
  .partial()

export const switchesSchema = z.strictObject({
  consentDelaySeconds: setting(z.number().min(0), 0, 'Delay before a consent takes effect (seconds)'),
  denyAll: off('Treat Allow as Deny'),
  autoConsent: off('Skip the consent page and allow automatically'),
  latencyMs: setting(
    z.union([milliseconds, z.record(operation, milliseconds)]),
    0,
    'Delay before every response (milliseconds), or an object by operation',
  ),
  answers: setting(
    z.record(operation, responseOverride.nullable()),
    {},
    'Override responses, by operation, server.operation or server',
  ),
  accessTokenSeconds: setting(z.int().min(1), 3600, 'Lifetime of new access tokens, in seconds'),
  externalTokenMessage: setting(
    z.enum(['Invalid Secret', 'Required header missing: X-Service-Auth-Type']),
    'Invalid Secret',
    'Error message for an external token without X-Service-Auth-Type (one of two)',
  ),
  tenantRedirectUrl: setting(webUrl.nullable(), null, "The tenant's oauth.postAuthRedirectUrl"),
  rateLimit: setting(
    z.strictObject({ perSecond: z.number().positive(), burst: z.int().min(1) }).nullable(),
    null,
    'Rate limit of the Client API, such as {"perSecond": 5, "burst": 5}; null: no limit',
  ),
  date: setting(
    z.iso.date().nullable(),
    null,
    'Simulated date for deprecations (YYYY-MM-DD; blank = today, UTC)',
  ),
  faults: setting(faults, {}, 'Authorization server faults'),
})

export type Switches = z.infer<typeof switchesSchema>
export type Faults = Switches['faults']

export class SwitchesControl {
  private readonly initial: Switches
  private current: Switches

  /** @throws ZodError for an unknown switch or an invalid value, as `set` does */
  constructor(initial: Partial<Switches> = {}) {
    this.initial = this.current = merge(switchesSchema.parse({}), initial)
  }

  get(): Switches {
    return this.current
  }

  /** Today for the deprecation schedule: `YYYY-MM-DD`, UTC. */
  day(): string {
    return this.current.date ?? new Date().toISOString().slice(0, 10)
  }

  /** Merges `answers` by operation and replaces other switches. @returns all of them */
  set(partial: Partial<Switches>): Switches {
    return (this.current = merge(this.current, partial))
  }

  reset(): Switches {
    return (this.current = this.initial)
  }

  /** Takes the override of the first name that has one, and counts its `skip` and `times` down. */
  takeOverride(names: string[]): z.infer<typeof responseOverride> | undefined {
    const name = names.find((candidate) => this.current.answers[candidate]) ?? ''
    const override = this.current.answers[name]
    if (!override) return undefined
    const { skip, times } = override
    const isLast = !skip && times === 1
    const nextOverride = skip ? { ...override, skip: skip - 1 } : { ...override, times: times && times - 1 }
    this.set({ answers: { [name]: isLast ? null : nextOverride } })
    return skip ? undefined : override
  }
}

function merge(current: Switches, partial: Partial<Switches>): Switches {
  const mergedSwitches = { ...current, ...partial, answers: { ...current.answers, ...partial.answers } }
  const { answers, ...others } = switchesSchema.parse(mergedSwitches)
  const answersLeft = Object.entries(answers).filter(([, override]) => override)
  return { ...others, answers: Object.fromEntries(answersLeft) }
}
