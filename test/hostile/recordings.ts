// Hostile input of the deprecation checker: recordings, descriptions of APIs, waivers and announcements.
import * as fc from 'fast-check'
import { checkFiles } from '../../packages/deprecations/src/check/check.ts'
import { openSource } from '../../packages/deprecations/src/input/source.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { createWatch } from '../../packages/deprecations/src/watch/watch.ts'
import { bent, jsonTextWith, near, reshaped, type Reader, words } from './inputs.ts'

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

async function check(text: string, format?: Parameters<typeof checkFiles>[1]['format']): Promise<void> {
  const faults: string[] = []
  const file = { name: 'stdin', open: () => openSource('stdin', bytesOf(text)) }
  const options = { schedule: publishedSchedule, asOf: '2026-11-22', format }
  const { found, requests } = await checkFiles([file], options, (fault) => faults.push(fault))
  if (requests === 0 && found.length > 0) throw new Error('it finds uses without a request')
  const broken = faults.find((fault) => /\p{Cc}/u.test(fault))
  if (broken !== undefined) throw new Error(`a fault has control characters: ${JSON.stringify(broken)}`)
}

const url = 'https://acme.service.example/rest/api/v1/chat'
const call = {
  method: 'POST',
  url,
  request: { query: 'x', citations: ['t'] },
  response: '{"messages":[]}',
  status: 200,
  time: '2026-11-22T10:00:00Z',
}
const sent = { url, method: 'POST', headers: [], postData: { text: JSON.stringify(call.request) } }
const received = { status: 200, headers: [], content: { text: 'eyJhIjoxfQ==', encoding: 'base64' } }
const har = { log: { entries: [{ startedDateTime: call.time, request: sent, response: received }] } }
const openapi = `openapi: 3.1.0
info: { title: x, version: "1" }
paths:
  /rest/api/v1/chat:
    post:
      requestBody: { $ref: '#/components/requestBodies/S' }
      responses: { '200': { description: ok } }
components:
  requestBodies: { S: { content: { application/json: { schema: { $ref: '#/components/schemas/S' } } } } }
  schemas: { S: { type: object, properties: { citations: { $ref: '#/components/schemas/S' } } } }
`
const log =
  '10.0.0.1 - - [22/Nov/2026:10:00:00 +0000] "POST /rest/api/v1/chat?a=1 HTTP/1.1" 200 12 "-" "curl/8"'

const names = words(`log entries request response method url status headers name value postData text content
  encoding mimeType requestBody responses time openapi paths schema properties $ref
  components schemas allOf items additionalProperties citations`)

// Checks every call and response, and must not fail on unreadable ones.
const watch = createWatch(publishedSchedule, { seen: new Set() })
const answered = { method: 'POST', url, status: 200, headers: {} }

export const recordings: readonly Reader[] = [
  {
    name: 'a recording whose format is found out',
    input: near(JSON.stringify(call), JSON.stringify(har), openapi, log),
    read: (text) => check(text),
  },
  {
    name: 'NDJSON',
    input: fc.oneof(
      bent(`${JSON.stringify(call)}\n${JSON.stringify(call)}\n`),
      reshaped(call),
      jsonTextWith(...names),
    ),
    read: (text) => check(text, 'ndjson'),
  },
  {
    name: 'HAR',
    input: fc.oneof(bent(JSON.stringify(har)), reshaped(har), jsonTextWith(...names).map(inHar)),
    read: (text) => check(text, 'har'),
  },
  {
    name: 'OpenAPI',
    input: fc.oneof(near(openapi), jsonTextWith(...names).map(inOpenApi)),
    read: (text) => check(text, 'openapi'),
  },
  { name: 'an access log', input: near(log), read: (text) => check(text, 'log') },
  {
    name: 'the bodies of a call',
    input: near(...[call.request, har].map((body) => JSON.stringify(body)), 'a=1&citations=2'),
    read: (text) => watch.observe({ ...answered, request: text, response: Buffer.from(text) }),
  },
  {
    name: 'headers that announce a deprecation',
    input: near('Sat, 31 Oct 2026 00:00:00 GMT', '@1793404800', 'true', '<https://x.example>; rel="sunset"'),
    read: (text) =>
      watch.observe({ ...answered, url: text, status: 410, headers: { deprecation: text, sunset: text } }),
  },
]

function inHar(text: string): string {
  return `{"log":{"entries":[${text},{"request":${text},"response":${text}}]}}`
}

function inOpenApi(text: string): string {
  return `{"openapi":"3.1.0","paths":{"/rest/api/v1/chat":{"post":${text}}},"components":{"schemas":{"S":${text}}}}`
}
