// The authorization server, as little of it as there can be: whoever comes is signed in at once, as a person who was
// never there before. It keeps nothing: the code says what the id_token has to say.
import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'

const port = Number(process.env['PORT'])
const issuer = `http://127.0.0.1:${port}`
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' }]

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEAD = encoded({ alg: 'RS256', kid: 'bench', typ: 'JWT' })
const LIFE_SECONDS = 24 * 3600

const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic'],
}

type Code = { person: number; nonce: string | undefined; client: string }

const personOf = (number: number) => ({
  sub: `person${number}`,
  name: `Person ${number}`,
  email: `person${number}@acme.example`,
  email_verified: true,
})

function idToken({ person, nonce, client }: Code): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, aud: client, iat, exp: iat + LIFE_SECONDS, nonce, ...personOf(person) }
  const text = `${HEAD}.${encoded(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

function tokensFor(body: string) {
  const code = new URLSearchParams(body).get('code') ?? ''
  const said = JSON.parse(Buffer.from(code, 'base64url').toString()) as Code
  return {
    access_token: `access-${said.person}-abcdefghijklmnopqrstuvwxyz0123456789`,
    refresh_token: `refresh-${said.person}-abcdefghijklmnopqrstuvwxyz012345678`,
    token_type: 'Bearer',
    expires_in: LIFE_SECONDS,
    id_token: idToken(said),
  }
}

let people = 0

function backFrom(query: URLSearchParams): string {
  const back = new URL(query.get('redirect_uri') ?? '')
  const [nonce, client] = [query.get('nonce') ?? undefined, query.get('client_id') ?? '']
  back.searchParams.set('code', encoded({ person: people++, nonce, client } satisfies Code))
  back.searchParams.set('state', query.get('state') ?? '')
  return back.href
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req) body += String(chunk)
  return body
}

const server = createServer((req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '', issuer)
  const json = (value: object) => {
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify(value))
  }
  if (pathname === '/authorize') res.writeHead(303, { location: backFrom(searchParams) }).end()
  else if (pathname === '/token') void bodyOf(req).then((body) => json(tokensFor(body)))
  else if (pathname === '/userinfo')
    json(personOf(Number(/access-(\d+)/.exec(req.headers.authorization ?? '')?.[1])))
  else if (pathname === '/jwks') json({ keys })
  else json(metadata)
})
server.listen(port, '127.0.0.1')
