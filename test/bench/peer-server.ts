// The peer: express-openid-connect with its sessions in Redis through connect-redis, as its documentation shows it and
// with its own defaults. Its call and its page are the plain server's.
import { RedisStore } from 'connect-redis'
import express from 'express'
import oidc from 'express-openid-connect'
import { checkApps, redis, renderPage, settings } from './overview.ts'

type Store = NonNullable<NonNullable<oidc.ConfigParams['session']>['store']>
// Compatible by its documentation; the types disagree because onramp adds to express-session's.
const store = new RedisStore({ client: redis, prefix: 'peer:' }) as object as Store

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
  const apps = (await checkApps(req.oidc.accessToken?.access_token ?? '')).map(
    ({ datasourceInstance, displayName: name }) => ({
      id: encodeURIComponent(datasourceInstance),
      name,
      state: 'Not connected',
    }),
  )
  res.send(renderPage(String(req.oidc.user?.['email']), apps))
})
app.listen(Number(settings.PORT), '127.0.0.1')
