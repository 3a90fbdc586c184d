// OIDC_SCOPE against what the server lists, and whether people will get a refresh token. Without one they have to sign in
// again whenever the access token ends, often after an hour.
import type { Settings } from '../../settings/settings.ts'
import { ok, warn, type Finding } from '../finding.ts'
import type { Metadata } from './discovered.ts'

const OFFLINE = 'offline_access'

/** @param scope OIDC_SCOPE */
export function scopes({ scopes_supported: offered }: Metadata, scope: string): Finding {
  const missing = scope.split(' ').filter((one) => offered !== undefined && !offered.includes(one))
  if (missing.length === 0)
    return ok(`The scopes of OIDC_SCOPE are there${offered === undefined ? ', as far as it tells' : ''}.`)
  return warn(
    `It does not list ${missing.length === 1 ? 'a scope' : 'scopes'} of OIDC_SCOPE: ${missing.join(', ')}.`,
    {
      settings: ['OIDC_SCOPE'],
      mend: missing.includes(OFFLINE)
        ? 'leave offline_access out if the server gives refresh tokens without it'
        : 'leave out what the server does not know',
    },
  )
}

const NO_REFRESH = 'people have to sign in again whenever their access token ends'

/** OpenID Connect Core 11: offline_access asks for a refresh token; a server may ignore it without prompt=consent. */
export function refreshing(metadata: Metadata, settings: Partial<Settings>): Finding[] {
  const { scopes_supported: offered, grant_types_supported: grants } = metadata
  const { OIDC_SCOPE: scope = '', OIDC_PROMPT: prompt = '' } = settings
  const asked = scope.split(' ')
  if (grants !== undefined && !grants.includes('refresh_token'))
    return [
      warn(`It does not list refresh tokens (grant_types_supported): without one ${NO_REFRESH}.`, {
        settings: ['OIDC_SCOPE'],
        mend: 'allow the grant refresh_token for the client there',
      }),
    ]
  if (!asked.includes(OFFLINE))
    return asked.includes('openid') && offered?.includes(OFFLINE) !== false
      ? [
          warn(
            `OIDC_SCOPE lacks offline_access: where the server gives no refresh token without it, ${NO_REFRESH}.`,
            {
              settings: ['OIDC_SCOPE'],
              mend: 'add offline_access, if the server knows it',
            },
          ),
        ]
      : []
  return prompt.split(' ').includes('consent')
    ? []
    : [
        ok(
          'A refresh token is asked for (offline_access). Some servers give one with prompt=consent only: if the log says that none came, set OIDC_PROMPT=consent.',
        ),
      ]
}
