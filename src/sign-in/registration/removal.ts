// Removes a client that registered itself from the authorization server (RFC 7592 2.3), where the server gave the means.
import type { Registered } from './answer.ts'
import { isLoopbackHttp } from '../../loopback.ts'

/** `no-means`: the server gave no address or token for it. */
export type Removal = { kind: 'removed' | 'no-means' | 'unanswered' } | { kind: 'refused'; status: number }

const TIME_LIMIT_MS = 10_000

/** Best effort: it does not throw. */
export async function removeClient(client: Registered): Promise<Removal> {
  const { registration_client_uri: uri, registration_access_token: token } = client
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) return { kind: 'no-means' }
  const url = new URL(uri)
  // The token goes there: https or this machine only.
  if (url.protocol !== 'https:' && !isLoopbackHttp(url)) return { kind: 'no-means' }
  try {
    const response = await fetch(url.href, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    await response.body?.cancel()
    return response.ok ? { kind: 'removed' } : { kind: 'refused', status: response.status }
  } catch {
    return { kind: 'unanswered' }
  }
}
