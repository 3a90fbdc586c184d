// A small authorization server of the tests' own, for habits of real servers that the sandbox does not have: each path's
// answer can be replaced. It signs ada in without asking, and knows the clients that registered.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

type Json = Record<string, unknown>

export type Asked = {
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** A JSON body as it is, a form as an object. */
  body: Json
  res: ServerResponse
}

export type Answers = Record<string, (asked: Asked, server: PlainServer) => void>

export type PlainServer = {
  url: string
  /** `METHOD path`, in order. */
  seen: string[]
  /** Bodies that the registration endpoint was sent. */
  registrations: Json[]
  /** Client ids to secrets. */
  clients: Map<string, string>
  answers: Answers
  /** Added to each id_token, and to each answer of the token endpoint. */
  claims: Json
  tokens: Json
  json(res: ServerResponse, body: unknown, status?: number): void
  /** Makes a client as `asked` wants it. @returns what RFC 7591 3.2.1 says */
  register(asked: Asked): Json
  /** Does the request come from a client that is known, with its secret? */
  isKnown(asked: Asked): boolean
  close(): Promise<void>
}

async function readBody(req: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text.startsWith('{') ? (JSON.parse(text) as Json) : Object.fromEntries(new URLSearchParams(text))
}

function credentialsOf({ headers, body }: Asked): [string, string | undefined] {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return [String(body['client_id']), body['client_secret'] as string | undefined]
  const [id = '', secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
  return [id, secret]
}

const OWN_METADATA = (url: string): Json => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  jwks_uri: `${url}/keys`,
  registration_endpoint: `${url}/register`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  id_token_signing_alg_values_supported: ['ES256'],
})

/** @param metadata members that are added, or replaced */
export async function startPlainServer(
  answers: Answers = {},
  metadata: (url: string) => Json = () => ({}),
): Promise<PlainServer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'one' }
  const nonces = new Map<string, string>()
  let made = 0

  const standard: Answers = {
    '/.well-known/openid-configuration': ({ res }) =>
      server.json(res, { ...OWN_METADATA(server.url), ...metadata(server.url) }),
    '/keys': ({ res }) => server.json(res, { keys: [jwk] }),
    '/register': (asked) => server.json(asked.res, server.register(asked), 201),
    '/authorize': ({ query, res }) => {
      const back = new URL(query.get('redirect_uri') ?? '')
      const code = `code-${nonces.size}`
      nonces.set(code, query.get('nonce') ?? '')
      back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()
      res.writeHead(302, { location: back.href }).end()
    },
    '/token': (asked) => {
      const isRefresh = asked.body['grant_type'] === 'refresh_token'
      const nonce = isRefresh ? '' : nonces.get(String(asked.body['code']))
      if (!server.isKnown(asked)) return server.json(asked.res, { error: 'invalid_client' }, 401)
      if (nonce === undefined) return server.json(asked.res, { error: 'invalid_grant' }, 400)
      const [id] = credentialsOf(asked)
      return void new SignJWT({
        ...(isRefresh ? {} : { nonce }),
        email: 'ada@acme.example',
        ...server.claims,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(server.url)
        .setAudience(id)
        .setSubject('ada')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
        .then((token) =>
          server.json(asked.res, {
            access_token: `access-${made}`,
            token_type: 'Bearer',
            expires_in: 300,
            id_token: token,
            ...server.tokens,
          }),
        )
    },
  }

  const listener = createServer((req, res) => {
    const url = new URL(req.url ?? '/', server.url)
    server.seen.push(`${req.method} ${url.pathname}`)
    void readBody(req).then((body) => {
      const asked = { path: url.pathname, query: url.searchParams, headers: req.headers, body, res }
      if (url.pathname === '/register' && req.method === 'POST') server.registrations.push(body)
      const answer = server.answers[url.pathname] ?? standard[url.pathname]
      if (answer === undefined) server.json(res, { error: 'not_found' }, 404)
      else answer(asked, server)
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  const server: PlainServer = {
    url: `http://127.0.0.1:${address.port}`,
    seen: [],
    registrations: [],
    clients: new Map(),
    answers,
    claims: {},
    tokens: {},
    json: (res, body, status = 200) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    register({ body }) {
      const [id, secret] = [`client-${++made}`, `secret-of-client-${made}-aaaaaaaaaaaa`]
      server.clients.set(id, secret)
      return { ...body, client_id: id, client_secret: secret, client_secret_expires_at: 0 }
    },
    isKnown(asked) {
      const [id, secret] = credentialsOf(asked)
      return server.clients.has(id) && server.clients.get(id) === secret
    },
    async close() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return server
}
