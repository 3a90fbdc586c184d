// Does the authorization endpoint still know our client? Asked as a browser would: without cookies, and without following
// redirects. A refusal alone says little, because firewalls refuse too: it has to be the one that a made-up client gets,
// at a server that answered the two differently when the client was new.
import { randomBytes } from 'node:crypto'
import { calculatePKCECodeChallenge, randomPKCECodeVerifier, type Configuration } from 'openid-client'
import { request } from 'undici'

const TIME_LIMIT_MS = 4_000

/** Servers answer a fetch otherwise than a navigation (Fetch Metadata, W3C), so undici's request and a browser's headers. */
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'cross-site',
  'user-agent': 'Mozilla/5.0 (onramp)',
}

const madeUp = () => `onramp-probe-${randomBytes(12).toString('base64url')}`

/** The status that an authorization request of this client is answered with, or undefined. */
async function answerTo(
  clientId: string,
  configuration: Configuration,
  redirect: string,
): Promise<number | undefined> {
  const { authorization_endpoint: endpoint } = configuration.serverMetadata()
  if (endpoint === undefined) return undefined
  const { scope } = configuration.clientMetadata()
  const url = new URL(endpoint)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope: typeof scope === 'string' ? scope : 'openid',
    state: madeUp(),
    nonce: madeUp(),
    code_challenge: await calculatePKCECodeChallenge(randomPKCECodeVerifier()),
    code_challenge_method: 'S256',
    // OpenID Connect Core 3.1.2.1: nothing is shown, so nothing is begun.
    prompt: 'none',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    const { statusCode, body } = await request(url, { headers: HEADERS, signal })
    await body.dump()
    return statusCode
  } catch {
    return undefined
  }
}

/** Refused for what was asked, and not because of the moment. */
const isRefusal = (status: number | undefined) =>
  status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429

/**
 * @param redirect the client's redirect address
 * @returns the status that refuses a made-up client where ours is not refused; undefined: the two cannot be told apart
 */
export async function refusalOfUnknown(
  configuration: Configuration,
  redirect: string,
): Promise<number | undefined> {
  const ours = await answerTo(configuration.clientMetadata().client_id, configuration, redirect)
  if (ours === undefined || ours >= 400) return undefined
  const other = await answerTo(madeUp(), configuration, redirect)
  return isRefusal(other) ? other : undefined
}

/** @param refusal what a made-up client was answered when ours was not: now both are */
export async function isRefusedAsUnknown(
  configuration: Configuration,
  redirect: string,
  refusal: number,
): Promise<boolean> {
  const { client_id: ours } = configuration.clientMetadata()
  for (const clientId of [ours, madeUp()])
    if ((await answerTo(clientId, configuration, redirect)) !== refusal) return false
  return true
}
