// A walk as it was written, read back. Pure. Each field is taken as far as it is known and valid; what a newer version
// added stays in it and is written again. What cannot be used costs that field, not the whole walk.
import { z } from 'zod'
import { APP_STATUS_NAMES } from '../client-api/app-status.ts'
import type { Attempt, Known, Walk } from './walk.ts'

export const WALK_VERSION = 1

const missingOrNumber = z.number().optional()

const known: z.ZodType<Known> = z.looseObject({
  instance: z.string(),
  name: z.string(),
  // A status that only a newer version knows waits until the service was asked, which every page does.
  status: z.enum([...APP_STATUS_NAMES, 'connected']).or(z.string().transform(() => 'awaiting' as const)),
  firstSeen: z.number(),
  connectedAt: missingOrNumber,
  skippedAt: missingOrNumber,
  blockedAt: missingOrNumber,
  unconfirmedAt: missingOrNumber,
  departures: z.number(),
  departedIn: missingOrNumber,
})

// Any `done` is kept: what it may be besides true is a newer version's to say.
const attempt = z.looseObject({
  step: z.string(),
  instance: z.string(),
  departedAt: z.number(),
  returnedAt: missingOrNumber,
  looks: z.number(),
}) as z.ZodType<Attempt>

/** Those of a list that are valid. */
const validOf = <T>(one: z.ZodType<T>) =>
  z.array(z.unknown()).transform((list) =>
    list.flatMap((value) => {
      const read = one.safeParse(value)
      return read.success ? [read.data] : []
    }),
  )

const walk = z.looseObject({
  startedAt: z.number().catch(0),
  known: validOf(known),
  attempts: validOf(attempt).catch([]),
  visit: z
    .looseObject({ only: validOf(z.string()).catch([]), returnTo: z.unknown().optional() })
    .catch({ only: [], returnTo: undefined }),
  clicks: z.number().optional().catch(undefined),
})

/** @param checked where a return may lead, or undefined */
export type CheckReturnTo = (value: unknown) => string | undefined

/** @returns undefined where there is nothing that could be gone on with */
export function readWalk(json: Readonly<Record<string, unknown>>, checked: CheckReturnTo): Walk | undefined {
  const read = walk.safeParse(json)
  if (!read.success) return undefined
  const { visit, ...rest } = read.data
  // An address that was kept is checked as if it came from a browser: the rules may have changed since.
  return { ...(rest as Omit<Walk, 'visit'>), visit: { ...visit, returnTo: checked(visit.returnTo) } }
}
