// The overview as a good engineer would write it in an afternoon with the same libraries: sessions sealed in Redis
// through express-session, the walk's record, helmet, one call, a template. /enter signs a person in without an
// authorization server.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { RedisStore } from 'connect-redis'
import express, { type Request } from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { checkApps, redis, renderPage, settings } from './overview.ts'

const key = Buffer.from(hkdfSync('sha256', randomBytes(32), '', 'plain', 32))

function seal(value: unknown): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

function open(text: string): unknown {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAuthTag(bytes.subarray(12, 28))
  return JSON.parse(decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8'))
}

type Person = { email: string; accessToken: string }
type Walk = { attempts: Record<string, { leftAt: number }>; skipped: string[] }

await redis.connect()
const app = express()
app.use(helmet())
app.use(
  session({
    name: 'plain',
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    store: new RedisStore({
      client: redis,
      prefix: 'plain:session:',
      serializer: { stringify: seal, parse: (text: string) => open(text) as session.SessionData },
    }),
  }),
)

const personOf = (req: Request) => (req.session as unknown as { person?: Person }).person
const walkKey = ({ email }: Person) => `plain:walk:${email}`

app.get('/enter/:number', async (req, res) => {
  const number = req.params.number
  const person = { email: `person${number}@acme.example`, accessToken: `access-${number}` }
  Object.assign(req.session, { person })
  const attempts = Number(number) % 10 === 0 ? { slack_1: { leftAt: Date.now() } } : {}
  await redis.set(walkKey(person), seal({ attempts, skipped: [] } satisfies Walk), { EX: 86_400 })
  res.redirect(303, '/onboarding')
})

app.get('/onboarding', async (req, res) => {
  const person = personOf(req)
  if (person === undefined) return res.redirect(303, '/sign-in')
  const [stored, listed] = await Promise.all([redis.get(walkKey(person)), checkApps(person.accessToken)])
  const walk = stored === null ? { attempts: {}, skipped: [] } : (open(stored) as Walk)
  const apps = listed.map(({ datasourceInstance: id, displayName: name }) => {
    const state = walk.attempts[id] === undefined ? 'Not connected' : 'Checking'
    return { id: encodeURIComponent(id), name, state: walk.skipped.includes(id) ? 'Skipped' : state }
  })
  res.send(renderPage(person.email, apps))
})

app.listen(Number(settings.PORT), '127.0.0.1')
