import { describe, expect, test } from 'vitest'
import { deprecations, fileOf, ndjson } from '../helpers/deprecations.ts'
import { check, chat, citing, idsOf } from './checking.ts'
import { callOf, rows } from './rows.ts'

describe('NDJSON', () => {
  test.each(rows)('finds $id where it is used, and not where its replacement is', async (row) => {
    const used = await check(ndjson(callOf(row, row.uses)))
    expect(idsOf(used.report.inUse)).toContain(row.id)
    expect(used.code).toBe(2)
    const replaced = await check(ndjson(callOf(row, row.instead)))
    expect([replaced.code, replaced.report.inUse]).toEqual([0, []])
  })

  test('says file, line, side and pointer, how often, and when first and last', async () => {
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
        places: [{ line: 2, side: 'response', pointer: '/messages/0/citations', count: 3 }],
      },
    ])
  })

  test('a broken line is reported with its number and the rest is read', async () => {
    const content = `${ndjson(chat)}{"method": "POST SECRET\n\n[1]\n{"url":"SECRET"}\n${ndjson(citing)}`
    const { code, report, err } = await check(content)
    expect(code).toBe(2)
    expect(report).toMatchObject({ requests: 2, faults: 3 })
    expect(err.split('\n').map((line) => /:(\d+): /.exec(line)?.[1])).toEqual(['2', '4', '5', undefined])
    expect(err).not.toContain('SECRET')
  })

  test('with nothing found a broken line fails the check, unless it may be ignored', async () => {
    const content = `${ndjson({ method: 'GET', url: '/' })}{cut`
    expect((await check(content)).code).toBe(1)
    expect((await check(content, 'a.ndjson', '--ignore-broken')).code).toBe(0)
  })

  test('a hundred broken lines make twenty reports and a count', async () => {
    const { err } = await check('{broken\n'.repeat(100))
    expect(err.trim().split('\n')).toHaveLength(21)
    expect(err).toContain('80 more')
  })

  test('byte order mark, CRLF and a last line without an end are read', async () => {
    const { report } = await check(`\uFEFF${ndjson(citing).replace('\n', '\r\n')}${JSON.stringify(citing)}`)
    expect(report).toMatchObject({ requests: 2, faults: 0 })
  })

  test('a line of more than 2 Mi characters is reported and passed over', async () => {
    const long = JSON.stringify({ ...citing, more: 'x'.repeat(2_100_000) })
    const { report, err } = await check(`${ndjson(chat)}${long}\n${ndjson(citing)}`)
    expect(report).toMatchObject({ requests: 2, faults: 1 })
    expect(err).toContain(':2: longer than 2 Mi')
  })

  test('many places of one item are counted, not kept', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({
      ...chat,
      response: { citations: 1, [`k${index}`]: { citations: 1 } },
    }))
    const { report } = await check(ndjson(...many))
    expect(report.inUse[0]).toMatchObject({ count: 300, elsewhere: 0, places: [{ count: 300 }] })
    const names = await check(
      ndjson(...many.map(({ response, ...call }) => ({ ...call, response: { response } }))),
    )
    expect(names.report.mayBeInUse[0]).toMatchObject({ count: 300, elsewhere: 251 })
    expect(names.report.mayBeInUse[0]?.places).toHaveLength(50)
  })

  test('values, queries and keys that are data are never printed, in any report', async () => {
    const response = {
      people: { 'jo@example.com': { citations: ['SECRET'] }, '4711': { citations: 'SECRET' } },
    }
    const file = fileOf('a.ndjson', ndjson({ ...chat, url: `${chat.url}?token=SECRET`, response }))
    for (const form of [[], ['--json'], ['--sarif'], ['--junit'], ['--annotations']]) {
      const { out, err, code } = await deprecations(['check', file, ...form])
      expect(code).toBe(3)
      expect(out).toContain('/people')
      expect(out + err).not.toMatch(/SECRET|example\.com|4711/)
    }
  })
})

describe('access logs', () => {
  test('plain lines and Common and Combined Log Format give endpoints, and fields that may be in use', async () => {
    const log = [
      '# a comment',
      'POST /rest/api/v1/listanswers',
      'POST https://a/tenant/rest/api/v1/chat?x=SECRET HTTP/1.1',
      '10.0.0.1 - jo [03/Nov/2026:08:00:00 +0100] "POST /api/index/v1/getusercount HTTP/1.1" 200 12 "-" "curl"',
      '10.0.0.1 - - [03/Nov/2026:08:00:00 +0100] "\\x16\\x03" 400 0',
    ].join('\n')
    const { code, report } = await check(log, 'access.log')
    expect(code).toBe(2)
    expect(idsOf(report.inUse).sort()).toEqual(['getusercount', 'listanswers'])
    expect(idsOf(report.mayBeInUse)).toEqual(['chat.citations'])
    expect(report.inUse.find(({ id }) => id === 'getusercount')).toMatchObject({
      firstSeen: '2026-11-03T07:00:00.000Z',
      places: [{ line: 4 }],
    })
    expect(report).toMatchObject({ requests: 3, faults: 0 })
  })

  test('what only may be in use fails the check with a code of its own, and comes first in the report', async () => {
    for (const path of ['chat', 'insights']) {
      const file = fileOf('a.log', `POST /rest/api/v1/${path}\n`)
      const { code, out } = await deprecations(['check', file])
      expect([code, out]).toEqual([3, expect.stringMatching(/^May be in use: 1 item/)])
      expect((await deprecations(['check', file, '--fail-on', 'use'])).code).toBe(0)
    }
    const used = fileOf('b.log', 'POST /rest/api/v1/chat\nPOST /rest/api/v1/listanswers\n')
    expect((await deprecations(['check', used])).code).toBe(2)
  })

  test('a line without a request is reported', async () => {
    const { code, err } = await check('GET /\nnonsense\n', 'a.log')
    expect(code).toBe(1)
    expect(err).toMatch(/a\.log:2: no request found; write METHOD URL|a\.log:2: no request found/)
  })
})

describe('what cannot be read', () => {
  test.each([
    ['empty', '', 'empty file, so nothing was checked'],
    ['compressed', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), 'gunzip -c'],
    ['in UTF-16', Buffer.from('\uFEFFGET /', 'utf16le'), 'not text in UTF-8'],
    ['an array', '[{"method":"GET","url":"/"}]', 'one request a line'],
  ])('a file that is %s is refused with what to do', async (_what, content, message) => {
    const { code, err } = await check(content, 'traffic')
    expect(code).toBe(1)
    expect(err).toContain(message)
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  test('a file that is not there does not keep the others from being read', async () => {
    const file = fileOf('a.ndjson', ndjson(citing))
    const { code, out, err } = await deprecations(['check', '/nowhere/b.har', file])
    expect(code).toBe(2)
    expect(err).toBe('/nowhere/b.har: no such file; check the name\n')
    expect(out).toContain('chat.citations')
    expect((await deprecations(['check', '/nowhere/b.har'])).code).toBe(1)
  })
})
