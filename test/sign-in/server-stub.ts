// Fixture: a stub of an authorization server for the library in this process. Its responses can be replaced by path.
import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { allowInsecureRequests, ClientSecretPost, customFetch } from 'openid-client'
import { createConfiguration } from '../../src/sign-in/server/configuration.ts'

export const ISSUER = 'http://as.example'

export type Form = Record<string, string>
type RecordedRequest = { path: string; form: Form }
type Answer = { status?: number; body?: unknown; headers?: Record<string, string> }

const keys = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(keys.publicKey)), alg: 'ES256', kid: 'one' }

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
  id_token_signing_alg_values_supported: ['ES256'],
}

/** @param metadata members that are added or replaced @param client registered metadata of the client */
export function createServerStub(metadata: object, client: object) {
  const requests: RecordedRequest[] = []
  const answers: Record<string, (request: RecordedRequest) => Answer | Promise<Answer>> = {}
  const person = {
    sub: 'ada',
    claims: {} as Record<string, unknown>,
    tokens: {} as Record<string, unknown>,
    key: keys.privateKey,
    issuer: ISSUER,
    audience: 'onramp',
    /** Expiry of id_tokens: a lifetime in seconds, or a time in seconds since 1970. */
    expires: '5m' as string | number,
  }
  /** nonce and code_challenge of the authorization request of each code. */
  const codes = new Map<string, Form>()
  async function tokens(form: Form): Promise<Answer> {
    const { nonce } = codes.get(form['code'] ?? '') ?? {}
    const token = new SignJWT({
      ...(nonce !== undefined && { nonce }),
      sub: person.sub,
      name: 'Ada',
      email: 'ada@acme.example',
      email_verified: true,
      ...person.claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(person.issuer)
      .setAudience(person.audience)
      .setIssuedAt()
      .setExpirationTime(person.expires)
    const access_token = `access-${requests.length}`
    const body = { access_token, token_type: 'Bearer', expires_in: 300, refresh_token: 'refresh' }
    return { body: { ...body, id_token: await token.sign(person.key), ...person.tokens } }
  }
  const configurationNow = (forRefresh = false) => {
    const own = { metadata: { client_id: 'onramp', ...client }, auth: ClientSecretPost('hush') }
    const made = createConfiguration({ ...METADATA, ...metadata }, own, { forRefresh })
    allowInsecureRequests(made)
    made[customFetch] = async (url, { body }) => {
      const path = new URL(url).pathname
      const one = { path, form: Object.fromEntries(new URLSearchParams(body as URLSearchParams | undefined)) }
      if (path !== '/keys') requests.push(one)
      const standard: Answer | Promise<Answer> =
        path === '/keys' ? { body: { keys: [jwk] } } : path === '/token' ? tokens(one.form) : { status: 404 }
      const { status = 200, body: content, headers } = await (answers[path]?.(one) ?? standard)
      const text = content === undefined ? null : JSON.stringify(content)
      return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } })
    }
    return made
  }
  const server = { configuration: configurationNow(), isReady: true, did: [] as string[] }
  const refreshing = configurationNow(true)
  const authorizationServer = {
    configuration: async () => server.configuration,
    refreshConfiguration: async () => refreshing,
    isReady: () => server.isReady,
    forgetKeys() {
      server.did.push('forgetKeys')
      server.configuration = configurationNow()
    },
  }

  /** The parameters of the callback for an authorization request. */
  function callbackFor(sent: Form): string {
    const [code, { state = '' }] = [`code-${codes.size}`, sent]
    codes.set(code, sent)
    return `/sign-in/callback?${new URLSearchParams({ code, state }).toString()}`
  }
  /** True if the code_verifier of a token request matches the code_challenge of its sign-in (RFC 7636). */
  const hasCodeVerifier = ({ code = '', code_verifier: verifier = '' }: Form) =>
    codes.get(code)?.['code_challenge'] === createHash('sha256').update(verifier).digest('base64url')

  return { requests, answers, person, server, authorizationServer, callbackFor, hasCodeVerifier }
}
