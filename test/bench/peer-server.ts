// The peer: express-openid-connect with its sessions in Redis through connect-redis, as its documentation shows it and
// with its own defaults (a rolling session, written back by every request). It calls the service over undici's pool, like
// onramp and the floor.
import express from 'express'
import { RedisStore } from 'connect-redis'
import oidc from 'express-openid-connect'
import { createClient } from 'redis'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { createPage, readEnvironment } from './page.ts'

const settings = readEnvironment()
const { ISSUER, BASE_URL, CLIENT_ID, CLIENT_SECRET, SECRET } = z
  .object({
    ISSUER: z.url(),
    BASE_URL: z.url(),
    CLIENT_ID: z.string(),
    CLIENT_SECRET: z.string(),
    SECRET: z.string(),
  })
  .parse(process.env)
const redis = createClient({ url: settings.REDIS_URL })
type Store = NonNullable<NonNullable<oidc.ConfigParams['session']>['store']>
// Compatible by its documentation; the types disagree because onramp adds to express-session's.
const store = new RedisStore({ client: redis, prefix: 'peer:' }) as object as Store
const dispatcher = new Agent({ connections: 128, keepAliveTimeout: 30_000 })
const page = createPage(settings.PAGE_BYTES)
const check = `${settings.SERVICE_BASE_URL}/rest/api/v1/checkdatasourceauth`

async function ask(accessToken: string): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${accessToken}`,
    'content-type': 'application/json',
    accept: 'application/json',
  }
  return (await request(check, { dispatcher, method: 'POST', headers })).body.json()
}

await redis.connect()
const app = express()
app.use(
  oidc.auth({
    issuerBaseURL: ISSUER,
    baseURL: BASE_URL,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: SECRET,
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
  const answer = await ask(req.oidc.accessToken?.access_token ?? '')
  res.send(page(String(req.oidc.user?.['email']), answer))
})
app.listen(settings.PORT, '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
