// Whatever a call bears, its record never says less: what is in use stays so, and what may be is never called clean.
import fc from 'fast-check'
import { test } from 'vitest'
import { readRecord } from '../../packages/deprecations/src/input/ndjson.ts'
import { createMatcher, type Call } from '../../packages/deprecations/src/matching/deprecated-use.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { createRecorder } from '../../packages/deprecations/src/watch/recording.ts'

const citing = '{"citations":[1]}'
const base64 = Buffer.from(citing).toString('base64')
const name = fc.constantFrom(
  ...['citations', 'messages', 'message', 'a', 'name', 'key', 'value', 'body', 'headers', 'status', 'data'],
  ...[
    'text',
    'size',
    'type',
    'content',
    'encoding',
    'truncated',
    'messages[0].citations',
    '0',
    '__proto__',
    '$ref',
  ],
)
const word = fc.constantFrom(
  ...[
    'citations',
    'hello',
    '',
    citing,
    base64,
    `data:x;base64,${base64}`,
    'a=1&citations=2',
    'x {citations: []}',
  ],
  ...[
    'see "citations": []',
    '[object Object]',
    '{"cita',
    'tions":[]}',
    `<html>${citing}</html>`,
    'Buffer',
    '[DONE]',
  ],
)
const { value } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.oneof(word, fc.constantFrom(1, 812, true, null, [...Buffer.from(citing)], ['citations', 1])),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 4, selector: ([key]) => key })
    .map(Object.fromEntries),
}))
const json = value.map((one) => JSON.stringify(one))
const body = fc.oneof(
  { arbitrary: json, weight: 4 },
  word,
  fc.array(json, { maxLength: 3 }).map((lines) => lines.join('\n')),
  fc
    .array(fc.oneof(json, word), { maxLength: 3 })
    .map((all) => all.map((data) => `data: ${data}\n\n`).join('')),
  fc.tuple(json, json).map(([one, other]) => `{"a":${one},"a":${other}}`),
  json.map((text) => Buffer.from(text).toString('base64')),
  fc.tuple(json, json).map(([one, other]) => `{"body":${one},"headers":{"a":${other}}}`),
  json.map((text) => `payload=${encodeURIComponent(text)}`),
  json.map((text) => text.slice(0, -1)),
)
// Most sides are clean, so that the other one is what counts.
const clean = fc.constant({ text: '{"a":1}', isCut: false })
const seen = fc.oneof(
  { arbitrary: clean, weight: 3 },
  { arbitrary: fc.record({ text: body, isCut: fc.constant(false) }), weight: 5 },
  fc.record({ text: body, isCut: fc.constant(true) }),
  fc.constant(undefined),
)
const call = fc.record({
  time: fc.constant(0),
  method: fc.constantFrom('POST', 'post'),
  url: fc
    .tuple(
      fc.constantFrom('chat', 'getanswer', 'createannouncement'),
      fc.constantFrom('', '', '', '?citations=1', '?role', '?x=1#y'),
    )
    .map(([operation, query]) => `https://a/t/rest/api/v1/${operation}${query}`),
  status: fc.constantFrom(200, 204, 302, 400),
  request: seen,
  response: seen,
})

const matcher = createMatcher(publishedSchedule)
const recordOf = createRecorder(publishedSchedule)
const standing = { endpoint: 1, unread: 1, name: 1, exact: 2 }

/** What is known of each item: 2 in use, 1 may be. */
const standings = (call: Call) => {
  const found = new Map<string, number>()
  matcher.eachUse(call, ({ entry, confidence }) =>
    found.set(entry.id, Math.max(found.get(entry.id) ?? 0, standing[confidence])),
  )
  return found
}

test('a recording is never cleaner than the call', () => {
  fc.assert(
    fc.property(call, (made) => {
      const line = recordOf(made)
      const reading = readRecord({ text: line, value: JSON.parse(line) })
      if ('fault' in reading) return true
      const recorded = standings(reading.call)
      const { method, url, status, request, response } = made
      const raw = { method, url, status, request: request?.text, response: response?.text }
      return [...standings(raw)].every(([id, known]) => (recorded.get(id) ?? 0) >= known)
    }),
    { numRuns: 1_000 },
  )
})
