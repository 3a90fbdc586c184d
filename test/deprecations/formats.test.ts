// Formats of recorded traffic: NDJSON, HAR and access logs. Unreadable content is reported, never called clean.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'
import { chat, check, citing, idsOf, outcome } from './checking.ts'

/** A value on which String() fails. */
const MUTE = { toString: 0 }

it('a finding in NDJSON has file, line, side, pointer, count, and first and last time', async () => {
  const at = (time: unknown) => ({ ...citing, time })
  const { report } = await check(
    ndjson(chat, at('2026-11-02T00:00:00Z'), at(1_793_500_000), at('2026-11-05')),
  )
  expect(report.inUse).toMatchObject([
    {
      id: 'chat.citations',
      count: 3,
      confidence: 'exact',
      firstSeen: '2026-11-01T02:26:40.000Z',
      lastSeen: '2026-11-05T00:00:00.000Z',
      places: [{ line: 2, side: 'request', pointer: '/messages/0/citations', count: 3 }],
    },
  ])
})

it('a broken or masked line is reported with its number, and the rest is read', async () => {
  const masked = ndjson({ ...chat, url: '[SECRET]' })
  const lines = ['{"method": "POST SECRET', '', '[1]', '{"url":"SECRET"}', masked]
  const { code, report, err } = await check(`${ndjson(chat)}${lines.join('\n')}${ndjson(citing)}`)
  expect(code).toBe(2)
  expect(report.requests).toBe(2)
  expect(report.faults).toBe(4)
  expect(err.match(/:\d+: /g)).toEqual([':2: ', ':4: ', ':5: ', ':6: '])
  expect(err).not.toContain('SECRET')
})

it('a broken line fails a check without findings, unless --ignore-broken is set', async () => {
  const content = `${ndjson({ method: 'GET', url: '/' })}{cut`
  expect((await check(content)).code).toBe(1)
  expect((await check(content, 'a.ndjson', '--ignore-broken')).code).toBe(0)
})

it('a hundred broken lines make twenty reports and a count', async () => {
  const { err } = await check('{broken\n'.repeat(100))
  expect(err.trim().split('\n')).toHaveLength(21)
  expect(err).toContain('80 more')
})

it.each([
  ['a byte order mark', `\uFEFF${ndjson(citing)}`],
  ['CRLF', ndjson(citing).replace('\n', '\r\n')],
  ['an unterminated last line', JSON.stringify(citing)],
])('a file with %s is read', async (_title, content) => {
  expect((await check(content)).report).toMatchObject({ requests: 1, faults: 0 })
})

it('a line of more than 2 Mi characters is skipped and reported', async () => {
  const long = JSON.stringify({ ...citing, more: 'x'.repeat(2_100_000) })
  const { report, err } = await check(`${ndjson(citing)}${long}\n${ndjson(citing)}`)
  expect(report).toMatchObject({ requests: 2, faults: 1 })
  expect(err).toContain(':2: longer than 2 Mi')
})

it('many occurrences of one item are counted, not stored', async () => {
  const calls = Array.from({ length: 300 }, (_, index) => ({
    ...chat,
    request: { citations: 1, a: { [`k${index}`]: { citations: 1 } } },
    response: {},
  }))
  const { report } = await check(ndjson(...calls))
  expect(report.inUse[0]).toMatchObject({ count: 300, elsewhere: 0, places: [{ count: 300 }] })
  const possible = calls.map((call) => ({ ...call, request: { a: call.request.a } }))
  const { mayBeInUse } = (await check(ndjson(...possible))).report
  expect(mayBeInUse).toMatchObject([{ count: 300, elsewhere: 250 }])
  expect(mayBeInUse[0]?.places).toHaveLength(50)
})

it('a report prints pointers to real members, never values, queries or data', async () => {
  const response = { people: { 'jo@example.com': { citations: ['SECRET'] }, '4711': { citations: 1 } } }
  const file = fileOf('a.ndjson', ndjson({ ...chat, url: `${chat.url}?token=SECRET`, response }))
  for (const form of [[], ['--json']]) {
    const { out, err, code } = await deprecations(['check', file, ...form])
    expect(code).toBe(3)
    expect(out).toMatch(/\/people(?![/\w])/)
    expect(out + err).not.toMatch(/SECRET|example\.com|4711/)
  }
})

it('a body that isn’t JSON is reported with its line and side', async () => {
  const { code, err, report } = await check(ndjson({ ...chat, response: 'SECRET=1' }))
  expect([code, report.faults]).toEqual([3, 1])
  expect(report.mayBeInUse).toMatchObject([{ confidence: 'unread', places: [{ line: 1, side: 'response' }] }])
  expect(err).toMatch(/:1: the response of POST \S+chat is cut off or not JSON; it may have citations\n$/)
  expect(await outcome(ndjson({ method: 'POST', url: '/search', response: '{"cut' }))).toEqual([0, [], []])
})

const message = (text?: string, more: object = {}) => ({ status: 200, content: { text, ...more } })
const entry = (response: object, url = chat.url) => ({
  startedDateTime: '2026-11-03T08:00:00.000Z',
  request: { method: 'POST', url, postData: { text: '{}' } },
  response,
})
const har = (...entries: unknown[]) => JSON.stringify({ log: { version: '1.2', entries } }, null, 1)
const plain = '{"text":"x"}'
const cites = '{"messages":[{"citations":[]}]}'
const GZIPPED = 'H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA=='
const empty = [{ name: 'Content-Length', value: '0' }]

it('a field in a body of a HAR is located by its entry', async () => {
  const { code, report } = await check(har(entry(message(plain)), entry(message(cites))), 'traffic.har')
  expect(code).toBe(3)
  expect(report.mayBeInUse[0]).toMatchObject({
    confidence: 'sent',
    firstSeen: '2026-11-03T08:00:00.000Z',
    places: [{ record: '/log/entries/1', side: 'response', pointer: '/messages/0/citations' }],
  })
})

it.each<[string, number, string[], object]>([
  ['is plain', 0, [], message(plain)],
  ['is in base64', 3, ['sent'], message(btoa(cites), { encoding: 'base64' })],
  ['is compressed in base64', 3, ['unread'], message(GZIPPED, { encoding: 'base64' })],
  ['is called base64 by Firefox, and is plain', 3, ['sent'], message(cites, { encoding: 'base64' })],
  ['is in base64 with line ends', 3, ['sent'], message(`${btoa(cites)}\r\n`, { encoding: 'base64' })],
  ['Playwright stored in another file', 3, ['endpoint'], message(undefined, { size: 9, _file: 'a1.json' })],
  ['was left out', 3, ['endpoint'], message(undefined, { size: 900 })],
  ['was streamed, and is empty without a length', 3, ['endpoint'], message('', { size: 0 })],
  ['is empty by its length', 0, [], { ...message(''), headers: empty }],
  ['has a length and no text', 3, ['endpoint'], { ...message(''), headers: [{ ...empty[0], value: '9' }] }],
  ['is empty by its status', 0, [], { ...message(''), status: 204 }],
  ['is shorter than the recorder saw', 3, ['endpoint'], message(plain, { size: 900 })],
  ['is a page', 3, ['unread'], message('<html>')],
  ['is a page of an error', 0, [], { ...message('<html>'), status: 502 }],
])('a body in a HAR that %s ends in exit code %i', async (_title, code, confidences, response) => {
  const checked = await check(har(entry(response)), 'a.har')
  const found = checked.report.mayBeInUse.map(({ confidence }) => confidence)
  expect([checked.code, found]).toEqual([code, confidences])
})

it('a body that Playwright stored in another file is read there', async () => {
  const recorded = har(entry(message(undefined, { size: 9, _file: 'a1.json' })))
  expect((await deprecations(['check', fileOf('a.har', recorded)])).out).toContain('in another file')
})

it('members that can’t become text don’t stop the reading of others', async () => {
  const odd = [
    { ...entry(message(cites)), request: { method: 'POST', url: [MUTE] } },
    entry({ headers: [{ name: MUTE }] }),
    entry(message(plain, { size: MUTE })),
    { ...entry(message(plain)), startedDateTime: MUTE },
  ]
  const { report } = await check(har(...odd, entry(message(cites))), 'a.har')
  expect(report.mayBeInUse).toMatchObject([{ id: 'chat.citations', confidence: 'sent' }])
})

it('a HAR entry without a valid request is reported, and a data: URL is skipped', async () => {
  const skipped = entry({}, 'data:image/png,x')
  const content = har({ request: 1 }, skipped, entry({}, '[SECRET]'), entry(message(cites)))
  const { report, err } = await check(content, 'a.har')
  expect(report).toMatchObject({ requests: 1, faults: 2, mayBeInUse: [{ id: 'chat.citations' }] })
  expect(err).toMatch(/a\.har: \/log\/entries\/0 not a request[^]+\/log\/entries\/2 not a whole request/)
  expect(err).not.toContain('SECRET')
})

const line = (request: string, status = 200) =>
  `10.0.0.1 - jo [03/Nov/2026:08:00:00 +0100] "${request}" ${status} 12 "-" "curl [\\"x\\"]"\n`

it('an access log in Common or Combined format gives endpoints, and fields possibly in use', async () => {
  const common = line('POST /api/index/v1/getusercount HTTP/1.1').replace(/ "-".*/, '')
  const log = `${line('POST /rest/api/v1/chat?x=SECRET HTTP/1.1')}${common}${line('OPTIONS * HTTP/1.1')}`
  const { code, report } = await check(log + line('\\x16\\x03', 400) + line('-', 408), 'access.log')
  expect(code).toBe(2)
  expect([idsOf(report.inUse), idsOf(report.mayBeInUse)]).toEqual([['getusercount'], ['chat.citations']])
  expect(report).toMatchObject({ requests: 2, faults: 0 })
  expect(report.inUse).toMatchObject([{ firstSeen: '2026-11-03T07:00:00.000Z', places: [{ line: 2 }] }])
})

const LOGS = new URL('../fixtures/logs/', import.meta.url)
it.each(readdirSync(LOGS))('an access log of a proxy is read: %s', async (name) => {
  const { code, report, err } = await check(readFileSync(new URL(name, LOGS)), name)
  expect(code).toBe(2)
  expect(report.requests).toBe(3)
  expect(report.faults).toBe(0)
  expect(err).toBe('')
  // HAProxy's log has no time zone.
  const from = name === 'haproxy.log' ? undefined : '2026-11-27T10:00:00'
  expect(report.inUse).toMatchObject([{ id: 'listanswers', count: 3 }])
  expect(report.inUse[0]?.firstSeen?.slice(0, 19)).toBe(from)
})

it('an access log with a column for the query shows its fields', async () => {
  const columns = '#Fields: cs-method cs-uri-stem cs-uri-query\n'
  const { report } = await check(`${columns}POST /rest/api/v1/chat citations=SECRET\n`, 'a.log')
  expect(report.mayBeInUse).toMatchObject([{ confidence: 'name' }])
})

const SQUID = '1286536309.450 180 192.0.2.1 TCP_MISS/200 411 GET http://a/ - -'
it.each([
  ['with spaces between its columns', SQUID, "awk '{print"],
  ['in JSON with names of its own', '{"verb":"POST","target":"/rest/api/v1/chat"}', 'jq -c'],
  ['in JSON that is cut off', '{"method":"POST","url":"/re', 'not JSON from its beginning to its end'],
])('an access log %s is refused with the command that converts it', async (_title, content, words) => {
  const { code, err } = await check(content, 'access.log')
  expect([code, err]).toEqual([1, expect.stringContaining(words)])
  expect(err).not.toMatch(/damaged|SECRET/)
})

it.each([
  ['empty', '', 'empty file, so nothing was checked'],
  ['compressed', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 'gunzip -c'],
  ['in UTF-16', Buffer.from('\uFEFFGET /', 'utf16le'), 'not text in UTF-8'],
  ['an array', '[{"method":"GET","url":"/"}]', 'not a request'],
  ['without a request', '{"log":{"entries":[]}}', 'no requests found'],
  ['no HAR', '{"log": {}}', 'traffic:1: not a HAR'],
  ['broken', '{"log": {\n "entries": [SECRET,\n', 'traffic:2: not valid JSON'],
])('a file that is %s is refused with advice', async (_title, content, advice) => {
  const { code, err } = await check(content, 'traffic')
  expect([code, err.trim().split('\n').length]).toEqual([1, 1])
  expect(err).toContain(advice)
  expect(err).not.toContain('SECRET')
})

it('a missing file doesn’t stop the reading of others', async () => {
  const file = fileOf('a.ndjson', ndjson(citing))
  const { code, out, err } = await deprecations(['check', '/nowhere/b.har', file])
  expect([code, err]).toEqual([2, '/nowhere/b.har: no such file; check the name\n'])
  expect(out).toContain('chat.citations')
  expect((await deprecations(['check', '/nowhere/b.har'])).code).toBe(1)
})
