// The state of an authorization request: random, and how often this sign-in has started over by itself.
// Pure but for the randomness. The count is no secret and guards nothing but a loop.
import { randomState } from 'openid-client'

export const newState = (restarts: number): string => `${restarts}.${randomState()}`

export const restartsOf = (state: string): number => Number(/^(\d)\./.exec(state)?.[1] ?? 1)

/** Where a person signs in to come back to `returnTo`. */
export const signInPath = (returnTo: string): string => `/sign-in?return_to=${encodeURIComponent(returnTo)}`
