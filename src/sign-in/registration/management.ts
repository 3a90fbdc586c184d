// Asks about and removes a registered client at its management address (RFC 7592).
import { parseJsonObject, readBody } from '../../http/body.ts'
import { isSafe } from '../../http/loopback.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { RegisteredClient } from './metadata.ts'

const TIME_LIMIT_MS = 10_000

export type RegistrationResponse = { status: number; text: string; retryAfter: string | undefined }

/** @throws if there is no response */
export async function request(
  address: string,
  { method, token, body: sent }: { method: string; token: string | undefined; body?: string },
): Promise<RegistrationResponse> {
  const { status, body, headers } = await fetch(address, {
    method,
    headers: omitUndefined({
      accept: 'application/json',
      'content-type': sent && 'application/json',
      authorization: token && `Bearer ${token}`,
    }),
    body: sent ?? null,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  })
  // The status is enough: a truncated body is still a response.
  const text = body === null ? '' : await readBody({ status, body }).catch(() => '')
  return { status, text, retryAfter: headers.get('retry-after') ?? undefined }
}

/** Undefined if the server gave no management address, or one that isn't safe for the token. */
function manage(
  client: RegisteredClient,
  method: 'GET' | 'DELETE',
): Promise<RegistrationResponse> | undefined {
  const { registration_client_uri: uri, registration_access_token: token } = client
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) return undefined
  return isSafe(new URL(uri)) ? request(uri, { method, token }) : undefined
}

/** RFC 7592 3: a server may replace these when it is asked about a client. */
const REPLACEABLE = [
  'client_secret',
  'client_secret_expires_at',
  'registration_access_token',
  'registration_client_uri',
]

/** RFC 7592 2.1; only 401 means gone. @returns the client with what was replaced, or unchanged if the server can't tell */
export async function readClient(client: RegisteredClient): Promise<RegisteredClient | 'gone'> {
  const response = await manage(client, 'GET')?.catch(() => undefined)
  if (response?.status === 401) return 'gone'
  const body = response?.status === 200 ? parseJsonObject(response.text) : undefined
  if (body?.['client_id'] !== client.client_id) return client
  const replaced = REPLACEABLE.filter(
    (name) => body[name] !== client[name] && typeof body[name] === typeof client[name],
  )
  if (replaced.length === 0) return client
  return { ...client, ...Object.fromEntries(replaced.map((name) => [name, body[name]])) } as RegisteredClient
}

/** `no-means`: the server gave no address or token for it. */
export type Removal = { kind: 'removed' | 'no-means' | 'unanswered' } | { kind: 'refused'; status: number }

/** RFC 7592 2.3. Best effort: doesn't throw. */
export async function removeClient(client: RegisteredClient): Promise<Removal> {
  const request = manage(client, 'DELETE')
  if (request === undefined) return { kind: 'no-means' }
  const response = await request.catch(() => undefined)
  if (response === undefined) return { kind: 'unanswered' }
  const isRemoved = response.status >= 200 && response.status < 300
  return isRemoved ? { kind: 'removed' } : { kind: 'refused', status: response.status }
}
