// Does the authorization server know the client? Asked with a code and a token that are made up. Some servers answer any
// client in the same way, so an invented client and a wrong secret are tried too: only a difference means something.
import { randomBytes, generateKeyPairSync } from 'node:crypto'
import { allowInsecureRequests, Configuration, type ServerMetadata } from 'openid-client'
import { addressesOf } from '../../sign-in/addresses.ts'
import { clientAuthOf, type ClientAuthentication } from '../../sign-in/server/client-authentication.ts'
import {
  probeClient,
  probeEndpoints,
  type ProbeAnswer,
  type ProbeEndpoint,
} from '../../sign-in/server/client-probe.ts'
import { isSafeAddress } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding } from '../finding.ts'
import { canSign } from './client-proof.ts'
import type { Metadata } from './discovered.ts'

type Method = ClientAuthentication['method']
type Tried = { clientId: string; how: ClientAuthentication }
type Ask = (tried: Tried, endpoint: ProbeEndpoint) => Promise<ProbeAnswer>

const TIME_LIMIT_SECONDS = 6

async function configurationOf(metadata: Metadata, { clientId, how }: Tried): Promise<Configuration> {
  const auth = await clientAuthOf(how)
  const configuration = new Configuration(metadata as ServerMetadata, clientId, undefined, auth)
  configuration.timeout = TIME_LIMIT_SECONDS
  // Only endpoints with https, or on this machine, are asked.
  allowInsecureRequests(configuration)
  return configuration
}

const invented = () => `onramp-doctor-${randomBytes(12).toString('base64url')}`

function wrong(how: ClientAuthentication): ClientAuthentication {
  if (how.method !== 'private_key_jwt') return { ...how, secret: invented() }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...how, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** The same secret, sent in the other way: it shows which of the two settings is wrong. */
const OTHER_WAY: Partial<Record<Method, Method>> = {
  client_secret_basic: 'client_secret_post',
  client_secret_post: 'client_secret_basic',
}

type Verdict =
  | { kind: 'refused'; endpoint: ProbeEndpoint }
  | { kind: 'not-allowed' | 'silent' | 'unclear' }
  /** `id`: an invented client is refused; `secret`: so is this one with a wrong secret. */
  | { kind: 'accepted'; id: boolean; secret: boolean }

/** Asks each endpoint until one distinguishes the right client from wrong ones. */
async function judge(tried: Tried, endpoints: readonly ProbeEndpoint[], askThere: Ask): Promise<Verdict> {
  const accepted = { id: false, secret: false }
  const first = new Set<ProbeAnswer>()
  for (const endpoint of endpoints) {
    const answer = await askThere(tried, endpoint)
    if (answer === 'refused') return { kind: 'refused', endpoint }
    if (endpoint === 'token' && answer === 'not-allowed') return { kind: 'not-allowed' }
    first.add(answer)
    if (answer !== 'accepted') continue
    accepted.id ||= (await askThere({ ...tried, clientId: invented() }, endpoint)) === 'refused'
    accepted.secret ||=
      tried.how.method === 'none' ||
      (await askThere({ ...tried, how: wrong(tried.how) }, endpoint)) === 'refused'
    if (accepted.id && accepted.secret) break
  }
  if (first.has('accepted')) return { kind: 'accepted', ...accepted }
  return { kind: first.has('unclear') || first.has('not-allowed') ? 'unclear' : 'silent' }
}

function acceptedFinding(method: Method, { id, secret }: { id: boolean; secret: boolean }): Finding {
  if (id && method === 'none') return ok('The authorization server knows the client.')
  if (id && secret) return ok('The authorization server knows the client, and accepts its authentication.')
  if (id)
    return skip(
      'the server knows it, but answers a wrong secret in the same way: compare the secret by hand.',
    )
  if (secret) return ok("The authorization server accepts the client's authentication.")
  return skip(
    'cannot be checked: the server answers an invented client in the same way. The first sign-in will show it.',
  )
}

function refusedFinding(method: Method, endpoint: ProbeEndpoint): Finding {
  const proof = method === 'private_key_jwt' ? 'OIDC_CLIENT_KEY' : 'OIDC_CLIENT_SECRET'
  return fail(
    `The authorization server does not accept the client (invalid_client at the ${endpoint} endpoint).`,
    {
      settings: ['OIDC_CLIENT_ID', ...(method === 'none' ? [] : [proof]), 'OIDC_CLIENT_AUTH'],
      fix: 'copy the id and the secret or key from the authorization server again',
    },
  )
}

function findingOf(verdict: Verdict, method: Method): Finding {
  switch (verdict.kind) {
    case 'accepted':
      return acceptedFinding(method, verdict)
    case 'refused':
      return refusedFinding(method, verdict.endpoint)
    case 'not-allowed':
      return fail('The client may not use the authorization code flow (unauthorized_client).', {
        settings: ['OIDC_CLIENT_ID'],
        fix: 'allow authorization_code and refresh_token for the client at the authorization server',
      })
    case 'unclear':
      return warn('The token endpoint answers in a way that says nothing about the client.', {
        settings: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
        fix: 'compare them with the authorization server by hand',
      })
    case 'silent':
      return fail('The token endpoint gives no usable answer.', {
        settings: ['OIDC_ISSUER'],
        fix: 'let this machine reach the token_endpoint of the metadata',
      })
  }
}

/** Endpoints that are safe to ask, and that accept this way of authentication as far as the server says. */
async function usableEndpoints(metadata: Metadata, tried: Tried): Promise<ProbeEndpoint[]> {
  const configuration = await configurationOf(metadata, tried)
  return probeEndpoints(configuration).filter((endpoint) => {
    const methods = metadata[`${endpoint}_endpoint_auth_methods_supported`]
    const isAccepted = endpoint === 'token' || !Array.isArray(methods) || methods.includes(tried.how.method)
    return isAccepted && isSafeAddress(String(metadata[`${endpoint}_endpoint`]))
  })
}

export async function client(metadata: Metadata, { settings }: Subject): Promise<Finding> {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_AUTH: method, PUBLIC_URL: url } = settings
  const { OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_KEY: key } = settings
  if (clientId === undefined || method === undefined) return skip('OIDC_CLIENT_ID is not set.')
  if (method.startsWith('client_secret') && secret === undefined)
    return skip('OIDC_CLIENT_SECRET is not set.')
  if (!isSafeAddress(metadata.token_endpoint)) return skip('there is no token endpoint to ask.')
  const how = { method, secret, key }
  if (!(await canSign(how))) return skip('OIDC_CLIENT_KEY cannot be used.')

  const { callback } = addressesOf(url ?? 'https://onramp.invalid')
  const askThere: Ask = async (one, endpoint) =>
    await probeClient(await configurationOf(metadata, one), endpoint, callback)
  const tried = { clientId, how }
  const verdict = await judge(tried, await usableEndpoints(metadata, tried), askThere)
  const other = OTHER_WAY[method]
  if (verdict.kind !== 'refused' || other === undefined) return findingOf(verdict, method)
  const second = await askThere({ clientId, how: { ...how, method: other } }, verdict.endpoint)
  if (second !== 'accepted') return findingOf(verdict, method)
  return fail(`The client is right, but the authorization server wants ${other}.`, {
    settings: ['OIDC_CLIENT_AUTH'],
    fix: `set it to ${other}`,
  })
}
