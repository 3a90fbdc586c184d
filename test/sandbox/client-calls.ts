// Fixture: calls of the Client API, and their responses.
import { afterAll, afterEach } from 'vitest'
import { z } from 'zod'
import { startSandbox, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/sandbox.ts'

/** One sandbox for all tests of a file, reset after each. */
export async function sharedSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  afterEach(sandbox.reset)
  afterAll(sandbox.close)
  return sandbox
}

const entrySchema = z.object({
  datasourceInstance: z.string(),
  displayName: z.string().optional(),
  authStatus: z.string(),
  authUrlRelativePath: z.string().optional(),
})
const checkSchema = z.strictObject({ unauthorizedDatasourceInstances: z.array(entrySchema) })

type Setup = { token?: string | undefined; headers?: object; body?: unknown; method?: string | undefined }

/** Calls an operation of the Client API, or another path of the service. */
export async function call(sandbox: Sandbox, path: string, options: Setup = {}): Promise<Response> {
  const { token, headers, body, method = 'POST' } = options
  return fetch(sandbox.urls.service + (path.startsWith('/') ? path : `/rest/api/v1/${path}`), {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

/** The datasources that a person hasn't authorized. */
export async function check(sandbox: Sandbox, personId: string, destination?: string) {
  const query = destination === undefined ? '' : `?final_redirect_url=${encodeURIComponent(destination)}`
  const token = sandbox.serviceTokens.user(personId)
  const response = await call(sandbox, `checkdatasourceauth${query}`, { token })
  return checkSchema.parse(await response.json()).unauthorizedDatasourceInstances
}

/** The URL that starts the authorization of one datasource. */
export async function authorizationAddress(
  sandbox: Sandbox,
  personId: string,
  instance: string,
  destination?: string,
): Promise<string> {
  const entries = await check(sandbox, personId, destination)
  const entry = entries.find(({ datasourceInstance }) => datasourceInstance === instance)
  return `${sandbox.urls.service}${entry?.authUrlRelativePath}`
}

/** The JSON object of a response. */
export async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(await response.json())
}
