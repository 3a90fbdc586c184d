import { describe, expect, it } from 'vitest'
import { hadNothing, isToConnect, newPerson, type Person, type Mailing } from '../../src/people/person.ts'
import { withLeft, withSources } from '../../src/people/sources.ts'
import { withMailing } from '../../src/campaigns/campaign.ts'
import { parse } from 'csv-parse/sync'
import { peopleCsv } from '../../src/admin/people-csv.ts'
import { makeReport } from '../../src/admin/report.ts'

const at = Date.UTC(2026, 10, 2, 9)
const DAY = 86_400_000
const slack = { instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }
const github = { instance: 'github_1', name: 'GitHub', status: 'awaiting' as const }

async function* these(...people: Person[]) {
  yield* people
}

const sent = (arrival: Person, reminder = 0, now = at) =>
  withMailing(arrival, { campaign: 'c', reminder, state: 'sent', now })

describe('what is known of a person', () => {
  it('takes a datasource that the service no longer lists for connected', () => {
    const before = withLeft(newPerson('ada@acme.example', at), [slack, github], at)
    const after = withLeft(before, [github], at + 1000)
    expect(after.sources.map(({ instance, state }) => [instance, state])).toEqual([
      ['slack_1', 'connected'],
      ['github_1', 'waiting'],
    ])
    expect(after.finishedAt).toBeUndefined()
    expect(withLeft(after, [], at + 2000).finishedAt).toBe(at + 2000)
  })

  it('has not finished any more when a new app waits, and has once more when that is connected', () => {
    const waiting = withLeft(newPerson('ada@acme.example', at), [slack], at)
    const done = withLeft(waiting, [], at + 1000)
    expect(withLeft(done, [], at + 2000).finishedAt).toBe(at + 1000)
    const again = withLeft(done, [github], at + 3000)
    expect('finishedAt' in again).toBe(false)
    expect(withLeft(again, [], at + 4000).finishedAt).toBe(at + 4000)
  })

  it('keeps what a person said of an app while that is switched off, as their own walk does', () => {
    const off = { ...slack, status: 'disabled' as const }
    const source = { instance: 'slack_1', name: 'Slack', state: 'blocked' as const, at }
    const blocked = withSources(newPerson('ada@acme.example', at), [source], at)
    const switchedOff = withLeft(blocked, [off], at + 1000)
    expect(switchedOff.sources).toMatchObject([{ state: 'off', at: at + 1000 }])
    expect(withLeft(withLeft(switchedOff, [off], at + 2000), [slack], at + 3000).sources).toEqual([source])
    expect(withLeft(switchedOff, [], at + 2000).sources).toEqual([
      { ...source, state: 'connected', at: at + 2000 },
    ])
  })

  it('tells whoever had nothing to connect from whoever connected everything', () => {
    const unknown = newPerson('ada@acme.example', at)
    expect(hadNothing(unknown)).toBe(false)
    const off = { ...slack, status: 'disabled' as const }
    for (const asked of [
      withLeft(unknown, [], at),
      withLeft(unknown, [off], at),
      withSources(unknown, [], at),
    ]) {
      expect(hadNothing(asked)).toBe(true)
      expect(asked).toMatchObject({ asOf: at })
      expect(asked.finishedAt).toBeUndefined()
    }
    const done = withLeft(withLeft(unknown, [slack], at), [], at + 1)
    expect(hadNothing(done)).toBe(false)
  })

  it('takes a datasource that the walk does not know any more for connected', () => {
    const mailed = withLeft(newPerson('ada@acme.example', at), [slack, github], at)
    const walked = withSources(
      mailed,
      [{ instance: 'github_1', name: 'GitHub', state: 'skipped', at }],
      at + 1,
    )
    expect(walked.sources.map(({ instance, state }) => [instance, state])).toEqual([
      ['slack_1', 'connected'],
      ['github_1', 'skipped'],
    ])
    expect(withSources(mailed, [], at + 1)).toMatchObject({ finishedAt: at + 1, asOf: at + 1 })
  })

  it('keeps the person’s own word that their administrator has to act', () => {
    const known = withLeft(newPerson('ada@acme.example', at), [slack], at)
    const blocked = { ...known, sources: known.sources.map((s) => ({ ...s, state: 'blocked' as const })) }
    expect(withLeft(blocked, [slack], at + 1).sources[0]?.state).toBe('blocked')
  })

  it('counts only what the person can do something about', () => {
    expect(isToConnect({ ...slack, status: 'disabled' })).toBe(false)
    expect(isToConnect({ ...slack, status: 'stale' })).toBe(true)
  })
})

describe('the report', () => {
  it('counts people once, by what they reached, and days by when they did', async () => {
    const ada = { ...withLeft(sent(newPerson('ada@acme.example', at)), [slack], at), signedInAt: at + DAY }
    const known = withLeft(sent(newPerson('bob@acme.example', at), 0, at + DAY), [slack], at + DAY)
    const bob = withLeft(known, [], at + DAY)
    const report = await makeReport(these(ada, bob), at + 2 * DAY)
    expect(report).toMatchObject({ people: 2, invited: 2, signedIn: 1, finished: 1, uncertain: 0 })
    expect(report.asOf).toBe(new Date(at).toISOString())
    expect(report.datasources).toMatchObject([{ instance: 'slack_1', counts: { waiting: 1, connected: 1 } }])
    expect(report.days).toEqual([
      { day: '2026-11-02', invited: 1, signedIn: 0, finished: 0 },
      { day: '2026-11-03', invited: 1, signedIn: 1, finished: 1 },
    ])
  })

  it('counts who had nothing to connect apart, and shares of the invited among the invited', async () => {
    const nothing = withLeft(sent(newPerson('ada@acme.example', at)), [], at)
    const done = withLeft(withLeft(newPerson('bob@acme.example', at), [slack], at), [], at)
    const report = await makeReport(these(nothing, { ...done, signedInAt: at }), at)
    expect(report).toMatchObject({ nothing: 1, finished: 1, invited: 1, signedIn: 1 })
    expect(report.ready).toBe(2)
    expect(report.ofInvited).toEqual({ opened: 0, signedIn: 0, finished: 0, nothing: 1, ready: 1 })
  })

  it('counts what the mail server did with the newest mail to somebody', async () => {
    const last = (email: string, state: Mailing['state']) =>
      withMailing(sent(newPerson(email, at)), { campaign: 'c', reminder: 1, state, now: at + DAY })
    const late = last('ada@acme.example', 'deferred')
    const refused = last('bob@acme.example', 'failed')
    const arrived = withMailing(refused, { campaign: 'd', reminder: 0, state: 'sent', now: at + 2 * DAY })
    const report = await makeReport(these(late, refused, { ...arrived, email: 'eve@acme.example' }), at)
    expect(report).toMatchObject({ people: 3, invited: 3, reminded: 0, deferred: 1, failed: 1 })
  })

  it('puts the datasources first for which most people wait', async () => {
    const both = withLeft(newPerson('ada@acme.example', at), [github, slack], at)
    const one = withLeft(newPerson('bob@acme.example', at), [slack], at)
    const { datasources } = await makeReport(these(both, one), at)
    expect(datasources.map(({ instance }) => instance)).toEqual(['slack_1', 'github_1'])
  })

  it('exports mails that are out, the state of the newest, and datasources that can be told apart', async () => {
    const left = [slack, { ...slack, instance: 'slack_2' }]
    const put = withMailing(sent(newPerson('ada@acme.example', at)), {
      campaign: 'c',
      reminder: 1,
      state: 'deferred',
      now: at + DAY,
    })
    const lines: string[] = []
    for await (const line of peopleCsv(these(withLeft(put, left, at)))) lines.push(line)
    expect(lines.join('').charCodeAt(0)).toBe(0xfeff)
    const [person] = parse<Record<string, string>>(lines.join(''), { bom: true, columns: true })
    expect(person).toMatchObject({
      mails: '1',
      mail: 'deferred',
      waiting: 'Slack [slack_1]; Slack [slack_2]',
    })
  })

  it('is no formula in a spreadsheet, whatever the datasources are called', async () => {
    const names = ['=HYPERLINK("https://evil.example")', '+1', '-1', '@SUM(A1)', '\t=1', '＝1']
    const left = names.map((name, index) => ({ instance: `x_${index}`, name, status: 'awaiting' as const }))
    for (const one of left) {
      const arrival = { ...withLeft(newPerson('=cmd@acme.example', at), [one], at), group: one.name }
      const lines: string[] = []
      for await (const line of peopleCsv(these(arrival))) lines.push(line)
      const [, record = []] = parse(lines.join(''), { bom: true })
      expect(record.filter((cell) => /^[=+\-@\t＝]/.test(cell))).toEqual([])
      expect(record[0]).toBe("'=cmd@acme.example")
    }
  })
})
