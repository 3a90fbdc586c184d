// What somebody who opens an invitation meets. Pure.
import type { User } from '../session/signed-in.ts'
import { isSameAddress } from '../arrivals/address.ts'
import type { Invitation } from './token.ts'

export type Welcome =
  /** Nobody is signed in yet, or the link says nothing: the page that explains. */
  | { kind: 'landing' }
  /** The person who was invited, as far as anybody can tell: straight to the walk. */
  | { kind: 'walk' }
  /** Somebody is signed in, and it is not the one who was invited. */
  | { kind: 'mismatch'; signedInAs: string }

/**
 * An account without an address, or with one that the authorization server did not verify, leads on as well: an invitation
 * grants nothing, the walk is that of whoever is signed in.
 */
export function welcome(invitation: Invitation | undefined, user: User | undefined): Welcome {
  if (invitation === undefined || user === undefined) return { kind: 'landing' }
  if (user.email === undefined || isSameAddress(user.email, invitation.email)) return { kind: 'walk' }
  return { kind: 'mismatch', signedInAs: user.email }
}

/** The walk, narrowed to what the invitation is about. */
export function walkPath(invitation: Invitation | undefined): string {
  const query = new URLSearchParams(
    (invitation?.datasources ?? []).map((id): [string, string] => ['datasource', id]),
  )
  return query.size === 0 ? '/onboarding' : `/onboarding?${query.toString()}`
}
