// The peer: express-openid-connect with its sessions in Redis through connect-redis, as its documentation shows it and
// with its own defaults. It calls the service as onramp does, and its page has as many bytes.
import { RedisStore } from 'connect-redis'
import express from 'express'
import oidc from 'express-openid-connect'
import { checkApps, FILLER, redis, settings } from './service-call.ts'

type Store = NonNullable<NonNullable<oidc.ConfigParams['session']>['store']>
// Compatible by its documentation; the types disagree because onramp adds to express-session's.
const store = new RedisStore({ client: redis, prefix: 'peer:' }) as object as Store

/** Of the page without the filler. */
const OTHER_BYTES = 560
const filler = FILLER.repeat(Math.round((Number(settings.PAGE_BYTES) - OTHER_BYTES) / FILLER.length))
const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

type Entry = { datasourceInstance: string; displayName: string }

function pageFor(email: string, entries: readonly Entry[]): string {
  const items = entries.map(
    ({ datasourceInstance, displayName }) =>
      `<li><a href="/onboarding/connect/${encodeURIComponent(datasourceInstance)}">Connect ${escape(displayName)}</a></li>\n`,
  )
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Connect your apps</title></head>
<body>
<p>Signed in as ${escape(email)}</p>
<h1>Connect your apps</h1>
<ul>
${items.join('')}</ul>
${filler}</body>
</html>
`
}

await redis.connect()
const app = express()
app.use(
  oidc.auth({
    issuerBaseURL: settings.ISSUER,
    baseURL: `http://127.0.0.1:${settings.PORT}`,
    clientID: 'peer',
    clientSecret: settings.CLIENT_SECRET,
    secret: settings.SECRET,
    authRequired: true,
    authorizationParams: {
      response_type: 'code',
      response_mode: 'query',
      scope: 'openid email profile offline_access',
    },
    session: { store },
  }),
)
app.get('/onboarding', async (req, res) => {
  const response = (await checkApps(req.oidc.accessToken?.access_token ?? '')) as Record<string, Entry[]>
  res.send(pageFor(String(req.oidc.user?.['email']), response['unauthorizedDatasourceInstances'] ?? []))
})
app.listen(Number(settings.PORT), '127.0.0.1')
