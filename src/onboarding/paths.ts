// The paths of the walk's routes, and the parameters of the overview. Pure. The service gets the callback path as
// final_redirect_url, and the doctor checks it.
import type { Walk } from './walk.ts'

type Visit = Walk['visit']

export const CONSENT_CALLBACK_PATH = '/onboarding/callback'

export const callbackPath = (step: string) => `${CONSENT_CALLBACK_PATH}?step=${encodeURIComponent(step)}`

/**
 * The step id of a return. Some datasources append to the URL as if it had no query (`X?status=success`, `X/`), or
 * add a second `step`. The first one is ours: others can't guess it.
 */
export function stepFromQuery(query: Record<string, unknown>): string | undefined {
  const [first] = [query['step']].flat()
  return typeof first === 'string' ? /^[\w-]+/.exec(first)?.[0] : undefined
}

type WalkAction = 'connect' | 'skip' | 'unskip' | 'declined' | 'blocked' | 'unblock'

export const actionPath = (action: WalkAction, instance: string): string =>
  `/onboarding/${action}/${encodeURIComponent(instance)}`

const MAX_DATASOURCES = 50
const MAX_CHARACTERS = 200
/** Redirects lead to the visit's URL. Servers have to accept 8,000 characters only (RFC 9110 4.1). */
const MAX_URL_CHARACTERS = 6_000

/** @param query of `/onboarding?datasource=ID&datasource=…&return_to=…`; untrusted */
export function parseVisit(
  query: Record<string, unknown>,
  checkReturnTo: (value: unknown) => string | undefined,
): Visit {
  const isName = (value: unknown): value is string =>
    typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS
  const datasources = [query['datasource']].flat().filter(isName).slice(0, MAX_DATASOURCES)
  const visit = { datasources, returnTo: checkReturnTo(query['return_to']) }
  while (datasources.length > 1 && overviewPath(visit).length > MAX_URL_CHARACTERS) datasources.pop()
  return visit
}

export const visitParameters = ({ datasources, returnTo }: Visit): [name: string, value: string][] => [
  ...datasources.map((instance): [string, string] => ['datasource', instance]),
  ...(returnTo === undefined ? [] : [['return_to', returnTo] as [string, string]]),
]

/** @param from the app whose result is shown first @param isSignedInAgain a sign-in interrupted the click on the app */
export function overviewPath(visit: Visit, from?: string, isSignedInAgain = false): string {
  const query = new URLSearchParams(visitParameters(visit))
  if (from !== undefined) query.set('from', from)
  if (isSignedInAgain) query.set('again', 'yes')
  return query.size === 0 ? '/onboarding' : `/onboarding?${query.toString()}`
}
