// A walk as it was written, read back. Pure. Each field is taken as far as it is known and valid; what a newer version
// added stays in it and is written again. What cannot be used costs that field, not the whole walk.
import { z } from 'zod'
import { APP_STATUS_NAMES } from '../client-api/app-status.ts'
import { MAX_INSTANCE_CHARACTERS, nameToShow } from '../client-api/bounds.ts'
import type { Attempt, Known, Walk } from './walk.ts'

/** Later ones are no dates (ECMAScript, Time Values), and a page that shows one would fail. */
const MAX_TIME = 8.64e15

const time = z.number().min(0).max(MAX_TIME)
const timeOrNone = time.optional().catch(undefined)
const count = z.int().min(0)
const countOrNone = count.optional().catch(undefined)
const instance = z.string().min(1).max(MAX_INSTANCE_CHARACTERS)

const known: z.ZodType<Known> = z
  .looseObject({
    instance,
    name: z.string(),
    // A status that only a newer version knows waits until the service was asked, which every page does.
    status: z.enum([...APP_STATUS_NAMES, 'connected']).or(z.string().transform(() => 'awaiting' as const)),
    firstSeen: time.catch(0),
    connectedAt: timeOrNone,
    skippedAt: timeOrNone,
    blockedAt: timeOrNone,
    unconfirmedAt: timeOrNone,
    departures: count,
    departedIn: countOrNone,
  })
  .transform((entry) => ({ ...entry, name: nameToShow(entry.name, entry.instance) }))

// Any `done` is kept: what it may be besides true is a newer version's to say.
const attempt = z.looseObject({
  step: z.string(),
  instance,
  departedAt: time,
  returnedAt: time.optional(),
  looks: count,
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
  startedAt: time.catch(0),
  known: validOf(known),
  attempts: validOf(attempt).catch([]),
  visit: z
    .looseObject({ only: validOf(instance).catch([]), returnTo: z.unknown().optional() })
    .catch({ only: [], returnTo: undefined }),
  clicks: countOrNone,
  isAsked: z.literal(true).optional().catch(undefined),
  revisedAt: timeOrNone,
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
