// What people meet who open an invitation. Pure.
import type { User } from '../session/signed-in.ts'
import { isSameAddress } from '../people/address.ts'
import type { Invitation } from './token.ts'

type Welcome =
  /** No one is signed in, or the link is not valid: the page that explains. */
  | { kind: 'landing' }
  /** The invited person, as far as we can know. */
  | { kind: 'walk' }
  | { kind: 'mismatch'; signedInAs: string }

/**
 * An account without an address, or with one that was not verified, goes on to the walk too: an invitation grants
 * nothing, and the walk is always that of the person who is signed in.
 */
export function welcome(invitation: Invitation | undefined, user: User | undefined): Welcome {
  if (invitation === undefined || user === undefined) return { kind: 'landing' }
  if (user.email === undefined || isSameAddress(user.email, invitation.email)) return { kind: 'walk' }
  return { kind: 'mismatch', signedInAs: user.email }
}

/** The walk, narrowed to the datasources of the invitation. */
export function walkPath({ datasources }: Pick<Invitation, 'datasources'> = { datasources: [] }): string {
  const query = new URLSearchParams(datasources.map((id): [string, string] => ['datasource', id]))
  return query.size === 0 ? '/onboarding' : `/onboarding?${query.toString()}`
}

/**
 * Is this the browser inside another app, as mail and chat programs open links in? Some authorization servers refuse it,
 * and it forgets cookies. A guess by the User-Agent, which only adds advice. Android marks its WebView with `wv`; on iOS
 * it lacks the `Safari/` that every browser there has.
 */
export function isInAppBrowser(userAgent = ''): boolean {
  const named =
    /;\s?wv\)|\bFBA[NV]\b|\bInstagram\b|\bLinkedInApp\b|\bLine\/|\bMicroMessenger\b|\bSlack(_SSB)?\//
  const isIos = /\b(iPhone|iPad|iPod)\b/.test(userAgent) && userAgent.includes('AppleWebKit/')
  return named.test(userAgent) || (isIos && !userAgent.includes('Safari/'))
}
