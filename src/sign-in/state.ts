// The state of an authorization request: random, and how often this sign-in has started over without the person.
// Pure but for the randomness. The count is no secret and guards nothing but a loop.
import { randomState } from 'openid-client'

export const newState = (restarts: number): string => `${restarts}.${randomState()}`

export const restartsOf = (state: string): number => Number(/^(\d)\./.exec(state)?.[1] ?? 1)

/** A sign-in starts over this often at most; a browser follows about 20 redirects in a row. */
export const MAX_RESTARTS = 4

/** How often the address of a sign-in (signInAgainPath) says that it has started over. */
export const restartsSaid = (value: unknown): number =>
  typeof value === 'string' && /^[1-9]$/.test(value) ? Math.min(Number(value), MAX_RESTARTS) : 0

/** Where a person signs in to come back to `returnTo`. */
export const signInPath = (returnTo: string): string => `/sign-in?return_to=${encodeURIComponent(returnTo)}`

/** The same for a sign-in that starts over: one that another tab has finished meanwhile will do. */
export const signInAgainPath = (
  returnTo: string,
  restarts: number,
  wishes: Record<string, string> = {},
): string =>
  `/sign-in?${new URLSearchParams({ return_to: returnTo, again: String(restarts), ...wishes }).toString()}`
