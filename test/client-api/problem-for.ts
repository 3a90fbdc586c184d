// Fixture: the client's problem for an error response.
import type { Credentials } from '../../src/client-api/credentials.ts'
import { ServiceProblem, serviceProblemOf, type noValidResponse } from '../../src/client-api/errors.ts'
import { readErrorResponse } from '../../src/client-api/error-response.ts'

export const NOW = Date.parse('2026-11-21T12:00:00Z')

type Input = {
  operation?: Parameters<typeof noValidResponse>[0]
  headers?: Record<string, string>
  secrets?: string[]
  credentials?: Credentials
  headerPrefix?: string
}

/** By default a check with a person's token. */
export function problemFor(status: number, text = '', given: Input = {}) {
  const { operation = 'checkdatasourceauth', headers = {}, secrets, headerPrefix } = given
  const { credentials = { kind: 'oauth', accessToken: 'abc', isExternalIdp: false } } = given
  const sent = { headerPrefix, ...(secrets && { secrets }) }
  return serviceProblemOf(readErrorResponse({ status, text, headers }, sent, NOW), {
    operation,
    credentials,
    headerPrefix,
  })
}

export type Fault = Partial<
  Pick<ServiceProblem, 'responseStatus' | 'requestedWait' | 'affectsEveryone' | 'mayBeAboutPerson'>
>

/** The problem of a campaign's check. @param fault `responseStatus`: undefined without a response */
export function checkProblem(fault: Fault): ServiceProblem {
  const { status, detail } = problemFor(fault.responseStatus ?? 500)
  return Object.assign(new ServiceProblem(status, 'service_unavailable', { detail }), fault)
}

export const GLOBAL_TOKEN = {
  kind: 'global-token',
  token: 'abc',
  actAs: 'ada@acme.example',
  setting: 'SERVICE_GLOBAL_TOKEN',
} as const
