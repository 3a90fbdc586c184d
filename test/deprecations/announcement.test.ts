import { expect, describe, test } from 'vitest'
import { announcementIn } from '../../packages/deprecations/src/watch/announcement.ts'

describe('what an answer announces', () => {
  const sunset = Date.parse('2027-01-15T00:00:00Z')
  test.each([
    [{ deprecation: '@1777000000' }, { header: 'deprecation', since: 1_777_000_000_000 }],
    [{ Deprecation: 'true' }, { header: 'deprecation' }],
    [{ deprecation: 'Sun, 11 Nov 2018 23:59:59 GMT' }, { header: 'deprecation', since: 1_541_980_799_000 }],
    [
      { deprecation: '?1', sunset: 'Fri, 15 Jan 2027 00:00:00 GMT' },
      { header: 'deprecation', sunset },
    ],
    [{ sunset: 'Fri, 15 Jan 2027 00:00:00 GMT' }, { header: 'sunset', sunset }],
    [{ sunset: 'Fri Jan 15 00:00:00 2027' }, { header: 'sunset', sunset }],
    [{ sunset: 'Friday, 15-Jan-27 00:00:00 GMT' }, { header: 'sunset', sunset }],
    [
      { sunset: 'Fri, 15 Jan 2027 00:00:00 GMT, Fri, 15 Jan 2027 00:00:00 GMT' },
      { header: 'sunset', sunset },
    ],
    [{ sunset: 'Fri Jan 15 00:00:00 2027,Fri Jan 15 00:00:00 2027' }, { header: 'sunset', sunset }],
    [{ warning: '299 - "This API is deprecated"' }, { header: 'warning' }],
    [{ 'x-api-deprecated': 'yes' }, { header: 'x-api-deprecated' }],
    [{ 'X-Service-Deprecation-Date': '2027-01-15' }, { header: 'x-service-deprecation-date' }],
  ])('%j', (headers, announcement) => {
    expect(announcementIn(Object.entries(headers))).toEqual(announcement)
    expect(announcementIn(headers)).toEqual(announcement)
  })

  test.each([
    {},
    { deprecation: 'false' },
    { deprecation: '?0' },
    { sunset: 'soon' },
    { sunset: '5' },
    { warning: '110 - "Response is stale"' },
    { warning: '199 - "deprecated"' },
    { 'x-request-id': 'deprecated' },
    { 'x-deprecated': 'false' },
  ])('%j announces nothing', (headers) => {
    expect(announcementIn(Object.entries(headers))).toBeUndefined()
    expect(announcementIn(headers)).toBeUndefined()
  })

  test('a header that came several times is read as one', () => {
    expect(announcementIn({ warning: ['110 - "stale"', '299 - "deprecated"'] })).toEqual({
      header: 'warning',
    })
  })
})
