// The page of administrators with many people on their way, and its export.
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { administrators } from '../../src/admin/routes.ts'
import { isReady } from '../../src/arrivals/arrival.ts'
import { invitedAt } from '../../src/admin/facts.ts'
import { shareOf, type Report } from '../../src/admin/report.ts'
import { crowdOf, settle } from '../helpers/crowd.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'

const PEOPLE = 1200
/** The administrator has signed in too. */
const ALL = PEOPLE + 1

const crowd = crowdOf(PEOPLE, Date.now()).map((person, index) =>
  index % 200 === 2 ? { ...person, group: 'Nothing to do' } : person,
)

let running: Running
let grace: TestBrowser

beforeAll(async () => {
  running = await run({ settings: { ADMIN_EMAILS: 'Grace@ACME.example,frank@acme.example' } })
  await settle(running, crowd)
  grace = await signIn(running, 'grace', '/admin')
})
afterAll(() => running.close())

const exported = async (query: string) => {
  const { body } = await grace.open(`${running.url}/admin/people.csv${query}`)
  return parse<Record<string, string>>(body, { bom: true, columns: true })
}

describe('the page of administrators', () => {
  it('separates thousands, and says of whom each share is', async () => {
    await grace.open(`${running.url}/admin`)
    expect(grace.text).toContain('1,201 people are known')
    const invited = crowd.filter((arrival) => invitedAt(arrival) !== undefined)
    const part = invited.filter(({ signedInAt }) => signedInAt !== undefined).length
    const share = Math.round((part / invited.length) * 100)
    expect(grace.text).toMatch(new RegExp(`Signed in of the 934 invited: ${part} \\(${share}%\\) 801 `))
    expect(grace.text).toMatch(/Nothing to connect of the 934 invited: \d+ \(\d+%\) 120 /)
    expect(grace.text).toMatch(/Email bounced 133 /)
    expect(grace.page.body).toMatch(/role="img" aria-label="From \S+ to \S+\. Invited: 934; Signed in: 801;/)
  })

  it('begins with how many are ready to search, of everyone known', async () => {
    await grace.open(`${running.url}/admin`)
    const ready = crowd.filter(isReady)
    // Grace has something to connect.
    expect(grace.text).toMatch(
      new RegExp(
        `Ready to search: ${ready.length} of 1,201 \\(${Math.round((ready.length / ALL) * 100)}%\\)`,
      ),
    )
    const { body } = await grace.open(`${running.url}/admin/report.json`)
    const report = JSON.parse(body) as Report
    expect(report.ready).toBe(report.finished + report.nothing)
    for (const count of Object.values(report.ofInvited)) expect(count).toBeLessThanOrEqual(report.invited)
    for (const group of report.groups) {
      expect(group.ready).toBe(group.finished + group.nothing)
      expect(group.ready).toBeLessThanOrEqual(group.people)
    }
  })

  it('shows no share where a group has nothing to connect, and counts it as ready', async () => {
    await grace.open(`${running.url}/admin`)
    expect(grace.text).toMatch(/Nothing to do 6 4 67% 6 100% – 6 /)
    for (const [, percent] of grace.text.matchAll(/(\d+)%/g)) expect(Number(percent)).toBeLessThanOrEqual(100)
  })

  it('takes the share of the fully connected in a group from those who had something to connect', async () => {
    const { body } = await grace.open(`${running.url}/admin/report.json`)
    const { groups } = JSON.parse(body) as Report
    const mixed = groups.find(
      ({ people, finished, nothing }) => finished > 0 && nothing > 0 && nothing < people,
    )
    const { people = 0, finished = 0, nothing = 0 } = mixed ?? {}
    const share = shareOf(finished, people - nothing)
    expect(share).not.toBe(shareOf(finished, people))
    await grace.open(`${running.url}/admin`)
    expect(grace.text).toContain(`${finished} ${share} ${nothing} `)
  })

  it('names the first few apps of whoever has many left', async () => {
    await grace.open(`${running.url}/admin?q=lastname-0000`)
    expect(grace.text).toContain('Microsoft SharePoint Online and 34 more')
  })

  it('shows what the list said of a group as text', async () => {
    const { body } = await grace.open(`${running.url}/admin`)
    expect(body).toContain('<bdi>&lt;b&gt;Sales&lt;/b&gt; &amp; =1+1</bdi>')
    expect(body).not.toContain('<b>Sales')
  })

  it('says which filter is on', async () => {
    const { body } = await grace.open(`${running.url}/admin?show=undelivered`)
    expect(body.match(/<a [^>]*aria-current="true"[^>]*>[^<]*/g)).toEqual([
      expect.stringMatching(/>Email not delivered$/),
    ])
  })

  it('exports whom it shows, and everybody otherwise', async () => {
    const { body } = await grace.open(`${running.url}/admin?show=nothing&q=lastname-00`)
    const href = /href="(\/admin\/people\.csv\?[^"]*)">([^<]*)/.exec(body)
    expect(href?.[2]).toBe('Export filtered CSV')
    const some = await exported((href?.[1] ?? '').replaceAll('&amp;', '&').replace('/admin/people.csv', ''))
    const numbers = new Set(some.map(({ email }) => email?.slice(19, 23)))
    expect(numbers).toEqual(new Set(Array.from({ length: 10 }, (_, index) => `00${index}2`)))
    expect(await exported('')).toHaveLength(ALL)
    expect((await grace.open(`${running.url}/admin`)).body).toContain('>Export CSV<')
  })
})

describe('the way to it', () => {
  it('is on the pages of administrators and on nobody else’s', async () => {
    expect((await grace.open(`${running.url}/onboarding`)).body).toContain('href="/admin"')
    const ada = await signIn(running, 'ada')
    expect(ada.page.body).not.toContain('/admin')
  })

  it('is only for addresses that were verified', () => {
    const isAdmin = administrators(['Grace@ACME.example '])
    const user = { issuer: 'https://idp.example', subject: 'grace', email: 'gracE@acme.example' }
    expect(isAdmin({ ...user, emailVerified: true })).toBe(true)
    expect(isAdmin({ ...user, emailVerified: false })).toBe(false)
    expect(isAdmin(user)).toBe(false)
    expect(isAdmin({ issuer: user.issuer, subject: 'x', emailVerified: true })).toBe(false)
    expect(administrators([])({ ...user, emailVerified: true })).toBe(false)
  })
})

describe('an address that only looks like an administrator’s', () => {
  it('shows nothing to whom it belongs', async () => {
    const looksLike = [
      ['cyrillic', 'grac\u0435@acme.example'],
      ['hard-space', 'grace@acme.example\u00A0'],
      ['kelvin-sign', 'fran\u212A@acme.example'],
    ] as const
    for (const [id, email] of looksLike) {
      running.sandbox.people.push({ id, name: id, email, datasources: [] })
      const browser = await signIn(running, id, '/admin')
      expect(browser.page.status, id).toBe(404)
    }
  })
})
