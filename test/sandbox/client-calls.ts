// Calls of the Client API as a client makes them, and what comes back.
import { z } from 'zod'
import type { Sandbox } from '../../packages/sandbox/src/sandbox.ts'

const entrySchema = z.object({
  datasourceInstance: z.string(),
  displayName: z.string().optional(),
  authStatus: z.string(),
  authUrlRelativePath: z.string().optional(),
})
const checkSchema = z.strictObject({ unauthorizedDatasourceInstances: z.array(entrySchema) })

export type Entry = z.infer<typeof entrySchema>

export type CallOptions = {
  token?: string | undefined
  headers?: Record<string, string>
  body?: unknown
  method?: string
}

/** Calls an operation of the Client API. */
export async function call(
  sandbox: Sandbox,
  pathAndQuery: string,
  options: CallOptions = {},
): Promise<Response> {
  const { token, headers, body, method = 'POST' } = options
  return fetch(`${sandbox.urls.service}/rest/api/v1/${pathAndQuery}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** What a person still has to authorize. */
export async function check(sandbox: Sandbox, personId: string, finalRedirectUrl?: string): Promise<Entry[]> {
  const query =
    finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
  const response = await call(sandbox, `checkdatasourceauth${query}`, {
    token: sandbox.serviceTokens.user(personId),
  })
  if (response.status !== 200) throw new Error(`the check answered ${response.status}`)
  return checkSchema.parse(await response.json()).unauthorizedDatasourceInstances
}

/** The full address that starts the authorization of one datasource. */
export async function authorizationAddress(
  sandbox: Sandbox,
  personId: string,
  instance: string,
  finalRedirectUrl?: string,
): Promise<string> {
  const entries = await check(sandbox, personId, finalRedirectUrl)
  const entry = entries.find(({ datasourceInstance }) => datasourceInstance === instance)
  if (entry?.authUrlRelativePath === undefined) throw new Error(`${instance} is not in the list`)
  return sandbox.urls.service + entry.authUrlRelativePath
}

/** The JSON object in an answer. */
export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(await response.json())
}
