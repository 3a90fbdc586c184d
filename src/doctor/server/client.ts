// Does the authorization server know the client? Asked with a code and a token that are made up. Some servers answer any
// client in the same way, so an invented client and a wrong secret are tried too: only a difference means something.
import { randomBytes, generateKeyPairSync } from 'node:crypto'
import { allowInsecureRequests, Configuration } from 'openid-client'
import { addressesOf } from '../../sign-in/addresses.ts'
import {
  clientAuthOf,
  formEncoded,
  type ClientAuthentication,
} from '../../sign-in/server/client-authentication.ts'
import {
  probeClient,
  probeEndpoints,
  type ProbeAnswer,
  type ProbeEndpoint,
} from '../../sign-in/server/client-probe.ts'
import { isSafeAddress } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, missing, ok, skip, warn, type Finding } from '../finding.ts'
import {
  acceptedFinding,
  failingFinding,
  isFailing,
  notAllowedFinding,
  unansweredFinding,
  unclearFinding,
} from './client-findings.ts'
import type { Metadata } from './discovered.ts'

const canSign = (how: ClientAuthentication): Promise<boolean> =>
  clientAuthOf(how).then(
    () => true,
    () => false,
  )

export async function clientKey({ settings }: Subject): Promise<Finding> {
  const { OIDC_CLIENT_KEY: key, OIDC_CLIENT_AUTH: method } = settings
  if (key === undefined) return skip('OIDC_CLIENT_KEY is not set.')
  if (!(await canSign({ method: 'private_key_jwt', key })))
    return fail("OIDC_CLIENT_KEY doesn't contain a private key that can sign.", {
      settings: ['OIDC_CLIENT_KEY'],
      fix: 'set an RSA, P-256 or Ed25519 key in PEM format (PKCS #8); OIDC_CLIENT_KEY_FILE is easiest',
    })
  if (method === 'private_key_jwt') return ok('OIDC_CLIENT_KEY can sign.')
  return warn('OIDC_CLIENT_KEY is set but not used.', {
    settings: ['OIDC_CLIENT_AUTH'],
    fix: 'set it to private_key_jwt, or remove the key',
  })
}

/**
 * client_secret_basic percent-encodes everything but letters, digits and - _ . * (RFC 6749 2.3.1). Some servers do not
 * decode, and refuse such a client (invalid_client) although its secret is right.
 */
export function clientBasic({ settings }: Subject): Finding {
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret, OIDC_CLIENT_AUTH: method } = settings
  if (method !== 'client_secret_basic') return skip('client_secret_basic is not used.')
  if (id === undefined || secret === undefined)
    return skip('OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is not set.')
  const encoded = [id, secret].filter((text) => formEncoded(text) !== text)
  if (encoded.length === 0) return ok('The client ID and secret need no escaping.')
  const which =
    encoded.length === 2 ? 'The id and the secret are' : encoded[0] === id ? 'The id is' : 'The secret is'
  return ok(
    `${which} percent-encoded in the header. Some servers do not decode: if the client is refused (invalid_client) although the secret is right, set OIDC_CLIENT_AUTH to client_secret_post, or have a secret of letters and digits made.`,
  )
}

type Method = ClientAuthentication['method']
type Tried = { clientId: string; how: ClientAuthentication }
type Ask = (tried: Tried, endpoint: ProbeEndpoint) => Promise<ProbeAnswer>

const TIME_LIMIT_SECONDS = 6

async function configurationOf(metadata: Metadata, { clientId, how }: Tried): Promise<Configuration> {
  const auth = await clientAuthOf(how)
  const configuration = new Configuration(metadata, clientId, undefined, auth)
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

const OTHER_WAY: Partial<Record<Method, Method>> = {
  client_secret_basic: 'client_secret_post',
  client_secret_post: 'client_secret_basic',
}

/** The same secret is sent in the other way too, which shows whether OIDC_CLIENT_AUTH is wrong. */
async function refusedFinding(tried: Tried, endpoint: ProbeEndpoint, askThere: Ask): Promise<Finding> {
  const { method } = tried.how
  const other = OTHER_WAY[method]
  const isOther =
    other !== undefined &&
    (await askThere({ ...tried, how: { ...tried.how, method: other } }, endpoint)) === 'accepted'
  if (isOther)
    return fail(`The client credentials work, but only with ${other}.`, {
      settings: ['OIDC_CLIENT_AUTH'],
      fix: `set it to ${other}`,
    })
  const proof = method === 'private_key_jwt' ? 'OIDC_CLIENT_KEY' : 'OIDC_CLIENT_SECRET'
  return fail(
    `The authorization server rejected the client (401 or invalid_client at the ${endpoint} endpoint).`,
    {
      settings: ['OIDC_CLIENT_ID', ...(method === 'none' ? [] : [proof]), 'OIDC_CLIENT_AUTH'],
      fix: 'copy the client ID and the secret or key from the authorization server again',
    },
  )
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
  if (!isSafeAddress(metadata.token_endpoint)) return skip('no token endpoint to ask.')
  const how = { method, secret, key }
  if (!(await canSign(how))) return missing('an OIDC_CLIENT_KEY that can sign')

  const { callback } = addressesOf(url ?? 'https://onramp.invalid')
  const askThere: Ask = async (one, endpoint) =>
    await probeClient(await configurationOf(metadata, one), endpoint, callback)
  const tried = { clientId, how }
  return await judge(tried, await usableEndpoints(metadata, tried), askThere)
}

/** Asks each endpoint until one distinguishes the right client from wrong ones. */
async function judge(tried: Tried, endpoints: readonly ProbeEndpoint[], askThere: Ask): Promise<Finding> {
  const { method } = tried.how
  let isAccepted = false
  let refusesOtherId = false
  let refusesOtherSecret = method === 'none'
  for (const endpoint of endpoints) {
    const answer = await askThere(tried, endpoint)
    if (answer === 'refused') return await refusedFinding(tried, endpoint, askThere)
    // Whatever another endpoint says of the client, no one can sign in then.
    if (endpoint === 'token' && answer === 'silent') return unansweredFinding
    if (endpoint === 'token' && isFailing(answer)) return failingFinding(answer)
    if (endpoint === 'token' && answer === 'not-allowed')
      return notAllowedFinding(await askThere({ ...tried, clientId: invented() }, endpoint))
    if (answer !== 'accepted') continue
    isAccepted = true
    const isRefused = async (other: Tried) => /^(refused|challenged)$/.test(await askThere(other, endpoint))
    refusesOtherId ||= await isRefused({ ...tried, clientId: invented() })
    refusesOtherSecret ||= await isRefused({ ...tried, how: wrong(tried.how) })
    if (refusesOtherId && refusesOtherSecret) break
  }
  return isAccepted ? acceptedFinding(method, refusesOtherId, refusesOtherSecret) : unclearFinding
}
