// An authorization server for behavior of real servers that the sandbox lacks: a test can replace the response of each
// path. It signs ada in without a prompt, and accepts registered clients.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callbackUrl, createTokenSigner, metadataOf } from './token-signer.ts'

type Json = Record<string, unknown>

export type PlainRequest = {
  query: URLSearchParams
  headers: IncomingMessage['headers']
  /** The parsed body: JSON, or a form as an object. */
  body: Json
  res: ServerResponse
}

export type Answers = Record<string, (request: PlainRequest, server: PlainServer) => void>

export type PlainServer = {
  url: string
  /** `METHOD path`, in order. */
  requests: string[]
  /** The bodies of registration requests. */
  registrations: Json[]
  clients: Map<string, string>
  answers: Answers
  /** Added to each id_token, and to each response of the token endpoint. */
  claims: Json
  tokens: Json
  json(res: ServerResponse, body: unknown, status?: number): void
  /** Registers a client. @returns the response of RFC 7591 3.2.1 */
  register(request: PlainRequest): Json
  isKnown(request: PlainRequest): boolean
  close(): Promise<void>
}

async function readBody(req: IncomingMessage): Promise<Json> {
  let text = ''
  for await (const chunk of req) text += String(chunk)
  return text.startsWith('{') ? (JSON.parse(text) as Json) : Object.fromEntries(new URLSearchParams(text))
}

function credentialsOf({ headers, body }: PlainRequest): [string, string | undefined] {
  const basic = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1]
  if (basic === undefined) return [String(body['client_id']), body['client_secret'] as string | undefined]
  const [id = '', secret] = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
  return [id, secret]
}

/** The default responses. @param metadata members that are added or replaced */
function standardAnswers(metadata: (url: string) => Json): Answers {
  const signer = createTokenSigner('ES256')
  const nonces = new Map<string, string>()
  return {
    '/.well-known/openid-configuration': ({ res }, server) => {
      const { url } = server
      const registration_endpoint = `${url}/register`
      server.json(res, { ...metadataOf(url, 'ES256'), registration_endpoint, ...metadata(url) })
    },
    '/keys': ({ res }, server) => server.json(res, signer.keys),
    '/register': (request, server) => server.json(request.res, server.register(request), 201),
    '/authorize': ({ query, res }) => {
      const code = `code-${nonces.size}`
      nonces.set(code, query.get('nonce') ?? '')
      res.writeHead(302, { location: callbackUrl(query, code) }).end()
    },
    '/token': (request, server) => {
      const { body, res } = request
      const isRefresh = body['grant_type'] === 'refresh_token'
      const nonce = isRefresh ? '' : nonces.get(String(body['code']))
      if (!server.isKnown(request)) return server.json(res, { error: 'invalid_client' }, 401)
      if (nonce === undefined) return server.json(res, { error: 'invalid_grant' }, 400)
      const iat = Math.floor(Date.now() / 1000)
      const claims = { iss: server.url, aud: credentialsOf(request)[0], sub: 'ada', iat, exp: iat + 300 }
      const id_token = signer.idToken({
        ...claims,
        ...(!isRefresh && { nonce }),
        email: 'ada@acme.example',
        ...server.claims,
      })
      const access_token = `access-${server.clients.size}`
      server.json(res, { access_token, token_type: 'Bearer', expires_in: 300, id_token, ...server.tokens })
    },
  }
}

/** @param metadata members that are added or replaced */
export async function startPlainServer(
  answers: Answers = {},
  metadata: (url: string) => Json = () => ({}),
): Promise<PlainServer> {
  const standard = standardAnswers(metadata)
  let registrations = 0
  const listener = createServer((req, res) => {
    const { pathname, searchParams: query } = new URL(req.url ?? '/', server.url)
    server.requests.push(`${req.method} ${pathname}`)
    void readBody(req).then((body) => {
      if (pathname === '/register' && req.method === 'POST') server.registrations.push(body)
      const answer = server.answers[pathname] ?? standard[pathname]
      if (answer === undefined) server.json(res, { error: 'not_found' }, 404)
      else answer({ query, headers: req.headers, body, res }, server)
    })
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')

  const server: PlainServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests: [],
    registrations: [],
    clients: new Map(),
    answers,
    claims: {},
    tokens: {},
    json: (res, body, status = 200) =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    register({ body }) {
      const id = `client-${++registrations}`
      const secret = `secret-of-${id}-aaaaaaaaaaaa`
      server.clients.set(id, secret)
      return { ...body, client_id: id, client_secret: secret, client_secret_expires_at: 0 }
    },
    isKnown(request) {
      const [id, secret] = credentialsOf(request)
      return server.clients.has(id) && server.clients.get(id) === secret
    },
    async close() {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
  return server
}
