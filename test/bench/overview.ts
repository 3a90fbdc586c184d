// Shared by the servers beside onramp: settings, Redis, the call of the service, and an overview as large as onramp's.
import { Eta } from 'eta'
import { createClient } from 'redis'
import { Agent, request } from 'undici'
import { z } from 'zod'

export const settings = process.env as Record<
  'PORT' | 'REDIS_URL' | 'SERVICE_BASE_URL' | 'ISSUER' | 'CLIENT_SECRET' | 'SECRET',
  string
>
export const redis = createClient({ url: settings.REDIS_URL })

const dispatcher = new Agent({ connections: 128, keepAliveTimeout: 30_000 })
const url = `${settings.SERVICE_BASE_URL}/rest/api/v1/checkdatasourceauth`

const responseSchema = z.object({
  unauthorizedDatasourceInstances: z.array(
    z.object({
      datasourceInstance: z.string().max(200),
      displayName: z.string().max(200),
      authStatus: z.string(),
      authUrlRelativePath: z.string().startsWith('/auth/datasource/'),
    }),
  ),
})

export async function checkApps(accessToken: string) {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' }
  const { body } = await request(url, { dispatcher, method: 'POST', headers })
  return responseSchema.parse(await body.json()).unauthorizedDatasourceInstances
}

const FILLER = '<p class="quiet">Connecting an app lets search find what you can already open there.</p>\n'

const eta = new Eta({ autoEscape: true })
const page = eta.compile(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Connect your apps</title></head>
<body>
<header><p>Signed in as <%= it.email %></p></header>
<h1>Connect your apps</h1>
<p>0 of <%= it.apps.length %> connected</p>
<ul>
<% for (const app of it.apps) { %><li>
<h2><%= app.name %></h2><p><%= app.state %></p>
<a href="/onboarding/connect/<%= app.id %>">Connect <%= app.name %></a>
<form method="post" action="/onboarding/skip/<%= app.id %>"><button>Skip for now</button></form>
</li><% } %>
</ul>
${FILLER.repeat(78)}
</body></html>`)

/** @param apps `id`: percent-encoded */
export const renderPage = (
  email: string,
  apps: readonly { id: string; name: string; state: string }[],
): string => eta.render(page, { email, apps })
