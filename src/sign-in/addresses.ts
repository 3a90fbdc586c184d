// The addresses of signing in, here and as the authorization server has them registered, and the count of how often a
// sign-in has started over without the person: in the state of a request, and in the address that starts it again. The
// count is no secret and guards nothing but a loop.
import { randomState } from 'openid-client'

export const CALLBACK_PATH = '/sign-in/callback'

/**
 * Where the authorization server sends browsers and notices.
 * @param publicUrl PUBLIC_URL, never a request's Host
 */
export const addressesOf = (publicUrl: string) => ({
  callback: `${publicUrl}${CALLBACK_PATH}`,
  signedOut: `${publicUrl}/signed-out`,
  backChannelLogout: `${publicUrl}/sign-out/backchannel`,
})

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
