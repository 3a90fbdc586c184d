// Logs are written in many ways. A line whose request cannot be told is counted and reported, never passed over.
import { describe, expect, test } from 'vitest'
import { check, idsOf } from './checking.ts'

const stamp = '[03/Nov/2026:08:00:00 +0100]'
const path = '/rest/api/v1/listanswers'
const others = `1.1.1.1 - - ${stamp} "GET /health HTTP/1.1" 200 1\n`

describe('a line of a log', () => {
  test.each([
    `1.1.1.1 - - ${stamp} POST ${path} HTTP/1.1 200 12`,
    `1.1.1.1 - - ${stamp} 'POST ${path} HTTP/1.1' 200 12`,
    `1.1.1.1 - - ${stamp} "post ${path} HTTP/1.1" 200 12`,
    `1.1.1.1 - - ${stamp} "POST ${path}?q=a b HTTP/1.1" 200 12`,
    `1.1.1.1|POST|${path}|200|${stamp}`,
    `2026-11-03 01:02:03 1.1.1.1 POST ${path} - 443 - 1.1.1.1`,
    `https 2026-11-03T22:23:00.186641Z app/lb 1.1.1.1:2817 0.086 200 0 57 "POST https://a:443${path} HTTP/2.0" "curl"`,
    `INFO /var/log POST ${path}`,
    `{"log":"","request":"POST ${path} HTTP/1.1"}`,
    `{"time":"${stamp}","request":"POST ${path} HTTP/1.1"}`,
  ])('%s is read', async (line) => {
    const { report } = await check(`${others}${line}\n`, 'access.log')
    expect([idsOf(report.inUse), report.requests, report.faults]).toEqual([['listanswers'], 2, 0])
  })

  test.each([
    ...',|, 200|,200|: 200 OK|)|. Done|...|=>200|->200|→ 200|{"status":200}|</td>|&amp;|*|(200)|;|`|\\n|]'.split(
      '|',
    ),
    '\u001b[0m',
  ])('an address ends before %j', async (sign) => {
    for (const url of [path, `https://a:443/t@b:1(2)${path}`])
      for (const line of [`(POST ${url}${sign}`, `2026-11-20,POST,${url}${sign}`]) {
        const { report } = await check(`${others}${line}\n`, 'access.log')
        expect([idsOf(report.inUse), report.requests, report.faults], line).toEqual([['listanswers'], 2, 0])
      }
  })

  test.each([
    ['Envoy', `[2026-11-03T08:00:00.000Z] "POST ${path} HTTP/2" 200 - 1 2`],
    ['gin', `[GIN] 2026/11/03 - 08:00:00 | 200 | 1ms | 1.1.1.1 | POST     "${path}"`],
    ['axios-logger', `[Axios][Request] POST https://a${path}`],
    [
      'Docker',
      JSON.stringify({ log: `1.1.1.1 - - ${stamp} "POST ${path} HTTP/1.1" 200\n`, stream: 'stdout' }),
    ],
    ['Docker, of little', JSON.stringify({ log: `POST ${path} 200\n`, stream: 'stdout' })],
  ])('of %s is told by its beginning', async (_what, line) => {
    const { report } = await check(`${line}\n`, 'traffic.txt')
    expect([idsOf(report.inUse), report.requests, report.faults]).toEqual([['listanswers'], 1, 0])
  })

  test.each(['[{"method":"GET"}]', '[\n{}]', '[]', '['])('%j is an array', async (content) => {
    const { code, err } = await check(content, 'traffic.txt')
    expect([code, err]).toEqual([1, expect.stringContaining('a JSON array')])
  })

  test('another operation below one on the schedule is not taken for it', async () => {
    for (const more of ['/all', '-all', '.all', '%20all', '@all', '_all', '...all']) {
      const { report } = await check(`${others}POST ${path}${more} 200\n`, 'access.log')
      expect([report.inUse, report.faults], more).toEqual([[], 0])
    }
  })

  test('signs without end do not keep the reader busy', async () => {
    const line = `POST ${path}${'.-'.repeat(500_000)}a${','.repeat(500_000)}`
    const started = performance.now()
    await check(`${line}\n`, 'access.log')
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test.each([
    `2026-11-03\t01:02:03\tLHR\t12\t1.1.1.1\tPOST\td.cloudfront.net\t${path}\t200`,
    `1.1.1.1 - - ${stamp} "${path}" 200 12`,
    `1.1.1.1 - - ${stamp} "-" 200 12`,
    `1.1.1.1 - - ${stamp} "\\x16POST ${path} HTTP/1.1" 200 12`,
    `method=POST path="${path}" at="${stamp}"`,
    `{"method":"POST","path":"${path}","at":"${stamp}"}`,
    `GET /health -> POST ${path}`,
    `1.1.1.1 - - ${stamp} "GET /health" "POST ${path} HTTP/1.1" 200`,
  ])('%s is reported', async (line) => {
    const { report, code, err } = await check(`${others}${line}\n`, 'access.log')
    expect([code, report.requests, report.faults]).toEqual([1, 1, 1])
    expect(err).toMatch(/access\.log:2: /)
  })

  test.each(['"-" 408 -', '"" 400 0', '"\\x16\\x03\\x01" 400 0', '"\\x16\\x22\\"" 400 0'])(
    '%s was no request, so nothing is missing',
    async (end) => {
      const { report, code } = await check(`${others}1.1.1.1 - - ${stamp} ${end}\n`, 'access.log')
      expect([code, report.requests, report.faults]).toEqual([0, 1, 0])
    },
  )

  test.each(['PROPFIND /x', 'CONNECT a:443', 'OPTIONS *'])(
    '%s is a request as any other',
    async (request) => {
      const line = `1.1.1.1 - - ${stamp} "${request} HTTP/1.1" 405 0\n`
      expect((await check(others + line, 'access.log')).report).toMatchObject({ requests: 2, faults: 0 })
    },
  )
})
