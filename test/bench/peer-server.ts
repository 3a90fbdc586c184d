// The peer: express-openid-connect with its sessions in Redis through connect-redis, as its documentation shows it and
// with its own defaults (a rolling session, written back by every request). It calls the service over undici's pool, like
// onramp and the floor.
import express from 'express'
import { RedisStore } from 'connect-redis'
import oidc from 'express-openid-connect'
import { pageFor, redis, settings } from './page.ts'

const given = process.env as Record<'ISSUER' | 'BASE_URL' | 'CLIENT_ID' | 'CLIENT_SECRET' | 'SECRET', string>
type Store = NonNullable<NonNullable<oidc.ConfigParams['session']>['store']>
// Compatible by its documentation; the types disagree because onramp adds to express-session's.
const store = new RedisStore({ client: redis, prefix: 'peer:' }) as object as Store

await redis.connect()
const app = express()
app.use(
  oidc.auth({
    issuerBaseURL: given.ISSUER,
    baseURL: given.BASE_URL,
    clientID: given.CLIENT_ID,
    clientSecret: given.CLIENT_SECRET,
    secret: given.SECRET,
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
  res.send(await pageFor(String(req.oidc.user?.['email']), req.oidc.accessToken?.access_token ?? ''))
})
app.listen(Number(settings.PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
