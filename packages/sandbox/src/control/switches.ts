// The switches: everything about the sandbox that can be changed while it runs, with what is normal.
// `answers` is merged operation by operation (null takes one back); every other switch is replaced.
import { z } from 'zod'
import { faultsSchema } from './fault-switches.ts'
import { isOperation } from '../journal.ts'

const operation = z.string().refine(isOperation, 'there is no such operation')
const text = z.record(z.string(), z.string())
const milliseconds = z.number().int().min(0)

const answerSchema = z.strictObject({
  status: z.number().int().min(200).max(599).optional(),
  body: z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]).optional(),
  contentType: z.string().optional(),
  headers: text.optional(),
  delayMs: milliseconds.optional(),
  skip: z.number().int().min(0).optional(),
  times: z.number().int().min(1).optional(),
  hang: z.boolean().optional(),
  drip: z.boolean().optional(),
  close: z.boolean().optional(),
  truncate: z.boolean().optional(),
})

const switchesSchema = z.strictObject({
  consentDelaySeconds: z.number().min(0),
  denyAll: z.boolean(),
  neverReturn: z.boolean(),
  dropParams: z.boolean(),
  returnParams: text,
  autoConsent: z.boolean(),
  firstHopDelayMs: milliseconds,
  latencyMs: z.union([milliseconds, z.record(operation, milliseconds)]),
  answers: z.record(operation, answerSchema.nullable()),
  accessTokenSeconds: z.number().int().min(1),
  externalTokenMessage: z.enum(['Invalid Secret', 'Required header missing: X-Service-Auth-Type']),
  refusalStatus: z.number().int().min(400).max(499),
  errorShape: z.enum(['text', 'html', 'message', 'error', 'errors']),
  tenantRedirectUrl: z.url({ protocol: /^https?$/ }).nullable(),
  voidEarlierTokens: z.boolean(),
  authUrlSeconds: z.number().min(0),
  rateLimit: z.strictObject({ perSecond: z.number().positive(), burst: z.number().int().min(1) }).nullable(),
  retryAfterDate: z.boolean(),
  authorizationServerDown: z.boolean(),
  serviceDown: z.boolean(),
  date: z.iso.date().nullable(),
  faults: faultsSchema,
})

/** A replaced answer: what an operation says instead of its own answer. */
export type Answer = z.infer<typeof answerSchema>

/** Every switch. */
export type Switches = z.infer<typeof switchesSchema>

export type SwitchesControl = {
  get: () => Switches
  set: (partial: Partial<Switches>) => Switches
  reset: () => Switches
  /** The answer to give instead, if any; counts `skip` and `times` down. First name found wins. */
  takeAnswer: (operations: string[]) => Answer | undefined
}

/** What is normal. */
const defaultSwitches: Switches = {
  consentDelaySeconds: 0,
  denyAll: false,
  neverReturn: false,
  dropParams: false,
  returnParams: {},
  autoConsent: false,
  firstHopDelayMs: 0,
  latencyMs: 0,
  answers: {},
  accessTokenSeconds: 3600,
  externalTokenMessage: 'Invalid Secret',
  refusalStatus: 401,
  errorShape: 'text',
  tenantRedirectUrl: null,
  voidEarlierTokens: true,
  authUrlSeconds: 300,
  rateLimit: null,
  retryAfterDate: false,
  authorizationServerDown: false,
  serviceDown: false,
  date: null,
  faults: {},
}

/**
 * Creates the switches. `initial` is what `reset` goes back to.
 * @throws ZodError for a switch that does not exist or a value that it cannot take
 */
export function createSwitches(initial: Partial<Switches> = {}): SwitchesControl {
  let current = merge(defaultSwitches, initial)
  const reset = () => (current = merge(defaultSwitches, initial))
  return {
    get: () => structuredClone(current),
    set: (partial) => structuredClone((current = merge(current, partial))),
    reset: () => structuredClone(reset()),
    takeAnswer(operations) {
      const name = operations.find((operation) => current.answers[operation])
      const answer = name === undefined ? undefined : current.answers[name]
      return name === undefined || !answer ? undefined : countDown(current.answers, name, answer)
    },
  }
}

function merge(current: Switches, partial: Partial<Switches>): Switches {
  const given = switchesSchema.partial().parse(structuredClone(partial))
  const answers = { ...current.answers, ...given.answers }
  for (const [operation, answer] of Object.entries(answers)) if (answer === null) delete answers[operation]
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...current, ...Object.fromEntries(named), answers }
}

function countDown(answers: Switches['answers'], name: string, answer: Answer): Answer | undefined {
  if (answer.skip) {
    answers[name] = { ...answer, skip: answer.skip - 1 }
    return undefined
  }
  if (answer.times === 1) delete answers[name]
  else if (answer.times) answers[name] = { ...answer, times: answer.times - 1 }
  return answer
}
