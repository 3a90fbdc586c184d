// The pages of admins for many people, and the export.
import { get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { beforeAll, expect, it } from 'vitest'
import { CRITERIA, summarize } from '../../src/admin/person-summary.ts'
import type { Report } from '../../src/admin/report.ts'
import { crowdOf, storePeople } from '../helpers/crowd.ts'
import { run, signIn } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { shared } from '../helpers/shared.ts'

const PEOPLE = 1200

const crowd = crowdOf(PEOPLE, Date.now()).map((person, index) =>
  index % 200 === 2 ? { ...person, group: 'Nothing to do' } : person,
)
const summaries = crowd.map((person) => summarize(person))

const running = shared(() => run({ settings: { ADMIN_EMAILS: 'Grace@ACME.example,frank@acme.example' } }))
let grace: TestBrowser

beforeAll(async () => {
  await storePeople(running, crowd)
  grace = await signIn(running, 'grace', '/admin')
})

const exportRows = async (query: string) => {
  const { body } = await grace.open(`${running.url}/admin/people.csv${query}`)
  return parse<Record<string, string>>(body, { bom: true, columns: true })
}

it('the overview for admins begins with the share of people who are done', async () => {
  await grace.open(`${running.url}/admin`)
  const [done, hadToConnect, nothing] = (['finished', 'hadToConnect', 'nothing'] as const).map(
    (criterion) => summaries.filter(CRITERIA[criterion]).length,
  ) as [number, number, number]
  const share = Math.round((done / hadToConnect) * 100)
  expect(grace.text).toContain('1,200 people on record')
  expect(grace.text).toContain(
    `Ready to search ${share}% ${done} of ${hadToConnect.toLocaleString('en')} done ${nothing} had nothing to connect`,
  )
  const { body } = await grace.open(`${running.url}/admin/report.json`)
  const report = JSON.parse(body) as Report
  expect(report.ready).toBe(report.finished + report.nothing)
  for (const count of Object.values(report.ofInvited)) expect(count).toBeLessThanOrEqual(report.invited)
})

it('the overview for admins names the base of its funnel’s shares, and draws the trend', async () => {
  await grace.open(`${running.url}/admin`)
  const counted = summaries.filter(CRITERIA.hadToConnect)
  const [invited, signedIn] = (['invited', 'signedIn'] as const).map((stage) =>
    counted.filter(CRITERIA[stage]),
  )
  expect(grace.text).toContain(`From invited to done (${counted.length.toLocaleString('en')} people)`)
  expect(grace.page.body).toContain(`. Invited: ${invited?.length}; Signed in: ${signedIn?.length};`)
})

it('the overview for admins lists what needs action, each with a link to its people', async () => {
  const { body } = await grace.open(`${running.url}/admin`)
  const bounced = summaries.filter(CRITERIA.failed).length
  expect(grace.text).toContain(`Fix ${bounced} bounced emails`)
  expect(body).toContain('href="/admin/people?show=failed"')
  await grace.open(`${running.url}/admin/people?show=failed`)
  expect(grace.text).toContain(`${bounced} people`)
})

it('departments and apps can be sorted by a column, which is marked', async () => {
  const { body } = await grace.open(`${running.url}/admin/departments?sort=-name`)
  expect(body.match(/<th scope="col" aria-sort[^>]*><a href="[^"]*">[^<]*/g)).toEqual([
    '<th scope="col" aria-sort="descending"><a href="/admin/departments?sort=name">Department',
  ])
  expect(grace.text).toMatch(/Nothing to do – 0 of 0 6 0 0 0/)
  const names = [...body.matchAll(/<th scope="row">.*?<bdi>([^<]*)/g)].map(([, name = '']) => name)
  expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare).toReversed())
  for (const [, percent] of grace.text.matchAll(/(\d+)%/g)) expect(Number(percent)).toBeLessThanOrEqual(100)
})

it('departments and apps link to their people', async () => {
  const { body } = await grace.open(`${running.url}/admin/apps?sort=stuck`)
  const href = /<td[^>]*><a href="(\/admin\/people\?show=stuck&amp;app=[^"]*)">(\d+)/.exec(body)
  await grace.open(running.url + (href?.[1] ?? '').replaceAll('&amp;', '&'))
  expect(grace.text).toContain(`${href?.[2]} people`)
  expect(grace.page.body).toContain('aria-label="Remove filter “App: ')
})

it('the list of people names a person’s first few apps of many', async () => {
  await grace.open(`${running.url}/admin/people?q=lastname-0000`)
  expect(grace.text).toContain('Microsoft SharePoint Online and 34 more')
})

it('the list of people shows the active filter and the count of each filter', async () => {
  const { body } = await grace.open(`${running.url}/admin/people?show=undelivered`)
  expect(body.match(/<option [^>]*selected>[^<]*/g)).toEqual([
    expect.stringMatching(/>Email not delivered \(\d+\)$/),
  ])
  expect(body).toContain('>Everyone (1,200)</option>')
})

it('the list of people exports the filtered people, or everyone without a filter', async () => {
  const { body } = await grace.open(`${running.url}/admin/people?show=nothing&q=lastname-00`)
  const href = /href="(\/admin\/people\.csv\?[^"]*)">([^<]*)/.exec(body)
  expect(href?.[2]).toBe('Export filtered CSV')
  const filtered = await exportRows(
    (href?.[1] ?? '').replaceAll('&amp;', '&').replace('/admin/people.csv', ''),
  )
  const numbers = new Set(filtered.map(({ email }) => email?.slice(19, 23)))
  expect(numbers).toEqual(new Set(Array.from({ length: 10 }, (_, index) => `00${index}2`)))
  expect(await exportRows('')).toHaveLength(PEOPLE)
  expect((await grace.open(`${running.url}/admin/people`)).body).toContain('>Export CSV<')
})

it.each(['/admin/people.csv', '/admin/people', '/admin'])(
  'a canceled request of %s isn’t logged as an error',
  async (path) => {
    const { port } = new URL(running.url)
    const before = running.log.length
    for (let times = 0; times < 20; times++) {
      const calls = get({ port, path, headers: { cookie: grace.cookieHeader(running.url) } })
      calls.on('error', () => {})
      await pause(times)
      calls.destroy()
    }
    // All requests are aborted, so the read ends too.
    await pause(100)
    expect((await grace.open(running.url + path)).status).toBe(200)
    const failures = running.log.slice(before).filter((line) => /"level":[45]0/.test(line))
    expect(failures).toEqual([])
  },
)

it('only admins see the link to /admin', async () => {
  expect((await grace.open(`${running.url}/onboarding`)).body).toContain('href="/admin"')
  const ada = await signIn(running, 'ada')
  expect(ada.page.body).not.toContain('/admin')
})
