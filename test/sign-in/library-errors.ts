// Fixture: errors of the OpenID Connect library, produced by responses within this process.
import { allowInsecureRequests, ClientError, Configuration, customFetch } from 'openid-client'
import type { ServerMetadata } from 'openid-client'
import { expect } from 'vitest'

export const issuer = 'http://as.example'

/** A client that gets this response to every request. */
export function answering(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  more: Partial<ServerMetadata> = {},
): Configuration {
  const metadata = { issuer, token_endpoint: `${issuer}/token`, ...more }
  const configuration = new Configuration(metadata, 'client', 'secret')
  allowInsecureRequests(configuration)
  const isText = typeof body === 'string'
  const type = isText ? 'text/html' : 'application/json'
  configuration[customFetch] = async () =>
    new Response(isText ? body : JSON.stringify(body), {
      status,
      headers: { 'content-type': type, ...headers },
    })
  return configuration
}

/** The library's error for a missing or unusable response. */
export const libraryError = (code: string, cause?: unknown): ClientError =>
  Object.assign(new ClientError('x', { cause }), { code })

export const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('the library takes the answer'),
    (error: unknown) => error,
  )
