// Reads what a registration endpoint answered (RFC 7591 3.2): tolerantly, because a client that was made and is not used
// is made again with every try. Pure.
import type { ClientMetadata } from 'openid-client'
import { objectIn } from '../../client-api/body.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { RequestedMetadata } from './metadata.ts'

/** The client as it is kept: client_id, perhaps a secret and when it expires, the method it wants. */
export type Registered = ClientMetadata & { client_secret_expires_at?: number }

export type Read = { client: Registered; oddities: string[] } | { unusable: string }

/** What is kept of the answer. Anything else could only change how answers are checked, which was not asked for. */
const TEXTS = [
  'client_secret',
  'scope',
  'token_endpoint_auth_method',
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'registration_client_uri',
  'registration_access_token',
] as const

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']

type Json = Record<string, unknown>

/** Seconds since 1970; 0 where the secret does not expire, or where the answer makes no sense. */
function expiryIn({ client_secret_expires_at: said }: Json, now: number, oddities: string[]): number {
  const seconds = typeof said === 'string' && /^\d{1,15}$/.test(said) ? Number(said) : said
  if (seconds === undefined || seconds === null || seconds === 0) return 0
  if (typeof seconds === 'number' && seconds * 1000 > now) return seconds
  oddities.push('client_secret_expires_at is not in the future: the secret counts as lasting')
  return 0
}

/** How the client is to prove itself: as the server says, where that can be done with what it gave. */
function methodIn(kept: Json, asked: string, oddities: string[]): string {
  const said = kept['token_endpoint_auth_method']
  const hasSecret = kept['client_secret'] !== undefined
  const canBe = (method: string) =>
    METHODS.includes(method) &&
    (method !== 'private_key_jwt' || asked === method) &&
    (!method.startsWith('client_secret') || hasSecret)
  if (typeof said === 'string' && canBe(said)) return said
  if (said !== undefined) oddities.push('token_endpoint_auth_method is not one that can be used here')
  if (canBe(asked)) return asked
  if (!hasSecret) oddities.push('there is no client_secret: the client counts as a public one')
  return hasSecret ? 'client_secret_basic' : 'none'
}

/** The addresses of one kind, as they are registered. What was not asked for was not registered. */
function addressesIn(said: unknown, wanted: unknown): { kept: string[] | undefined; areLacking: boolean } {
  if (!Array.isArray(said)) return { kept: wanted === undefined ? [] : undefined, areLacking: false }
  const areLacking = Array.isArray(wanted) && wanted.some((one) => !said.includes(one))
  return { kept: said.filter((one) => typeof one === 'string'), areLacking }
}

/**
 * @param requested what was asked for @param now milliseconds since 1970
 * @returns the client, or why the answer cannot be used although the server took the request
 */
export function readRegistered(text: string, requested: RequestedMetadata, now: number): Read {
  const body = objectIn(text)
  if (body === undefined) return { unusable: 'the body is not a JSON object' }
  const { client_id: id } = body
  if (typeof id !== 'string' || id === '') return { unusable: 'there is no client_id that is a text' }
  const oddities: string[] = []
  const kept: Json = {}
  for (const name of TEXTS) if (typeof body[name] === 'string' && body[name] !== '') kept[name] = body[name]
  for (const name of ['redirect_uris', 'post_logout_redirect_uris']) {
    const addresses = addressesIn(body[name], requested[name])
    if (addresses.areLacking) oddities.push(`${name} are not those that were asked for`)
    if (addresses.kept !== undefined) kept[name] = addresses.kept
  }
  const client: Registered = {
    ...omitUndefined({ id_token_signed_response_alg: requested.id_token_signed_response_alg }),
    ...kept,
    client_id: id,
    token_endpoint_auth_method: methodIn(kept, requested.token_endpoint_auth_method, oddities),
    client_secret_expires_at: expiryIn(body, now, oddities),
  }
  return { client, oddities }
}

const MAX_LETTERS = 200

/** Words of the server for the log: one short line without control characters, and without `secret`. */
function wordsOf(said: unknown, secret: string | undefined): string | undefined {
  if (typeof said !== 'string') return undefined
  const plain = said.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  const masked = secret === undefined || secret === '' ? plain : plain.replaceAll(secret, '…')
  return masked === '' ? undefined : masked.slice(0, MAX_LETTERS)
}

/** `error` and `error_description` of a refusal (RFC 7591 3.2.2). */
export function readRefusal(text: string, secret: string | undefined) {
  const body = objectIn(text)
  return {
    error: wordsOf(body?.['error'], secret),
    description: wordsOf(body?.['error_description'], secret),
  }
}
