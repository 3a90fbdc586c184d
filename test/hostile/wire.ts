// Hostile parts of requests, and hostile responses of the service.
import * as fc from 'fast-check'
import { readCheckResponse, readSearchResponse } from '../../src/client-api/responses.ts'
import { parseJson } from '../../src/http/body.ts'
import { retryAfterSeconds } from '../../src/http/retry-after.ts'
import { readErrorResponse } from '../../src/client-api/error-response.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { deviceName } from '../../src/sign-in/sessions/device.ts'
import { traceContextOf } from '../../src/trace/current-request.ts'
import { networkOf } from '../../src/web/network.ts'
import { jsonTextWith, near, reshaped, must, type Reader } from './inputs.ts'

const NOW = Date.UTC(2026, 10, 22)

const OWN = 'https://onramp.acme.example'
const ALLOWED = 'https://intranet.acme.example'

const returnAddresses: Reader = {
  name: 'an address to return to',
  input: near(
    '/onboarding?only=slack_1#top',
    `${ALLOWED}/home`,
    '//evil.example/',
    `${OWN}/..//evil.example`,
  ),
  read(value) {
    const address = safeReturnTo(value, { publicOrigin: OWN, allowedOrigins: [ALLOWED] })
    if (address === undefined) return
    const { origin } = new URL(address, OWN)
    must(origin === OWN || origin === ALLOWED, `lead to ${origin}`)
  },
}

const unconnected = {
  datasourceInstance: 'slack_1',
  displayName: 'Slack',
  authStatus: 'AWAITING_AUTH',
  authUrlRelativePath: '/auth/datasource/slack_1?token=x',
}

const checks: Reader = {
  name: 'the service’s list of apps',
  input: fc.oneof(
    reshaped({ unauthorizedDatasourceInstances: [unconnected, unconnected] }),
    jsonTextWith('unauthorizedDatasourceInstances', ...Object.keys(unconnected)),
  ),
  read(text) {
    const listed = readCheckResponse(parseJson(text))
    if (listed === undefined) return
    must(new Set(listed.map(({ instance }) => instance)).size === listed.length, 'list an app twice')
    for (const { instance, name, status, authUrlRelativePath } of listed) {
      must(instance !== '' && name !== '', 'list an app without a name')
      must(encodeURIComponent(instance) !== '', 'name an app by what can stand in no address')
      const isLedTo = status === 'awaiting' || status === 'stale'
      must(!isLedTo || authUrlRelativePath !== undefined, 'lead to an app without an address')
    }
  },
}

const result = {
  title: 'Plan',
  url: 'https://wiki.acme.example/plan',
  snippets: [{ snippet: 'a', text: 'b' }],
  document: { title: 'Plan', url: 'https://wiki.acme.example/plan', datasource: 'wiki' },
}

const searches: Reader = {
  name: 'search results',
  input: fc.oneof(
    reshaped({ requestID: 'r', results: [result, result] }),
    jsonTextWith('requestID', 'results', ...Object.keys(result)),
  ),
  read(text) {
    for (const { url } of readSearchResponse(parseJson(text))?.results ?? [])
      must(url === undefined || /^https?:/.test(url), `link to ${url}`)
  },
}

const refusals: Reader = {
  name: 'error responses of the service',
  input: near(
    '{"error":{"message":"Invalid Secret"}}',
    '<html><title>502</title>',
    'Bearer abcdef',
    '120',
    'Fri, 31 Dec 2100 23:59:59 GMT',
  ),
  read(text) {
    const answer = { status: 400, text, headers: {} }
    const { explanation } = readErrorResponse(answer, { secrets: ['abcdef'] }, NOW)
    must(!explanation.includes('abcdef'), 'repeat a secret')
    const seconds = retryAfterSeconds(text, NOW)
    must(Number.isInteger(seconds) && seconds > 0, `ask to wait for ${seconds} seconds`)
  },
}

const requestHeaders: Reader = {
  name: 'headers of a request',
  input: near(
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    'vendor=value,other@sys=1',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile Safari/604.1',
    '2001:db8::1',
    '::ffff:10.1.2.3',
  ),
  read(text) {
    traceContextOf(text, text)
    traceContextOf(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, text)
    deviceName(text)
    networkOf(text)
  },
}

export const wire: readonly Reader[] = [returnAddresses, checks, searches, refusals, requestHeaders]
