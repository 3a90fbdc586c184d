// Whatever a call bears, its record never says less: what is in use stays so, and what may be is never called clean.
import {
  array,
  assert,
  constant,
  constantFrom,
  letrec,
  oneof,
  property,
  record,
  tuple,
  uniqueArray,
} from 'fast-check'
import { expect, test } from 'vitest'
import { readRecord } from '../../packages/deprecations/src/input/ndjson.ts'
import { createMatcher, type Call } from '../../packages/deprecations/src/matching/deprecated-use.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { createRecorder } from '../../packages/deprecations/src/watch/recording.ts'

const citing = '{"citations":[1]}'
const base64 = Buffer.from(citing).toString('base64')
const name = constantFrom(
  ...'citations messages message a name key value body headers status data text size type content'.split(' '),
  ...'encoding truncated messages[0].citations 0 __proto__ $ref'.split(' '),
)
const word = constantFrom(
  ...'|citations|hello|Buffer|[DONE]|[object Object]|a=1&citations=2|x {citations: []}|see "citations": []'.split(
    '|',
  ),
  '{"cita',
  'tions":[]}',
  `<html>${citing}</html>`,
  citing,
  base64,
  `data:x;base64,${base64}`,
)
const { value } = letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 4, depthSize: 'small' },
    oneof(word, constantFrom(1, 812, true, null, [...Buffer.from(citing)], ['citations', 1])),
    tie('object'),
    array(tie('value'), { maxLength: 3 }),
  ),
  object: uniqueArray(tuple(name, tie('value')), { maxLength: 4, selector: ([key]) => key }).map(
    Object.fromEntries,
  ),
}))
const json = value.map((one) => JSON.stringify(one))
const body = oneof(
  { arbitrary: json, weight: 4 },
  word,
  array(json, { maxLength: 3 }).map((lines) => lines.join('\n')),
  array(oneof(json, word), { maxLength: 3 }).map((all) => all.map((data) => `data: ${data}\n\n`).join('')),
  tuple(json, json).map(([one, other]) => `{"a":${one},"a":${other}}`),
  json.map((text) => Buffer.from(text).toString('base64')),
  tuple(json, json).map(([one, other]) => `{"body":${one},"headers":{"a":${other}}}`),
  json.map((text) => `payload=${encodeURIComponent(text)}`),
  json.map((text) => text.slice(0, -1)),
)
// Most sides are clean, so that the other one is what counts.
const clean = constant({ text: '{"a":1}', isCut: false })
const seen = oneof(
  { arbitrary: clean, weight: 3 },
  { arbitrary: record({ text: body, isCut: constant(false) }), weight: 5 },
  record({ text: body, isCut: constant(true) }),
  constant(undefined),
)
const call = record({
  time: constant(0),
  method: constantFrom('POST', 'post'),
  url: tuple(
    constantFrom('chat', 'getanswer', 'createannouncement'),
    constantFrom('', '', '', '?citations=1', '?role', '?x=1#y'),
  ).map(([operation, query]) => `https://a/t/rest/api/v1/${operation}${query}`),
  status: constantFrom(200, 204, 302, 400),
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
  assert(
    property(call, (made) => {
      const line = recordOf(made)
      const reading = readRecord({ text: line, value: JSON.parse(line) })
      const recorded = 'call' in reading ? standings(reading.call) : undefined
      const { method, url, status, request, response } = made
      const raw = { method, url, status, request: request?.text, response: response?.text }
      for (const [id, known] of standings(raw))
        expect(recorded?.get(id) ?? 0, id).toBeGreaterThanOrEqual(known)
    }),
    { numRuns: 1_000 },
  )
})
