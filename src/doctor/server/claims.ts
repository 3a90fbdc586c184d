// Whether people's addresses arrive and count. Only an address that is known to be the person's opens /admin and counts in
// the report. What surprises: a claim that is not listed may still arrive, because listing it is only recommended.
import { skip, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

export type Addresses = { claim: string; trust: string | undefined; hasAdmins: boolean }

/** OpenID Connect Discovery 1.0, 3: claims_supported is recommended, and need not name every claim. */
function arrival(claims: readonly string[] | undefined, claim: string): Finding[] {
  if (claims === undefined || claims.includes(claim)) return []
  return [
    warn(
      `It does not list the claim ${claim}, which OIDC_EMAIL_CLAIM says holds people's addresses; it may arrive all the same.`,
      {
        settings: ['OIDC_EMAIL_CLAIM'],
        mend: 'sign in once: if no address arrives, choose a claim that it gives, such as preferred_username or upn',
      },
    ),
  ]
}

function trusted(claims: readonly string[] | undefined, { claim, trust, hasAdmins }: Addresses): Finding[] {
  if (!hasAdmins || trust === 'always') return []
  if (claim === 'email' && claims === undefined)
    return [
      skip(
        'it does not tell whether it says that addresses are verified. If /admin stays 404 for ADMIN_EMAILS, none counts as verified: see OIDC_EMAIL_TRUST.',
      ),
    ]
  if (claim === 'email' && claims?.includes('email_verified')) return []
  const why =
    claim === 'email'
      ? 'It does not list email_verified: if that claim does not arrive, no address counts as verified'
      : `An address out of ${claim} counts as verified only where it is also the claim email, with email_verified`
  return [
    warn(`${why}. /admin then stays 404 for everyone of ADMIN_EMAILS.`, {
      settings: ['OIDC_EMAIL_TRUST', 'ADMIN_EMAILS'],
      mend: 'set OIDC_EMAIL_TRUST to always if the company itself gives out the addresses',
    }),
  ]
}

/** Both are told: one of them does not hide the other. */
export const addresses = ({ claims_supported: claims }: Metadata, wanted: Addresses): Finding[] => [
  ...arrival(claims, wanted.claim),
  ...trusted(claims, wanted),
]
