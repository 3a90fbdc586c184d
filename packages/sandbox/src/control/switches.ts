// The switches: everything about the sandbox that can be changed while it runs, with its default and its meaning.
// `answers` is merged operation by operation (null takes one back); every other switch is replaced.
import { z } from 'zod'
import { isOperation } from '../journal.ts'
import { faultsSchema } from './fault-switches.ts'

const operation = z.string().refine(isOperation, 'unknown operation')
const text = z.record(z.string(), z.string())
const whole = z.number().int()
const milliseconds = whole.min(0)
const off = z.boolean().default(false)

const answerSchema = z
  .strictObject({
    status: whole.min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]),
    contentType: z.string(),
    headers: text,
    delayMs: milliseconds,
    skip: whole.min(0),
    times: whole.min(1),
    hang: z.boolean(),
    drip: z.boolean(),
    close: z.boolean(),
    truncate: z.boolean(),
  })
  .partial()

const latency = z.union([milliseconds, z.record(operation, milliseconds)])
const answers = z.record(operation, answerSchema.nullable())
const refusalStatus = whole.min(400).max(499)
const externalTokenMessage = z.enum(['Invalid Secret', 'Required header missing: X-Service-Auth-Type'])
const errorShape = z.enum(['text', 'html', 'message', 'error', 'errors'])
const webUrl = z.url({ protocol: /^https?$/ })
const rate = z.strictObject({ perSecond: z.number().positive(), burst: whole.min(1) })
const day = z.iso.date()

export const switchesSchema = z.strictObject({
  consentDelaySeconds: z.number().min(0).default(0).describe('Delay before a consent takes effect (seconds)'),
  denyAll: off.describe('Treat Allow as Deny'),
  neverReturn: off.describe("Don't redirect back after Allow or Deny"),
  dropParams: off.describe('Drop the query string of final_redirect_url'),
  returnParams: text.default({}).describe('Extra parameters to add to the redirect'),
  autoConsent: off.describe('Skip the consent page and allow automatically'),
  firstHopDelayMs: milliseconds
    .default(0)
    .describe('Delay before the first redirect to an app (milliseconds)'),
  latencyMs: latency
    .default(0)
    .describe('Delay before every response (milliseconds), or an object by operation'),
  answers: answers.default({}).describe('Override responses, by operation'),
  accessTokenSeconds: whole.min(1).default(3600).describe('Lifetime of new access tokens, in seconds'),
  externalTokenMessage: externalTokenMessage
    .default('Invalid Secret')
    .describe('Error message for an external token without X-Service-Auth-Type'),
  refusalStatus: refusalStatus
    .default(401)
    .describe('Status of the two errors for which the contract specifies none'),
  errorShape: errorShape.default('text').describe('Format of error bodies'),
  tenantRedirectUrl: webUrl.nullable().default(null).describe("The tenant's oauth.postAuthRedirectUrl"),
  voidEarlierTokens: z.boolean().default(true).describe('Each check invalidates earlier links'),
  authUrlSeconds: z.number().min(0).default(300).describe('Lifetime of a link, in seconds'),
  rateLimit: rate
    .nullable()
    .default(null)
    .describe('Rate limit of the Client API, such as {"perSecond": 5, "burst": 5}; null: no limit'),
  retryAfterDate: off.describe('Retry-After is a date, not seconds'),
  authorizationServerDown: off.describe('Both authorization servers are down'),
  serviceDown: off.describe('The service is down'),
  date: day
    .nullable()
    .default(null)
    .describe('Simulated date for deprecations (YYYY-MM-DD; blank = today, UTC)'),
  faults: faultsSchema.default({}).describe('Authorization server faults'),
})

/** A replaced answer: what an operation says instead of its own answer. */
export type Answer = z.infer<typeof answerSchema>

/** Every switch. */
export type Switches = z.infer<typeof switchesSchema>

export type SwitchesControl = ReturnType<typeof createSwitches>

/**
 * Creates the switches. `initial` is what `reset` goes back to.
 * @throws ZodError for a switch that does not exist or a value that it cannot take
 */
export function createSwitches(initial: Partial<Switches> = {}) {
  const start = () => merge(switchesSchema.parse({}), initial)
  let current = start()
  return {
    get: (): Switches => structuredClone(current),
    /** Changes some switches. @returns all of them */
    set: (partial: Partial<Switches>): Switches => structuredClone((current = merge(current, partial))),
    reset: (): Switches => structuredClone((current = start())),
    /** The answer to give instead, if any; counts `skip` and `times` down. The first name that has one wins. */
    takeAnswer(names: string[]): Answer | undefined {
      const { answers } = current
      const name = names.find((one) => answers[one])
      const answer = name === undefined ? undefined : answers[name]
      if (name === undefined || !answer) return undefined
      const { skip, times } = answer
      if (skip) answers[name] = { ...answer, skip: skip - 1 }
      else if (times === 1) delete answers[name]
      else if (times) answers[name] = { ...answer, times: times - 1 }
      return skip ? undefined : answer
    },
  }
}

function merge(current: Switches, partial: Partial<Switches>): Switches {
  const given = z.record(z.string(), z.unknown()).parse(structuredClone(partial))
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  const merged = switchesSchema.parse({ ...current, answers: {}, ...Object.fromEntries(named) })
  const answers = Object.entries({ ...current.answers, ...merged.answers }).filter(([, answer]) => answer)
  return { ...merged, answers: Object.fromEntries(answers) }
}
