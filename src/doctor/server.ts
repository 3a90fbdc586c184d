// Facts about the authorization server: what it says of itself, found as the server finds it, and what its endpoints
// answer. No one signs in, and nothing is registered.
import { hash } from 'node:crypto'
import type { AuthorizationServer as Metadata } from 'oauth4webapi'
import { z } from 'zod'
import { jsonIn } from '../client-api/body.ts'
import { addressesOf } from '../sign-in/addresses.ts'
import { readRegistered } from '../sign-in/registration/answer.ts'
import { requestedMetadata, type RequestedMetadata } from '../sign-in/registration/metadata.ts'
import { removeClient } from '../sign-in/registration/request.ts'
import { clientAuthOf } from '../sign-in/server/client-authentication.ts'
import { findMetadata, type Discovery } from '../sign-in/server/discovery.ts'
import type { Settings } from '../settings/settings.ts'
import { ask, isSafeAddress, navigate, type Reply } from './ask.ts'
import { clientIn, tryClient, type Client, type ClientFacts } from './client.ts'
import type { Setup } from './rule.ts'

export type { Metadata }

/** What a server said the time was, and when it came by our own clock; milliseconds since 1970. */
export type Times = { theirs: number | undefined; ours: number }

export type DiscoveryFacts = { issuer: string; discovery: Discovery }

export type ServerFacts = {
  metadata: Metadata
  times: Times
  /** What jwks_uri answered, and how many keys in it sign. */
  keys: { reply: Reply; count: number } | undefined
  /** What a sign-in is answered with our redirect address, and with one that no one can have registered. */
  authorization: { redirect: string; ours: Look; invented: Look } | undefined
  /** What the endpoints think of the client of the settings, or of the one that onramp registered before. */
  client: ClientFacts | undefined
  /** Without OIDC_CLIENT_ID: what the next start asks for, and what a request that can't be granted is answered. */
  registration: { requested: RequestedMetadata; reply: Reply | undefined } | undefined
}

const TIME_LIMIT_SECONDS = 8

export const discover = async (issuer: string): Promise<DiscoveryFacts> => ({
  issuer,
  discovery: await findMetadata(issuer, TIME_LIMIT_SECONDS),
})

/** A server may send anything: an address that is no text, or a list that is none, counts as absent. */
function isUsable([name, value]: [string, unknown]): boolean {
  if (name.endsWith('s_supported'))
    return Array.isArray(value) && value.every((one) => typeof one === 'string')
  return typeof value === 'string' || !/_(endpoint|uri)$/.test(name)
}

/** @param registered the client that onramp registered before @param now milliseconds since 1970 */
export async function lookAtServer(
  { metadata: said, date }: Discovery & { kind: 'found' },
  { settings }: Setup,
  registered: Client | undefined,
  now: () => number,
): Promise<ServerFacts> {
  const ours = now()
  const metadata = Object.fromEntries(Object.entries(said).filter(isUsable)) as Metadata
  const theirs = Date.parse(date ?? '')
  const client = clientIn(settings) ?? registered
  const canAuthenticate =
    client &&
    (await clientAuthOf(client.how).then(
      () => true,
      () => false,
    ))
  const [keys, authorization, tried, registration] = await Promise.all([
    fetchKeys(metadata),
    askToSignIn(metadata, settings, client?.id),
    canAuthenticate ? tryClient(metadata, client, settings) : undefined,
    registered === undefined ? askToRegister(metadata, settings, now) : undefined,
  ])
  const times = { theirs: Number.isNaN(theirs) ? undefined : theirs, ours }
  return { metadata, times, keys, authorization, client: tried, registration }
}

const keysSchema = z
  .object({ keys: z.array(z.looseObject({ kty: z.string(), use: z.string().optional() })) })
  .catch({ keys: [] })

async function fetchKeys({ jwks_uri: address }: Metadata): Promise<ServerFacts['keys']> {
  if (!isSafeAddress(address)) return undefined
  const reply = await ask(address)
  const keys = reply.kind === 'answer' ? keysSchema.parse(jsonIn(reply.text)).keys : []
  return { reply, count: keys.filter(({ kty, use }) => use !== 'enc' && kty !== 'oct').length }
}

/** What the answer to an authorization request looks like. */
export type Look =
  | { kind: 'silent'; status?: number }
  /** By a firewall or a limit, it seems: nothing in it is about the client or the address. */
  | { kind: 'barred'; status: number }
  /** To the redirect address, with a code or with an error. */
  | { kind: 'back'; error: string | undefined }
  /** To another address, most likely to sign in. */
  | { kind: 'onward' }
  | { kind: 'refused'; status: number; text: string }
  | { kind: 'page' }

const SHOWS_REFUSAL =
  /AADSTS50011|redirect.?ur[il].{0,60}(mismatch|invalid|not (registered|match|allowed))|invalid.{0,20}redirect/is

/** A firewall, or a gate in front of the server, answers so; the server itself gives a reason. */
const BARS = [401, 403, 407]

/** Pure. @param endpoint the authorization endpoint @param redirect the address in the request */
function lookOf(reply: Reply, endpoint: string, redirect: string): Look {
  if (reply.kind === 'silent') return { kind: 'silent' }
  const { status, text } = reply
  if (status >= 500) return { kind: 'silent', status }
  if (status === 429 || (BARS.includes(status) && !/redirect|client|callback/i.test(text)))
    return { kind: 'barred', status }
  const location = reply.header('location')
  if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, endpoint)) {
    const target = new URL(location, endpoint)
    const inFragment = new URLSearchParams(target.hash.slice(1))
    const value = (name: string) => target.searchParams.get(name) ?? inFragment.get(name) ?? undefined
    if (target.href.startsWith(`${redirect}?`) || target.href.startsWith(`${redirect}#`))
      return { kind: 'back', error: value('code') === undefined ? (value('error') ?? 'an error') : undefined }
    const isError = /error/i.test(target.pathname) || value('error') !== undefined
    return isError ? { kind: 'refused', status, text: target.search + target.hash } : { kind: 'onward' }
  }
  if (status >= 400 || SHOWS_REFUSAL.test(text)) return { kind: 'refused', status, text }
  return { kind: 'page' }
}

type SignIn = { clientId: string; redirect: string }

function signInAddress(endpoint: string, settings: Partial<Settings>, { clientId, redirect }: SignIn): URL {
  const url = new URL(endpoint)
  const scope = settings.OIDC_SCOPE ?? 'openid'
  const parameters = {
    ...settings.OIDC_AUTHORIZATION_PARAMS,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope,
    state: 'onramp-doctor',
    nonce: scope.split(' ').includes('openid') ? 'onramp-doctor' : undefined,
    code_challenge: hash('sha256', 'onramp-doctor', 'base64url'),
    code_challenge_method: 'S256',
    prompt: 'none',
    resource: settings.OIDC_RESOURCE,
    audience: settings.OIDC_AUDIENCE,
  }
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  return url
}

/** No one can have registered it (RFC 2606). */
const INVENTED = 'https://onramp-doctor.invalid/no-such-callback'

async function askToSignIn(
  metadata: Metadata,
  settings: Partial<Settings>,
  clientId: string | undefined,
): Promise<ServerFacts['authorization']> {
  const { authorization_endpoint: endpoint, require_pushed_authorization_requests: isPushed } = metadata
  const { PUBLIC_URL: url } = settings
  if (clientId === undefined || url === undefined || !isSafeAddress(endpoint) || isPushed === true)
    return undefined
  const redirect = addressesOf(url).callback
  const lookAt = async (address: string): Promise<Look> => {
    const url = signInAddress(endpoint, settings, { clientId, redirect: address })
    return lookOf(await navigate(url), endpoint, address)
  }
  return { redirect, ours: await lookAt(redirect), invented: await lookAt(INVENTED) }
}

/** Without a usable redirect address an open endpoint refuses it as such, and a closed one doesn't even read it. */
const NOT_A_REGISTRATION = JSON.stringify({
  client_name: 'onramp doctor (may be removed)',
  redirect_uris: 'none: onramp doctor checks whether this is open',
})

async function askToRegister(
  metadata: Metadata,
  settings: Partial<Settings>,
  now: () => number,
): Promise<ServerFacts['registration']> {
  const { PUBLIC_URL: url, OIDC_CLIENT_ID: clientId, OIDC_INITIAL_ACCESS_TOKEN: token } = settings
  if (clientId !== undefined || url === undefined) return undefined
  const requested = requestedMetadata(settings as Settings, metadata, undefined)
  const endpoint = metadata.registration_endpoint
  if (!isSafeAddress(endpoint)) return { requested, reply: undefined }
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...authorization }
  const reply = await ask(endpoint, { method: 'POST', headers, body: NOT_A_REGISTRATION })
  if (reply.kind === 'answer' && reply.status >= 200 && reply.status < 300) {
    // It makes a client of anything: that one is removed again, as far as the server allows it (RFC 7592 2.3).
    const read = readRegistered(reply.text, requested, now())
    if ('client' in read) await removeClient(read.client)
  }
  return { requested, reply }
}
