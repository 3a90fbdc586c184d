// What the servers beside onramp have in common: their settings, their call of the service, and a page with the same
// datasources and as many bytes as onramp's own.
import { createClient } from 'redis'
import { Agent, request } from 'undici'

/** What the upstream says of one datasource, as far as the page needs it. */
type Entry = { datasourceInstance: string; displayName: string }

/** Without the filler. */
const OTHER_BYTES = 560
const FILLER = '<p class="quiet">Connecting an app lets search find what you can already open there.</p>\n'

export const settings = process.env as Record<
  'PORT' | 'REDIS_URL' | 'SERVICE_BASE_URL' | 'PAGE_BYTES',
  string
>
export const redis = createClient({ url: settings.REDIS_URL })

const dispatcher = new Agent({ connections: 128, keepAliveTimeout: 30_000 })
const check = `${settings.SERVICE_BASE_URL}/rest/api/v1/checkdatasourceauth`
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const filler = FILLER.repeat(
  Math.max(0, Math.round((Number(settings.PAGE_BYTES) - OTHER_BYTES) / FILLER.length)),
)

/** What the service says to a person. */
export async function ask(accessToken: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' }
  return (await request(check, { dispatcher, method: 'POST', headers })).body.json()
}

export async function pageFor(person: string, accessToken: string): Promise<string> {
  const { unauthorizedDatasourceInstances } = (await ask(accessToken)) as Record<string, Entry[]>
  const items = (unauthorizedDatasourceInstances ?? []).map(
    ({ datasourceInstance, displayName }) =>
      `<li><a href="/onboarding/connect/${encodeURIComponent(datasourceInstance)}">Connect ${escape(displayName)}</a></li>\n`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Connect your apps</title></head>
<body>
<p>Signed in as ${escape(person)}</p>
<h1>Connect your apps</h1>
<ul>
${items.join('')}</ul>
${filler}</body>
</html>
`
}
