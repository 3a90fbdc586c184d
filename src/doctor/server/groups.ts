// ADMIN_GROUPS: will the groups arrive, and under the names that the setting has? Only a sign-in shows it; here is what the
// metadata and known servers say.
import type { Settings } from '../../settings/settings.ts'
import { ok, warn, type Finding, type Findings } from '../finding.ts'
import type { Metadata } from './discovered.ts'
import { providerOf } from './providers.ts'

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Microsoft's and Google's own habits, from their documentation. */
function habitOf(metadata: Metadata, claim: string, wanted: readonly string[]): Finding | undefined {
  const provider = providerOf(metadata)
  if (provider === 'Google')
    return warn('Google sends no groups at sign-in, so ADMIN_GROUPS never matches.', {
      settings: ['ADMIN_GROUPS'],
      fix: 'use ADMIN_EMAILS',
    })
  if (provider !== 'Microsoft Entra ID' || claim !== 'groups') return undefined
  const named = wanted.filter((group) => !GUID.test(group)).length
  return warn(
    `Microsoft Entra leaves the groups out for people in more than 200 groups${named > 0 ? ', and usually names groups by their object ID, which ADMIN_GROUPS does not' : ''}.`,
    {
      settings: ['ADMIN_GROUPS', 'OIDC_GROUPS_CLAIM'],
      fix: 'limit the claim to groups assigned to the application there and use object IDs, or use app roles with OIDC_GROUPS_CLAIM=roles',
    },
  )
}

export function groups(metadata: Metadata, settings: Partial<Settings>): Findings {
  const { ADMIN_GROUPS: wanted = [], OIDC_GROUPS_CLAIM: claim = 'groups', OIDC_SCOPE: scope = '' } = settings
  const { claims_supported: claims, scopes_supported: scopes } = metadata
  if (wanted.length === 0) return undefined
  const habit = habitOf(metadata, claim, wanted)
  if (habit !== undefined) return habit
  if (scopes?.includes(claim) === true && !scope.split(' ').includes(claim))
    return warn(`The server offers the scope ${claim}, but OIDC_SCOPE doesn't have it.`, {
      settings: ['OIDC_SCOPE'],
      fix: `add ${claim}: without it, the claim for ADMIN_GROUPS may not arrive`,
    })
  if (claims?.includes(claim) === true) return ok(`The server sends the ${claim} claim (ADMIN_GROUPS).`)
  return warn(`The server doesn't advertise the ${claim} claim (OIDC_GROUPS_CLAIM), but may still send it.`, {
    settings: ['OIDC_GROUPS_CLAIM', 'ADMIN_GROUPS'],
    fix: 'have it add the claim for this client, and sign in once: the log says whether it arrived',
  })
}
