// What the servers beside onramp share: their settings, Redis, and their call of the service.
import { createClient } from 'redis'
import { Agent, request } from 'undici'

export const settings = process.env as Record<
  'PORT' | 'REDIS_URL' | 'SERVICE_BASE_URL' | 'PAGE_BYTES' | 'ISSUER' | 'CLIENT_SECRET' | 'SECRET',
  string
>
export const redis = createClient({ url: settings.REDIS_URL })

export const FILLER =
  '<p class="quiet">Connecting an app lets search find what you can already open there.</p>\n'

const dispatcher = new Agent({ connections: 128, keepAliveTimeout: 30_000 })
const url = `${settings.SERVICE_BASE_URL}/rest/api/v1/checkdatasourceauth`

/** The JSON of checkdatasourceauth for a person. */
export async function checkApps(accessToken: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' }
  return (await request(url, { dispatcher, method: 'POST', headers })).body.json()
}
