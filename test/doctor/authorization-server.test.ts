// The doctor's probes of authorization servers that differ from the sandbox, over real HTTP.
import { expect, it, onTestFinished } from 'vitest'
import { startPlainServer } from '../helpers/plain-authorization-server.ts'
import type { Answers, PlainRequest, PlainServer } from '../helpers/plain-authorization-server.ts'
import { runDoctor, newSecret, type Finding } from './setup.ts'

const PUBLIC_URL = 'https://onramp.acme.test'
const CALLBACK = `${PUBLIC_URL}/sign-in/callback`
const SECRET = 'the-right-secret-of-the-tests'

async function start(answers: Answers): Promise<PlainServer> {
  const server = await startPlainServer(answers)
  server.clients.set('onramp', SECRET)
  onTestFinished(() => server.close())
  return server
}

async function findingsFor(
  server: PlainServer,
  check: string,
  changed: Record<string, string> = {},
): Promise<Finding[]> {
  const { findings } = await runDoctor({
    PUBLIC_URL,
    OIDC_ISSUER: server.url,
    OIDC_CLIENT_ID: 'onramp',
    OIDC_CLIENT_SECRET: SECRET,
    SESSION_SECRET: newSecret() + newSecret(),
    ...changed,
  })
  return findings.filter((finding) => finding.check === `authorization-server.${check}`)
}

it('the doctor advises to send the secret in the form, also after a bare challenge', async () => {
  const posting: Answers = {
    '/token': ({ headers, res }, own) =>
      headers.authorization === undefined
        ? own.json(res, { error: 'invalid_grant' }, 400)
        : res.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
  }
  expect(await findingsFor(await start(posting), 'client')).toMatchObject([
    { settings: ['OIDC_CLIENT_AUTH'], fix: 'set it to client_secret_post' },
  ])
})

const check = 'redirect-registered'
const to = ({ res }: PlainRequest, location: string) => void res.writeHead(302, { location }).end()

it('the doctor tries the redirect URI like a browser, and keeps no code', async () => {
  const server = await start({
    '/authorize': (exchange, own) => {
      const isBrowser = exchange.headers['sec-fetch-mode'] === 'navigate'
      const isOurs = exchange.query.get('redirect_uri') === CALLBACK
      return isBrowser
        ? to(exchange, isOurs ? `${CALLBACK}?code=canary` : '/error')
        : own.json(exchange.res, { error: 'login_required' }, 401)
    },
  })
  const lines = await findingsFor(server, check)
  expect(lines).toMatchObject([{ status: 'ok' }])
  expect(JSON.stringify(lines)).not.toContain('canary')
})

it('a server that shows its sign-in page for any redirect URI is fine', async () => {
  const page: Answers = { '/authorize': ({ res }) => void res.end('<h1>Sign in</h1>') }
  expect(await findingsFor(await start(page), check)).toEqual([])
})

it.each<[string, Answers[string]]>([
  ['an ordinary page', ({ res }) => void res.end('<p>AADSTS50011: The redirect URI does not match</p>')],
  ['an error page, by a redirect', (exchange) => to(exchange, '/problem?error=invalid_redirect_uri')],
  ['403 and a reason', ({ res }) => void res.writeHead(403).end('Callback URL mismatch: redirect_uri')],
])('the doctor finds a redirect URI that is refused on %s', async (_title, authorize) => {
  expect(await findingsFor(await start({ '/authorize': authorize }), check)).toMatchObject([
    { status: 'fail', settings: ['PUBLIC_URL'] },
  ])
})

it('a trial registration that the server accepts is deleted again', async () => {
  const server = await start({
    '/register': (exchange, own) => {
      const uri = { registration_client_uri: `${own.url}/register/one`, registration_access_token: 'rat' }
      own.json(exchange.res, { client_id: 'one', ...uri }, 201)
    },
    '/register/one': ({ res }) => void res.writeHead(204).end(),
  })
  const own = { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' }
  expect(await findingsFor(server, 'registration', own)).toMatchObject([{ status: 'ok' }])
  expect(server.requests).toContain('DELETE /register/one')
})
