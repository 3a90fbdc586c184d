// What a visit is about, read from the overview's address and written into it again. Pure.
import { present } from '../present.ts'
import type { Visit, Walk } from './walk.ts'

const MOST_DATASOURCES = 50
const MOST_CHARACTERS = 200

/**
 * @param query of `/onboarding?datasource=ID&datasource=…&return_to=…`; untrusted
 * @param checked where a return may lead, or undefined
 */
export function visitOf(
  query: Record<string, unknown>,
  checked: (value: unknown) => string | undefined,
): Visit {
  const only = [query['datasource']]
    .flat()
    .filter(
      (value): value is string =>
        typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS,
    )
    .slice(0, MOST_DATASOURCES)
  const returnTo = checked(query['return_to'])
  return { only, ...present({ returnTo }) }
}

/** The overview of this visit; `from` is the datasource that it tells of first. */
export function overviewPath(visit: Visit, from?: string): string {
  const query = new URLSearchParams(visit.only.map((instance): [string, string] => ['datasource', instance]))
  if (visit.returnTo !== undefined) query.set('return_to', visit.returnTo)
  if (from !== undefined) query.set('from', from)
  return query.size === 0 ? '/onboarding' : `/onboarding?${query.toString()}`
}

/** The walk with this visit; the same walk where it has it already. */
export const withVisit = (walk: Walk, visit: Visit): Walk =>
  isSame(walk.visit, visit) ? walk : { ...walk, visit }

const isSame = (one: Visit, other: Visit): boolean =>
  one.returnTo === other.returnTo &&
  one.only.length === other.only.length &&
  one.only.every((instance, index) => instance === other.only[index])
