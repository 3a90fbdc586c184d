// What the overview shows of a walk: words, counts, what is offered and what is not.
import { describe, expect, it } from 'vitest'
import { APP_STATUS_NAMES, isOff } from '../../src/client-api/app-status.ts'
import { notDescribed } from '../../src/onboarding/overview/about.ts'
import { skip, unskip } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import { CONFIRM, NOW, drive, github, returned, see, seen, slack, waits } from './seen.ts'

describe('the overview', () => {
  it('offers the first that waits, and says what will happen', () => {
    const overview = see(seen([slack, github]))
    expect(overview).toMatchObject({
      title: '0 of 2 connected - Connect your apps to search',
      state: 'open',
      progress: { connected: 0, total: 2 },
      banner: undefined,
      refresh: undefined,
    })
    expect(overview.step).toMatchObject({
      kind: 'connect',
      title: 'Connect Slack',
      main: { href: '/onboarding/connect/slack_1', label: 'Continue to Slack' },
      skip: '/onboarding/skip/slack_1',
      focus: false,
    })
    expect(overview.step?.paragraphs).toEqual([t('next.explain', { app: 'Slack', last: 'no' })])
    expect(overview.step?.marks.map(({ kind }) => kind)).toEqual(['good', 'lock'])
    expect(overview.account).toContain('ada@acme.example')
  })

  it('has one sentence above the button: why the company asks, or that a consent has expired', () => {
    const about = () => ({ ...notDescribed, why: 'Plans are kept there.', isRequired: true })
    const step = (status: 'awaiting' | 'stale') =>
      see(seen([waits('slack_1', 'Slack', status)]), { about }).step
    const textsOf = (status: 'awaiting' | 'stale') => step(status)?.marks.map(({ text }) => text)
    expect(step('awaiting')?.paragraphs).toEqual(['Plans are kept there.'])
    expect(textsOf('awaiting')).toContain(t('next.explain', { app: 'Slack', last: 'yes' }))
    expect(textsOf('awaiting')).toContain(t('next.required'))
    expect(step('stale')?.paragraphs).toEqual([t('next.explainStale')])
    expect(textsOf('stale')).toContain(t('next.alikeAgain'))
  })

  it('says that a skipped app can be connected any time once, on the page of an end too', () => {
    const one = see(skip(seen([slack]), 'slack_1', NOW), { from: 'slack_1' })
    expect(one.lead).toContain(t('reason.skippedIt'))
    expect(one.banner).toMatchObject({ title: 'Slack skipped', text: '' })
    const first = see(skip(seen([slack, github]), 'slack_1', NOW), { from: 'slack_1' })
    expect(first.banner?.text).toBe(t('banner.skippedText'))
  })

  it('has one link and one form for each that waits, and none twice', () => {
    const { step, entries } = see(seen([slack, github, drive]))
    const links = [step?.main?.href, ...entries.map((entry) => entry.connect?.href)].filter(Boolean)
    const forms = [step?.skip, ...entries.map((entry) => entry.skip?.href)].filter(Boolean)
    expect(links).toEqual(['slack_1', 'github_1', 'gdrive_1'].map((id) => `/onboarding/connect/${id}`))
    expect(forms).toEqual(['slack_1', 'github_1', 'gdrive_1'].map((id) => `/onboarding/skip/${id}`))
    expect(entries.map((entry) => entry.status)).toEqual([t('status.next'), ''])
  })

  it('tells of what was connected first, and what comes next', () => {
    const overview = see(seen([github], seen([slack, github])), { from: 'slack_1' })
    expect(overview.banner).toEqual({
      kind: 'good',
      title: 'Slack connected',
      named: '',
      text: 'Next up: GitHub.',
    })
    expect(overview.title).toBe('Slack connected - 1 of 2 connected')
  })

  it('says nothing of a datasource that nobody knows, whatever the address claims', () => {
    expect(see(seen([slack]), { from: 'github_1' }).banner).toBeUndefined()
  })

  it('says once, not twice, that the one they come from is not connected yet', () => {
    const late = NOW + CONFIRM * 1000
    const walk = seen([slack, github], returned([slack, github]), late)
    const overview = see(walk, { from: 'slack_1', now: late })
    expect(overview).toMatchObject({ banner: undefined, step: { kind: 'attend', focus: true } })
    expect(overview.title).toBe('Slack isn’t connected yet - 0 of 2 connected')
    expect(overview.step?.causes).toHaveLength(3)
    expect(overview.entries[0]?.connect?.href).toBe('/onboarding/connect/github_1')
    expect(see(walk, { now: late }).step?.focus).toBe(false)
  })

  it('counts neither what was put off nor what is switched off among what waits', () => {
    const walk = skip(seen([slack, github, drive, waits('jira_1', 'Jira', 'disabled')]), 'slack_1', NOW)
    const overview = see(walk, { from: 'slack_1' })
    expect(overview.progress).toMatchObject({ connected: 0, total: 3 })
    expect(overview.banner).toMatchObject({ kind: 'notice', title: 'Slack skipped' })
    expect(overview.entries[0]).toMatchObject({
      kind: 'skipped',
      skip: undefined,
      unskip: { href: '/onboarding/unskip/slack_1', label: 'Put back on my list', forApp: 'Slack' },
    })
    expect(see(unskip(walk, 'slack_1')).step?.title).toBe('Connect Slack')
  })

  it('is done when everything is connected, and names since when', () => {
    const overview = see(seen([], seen([slack, github])), { from: 'github_1' })
    expect(overview).toMatchObject({ state: 'done', heading: t('finished.title'), step: undefined })
    expect(overview.entries.map(({ note }) => note)).toEqual([
      'Connected November 21, 2026',
      'Connected November 21, 2026',
    ])
  })

  it('is done although an administrator switched one off', () => {
    const overview = see(seen([waits('jira_1', 'Jira', 'disabled')], seen([slack, github])))
    expect(overview).toMatchObject({
      state: 'done',
      heading: t('finished.titleButOff'),
      title: `${t('finished.titleButOff')} - 2 of 2 connected`,
      progress: undefined,
      search: true,
    })
  })

  it('rests when only what was put off is left', () => {
    const overview = see(skip(seen([slack], seen([slack, github])), 'slack_1', NOW))
    expect(overview).toMatchObject({
      state: 'rest',
      lead: `${t('finished.leadSome')} ${t('reason.skipped', { count: 1 })}`,
      step: undefined,
      search: true,
    })
  })

  it('is done at once for somebody with nothing to connect', () => {
    expect(see(seen([]))).toMatchObject({
      state: 'done',
      heading: t('finished.titleNothing'),
      entries: [],
      lead: t('overview.nothingKnown'),
    })
  })

  it('leads out of a link that was narrowed to nothing', () => {
    const nothing = { only: ['nothing'] }
    expect(see({ ...seen([slack]), visit: nothing })).toMatchObject({ narrowed: true, state: 'open' })
    expect(see({ ...seen([]), visit: nothing })).toMatchObject({ narrowed: true, state: 'open' })
    expect(see({ ...seen([slack]), visit: { only: ['slack'] } }).narrowed).toBe(false)
  })

  it('tells what is new from what was there before', () => {
    const later = NOW + 3_600_000
    const overview = see(seen([slack, github], seen([slack]), later), { now: later })
    expect(overview.entries.map(({ app, note }) => [app, note])).toEqual([['github_1', t('note.isNew')]])
  })

  it('shows five of many, those that need the person first, and the others behind a disclosure', () => {
    const apps = Array.from({ length: 40 }, (_, index) => waits(`app_${index}`, `App ${index}`))
    const walk = seen([...apps.slice(3), waits('stale_1', 'Stale', 'stale')], seen(apps))
    const { entries, more, step } = see(walk)
    expect(step?.title).toBe('Connect App 3')
    expect(entries.map(({ name }) => name)).toEqual(['App 4', 'App 5', 'App 6', 'App 7', 'Stale'])
    expect(more).toHaveLength(35)
    expect(see(seen(apps.slice(0, 7))).more).toEqual([])
  })

  it('finds apps by their names where there are more than ten, and guesses no minutes', () => {
    const apps = Array.from({ length: 11 }, (_, index) => waits(`app_${index}`, `Wiki ${index}`))
    const visit = { only: ['app'], returnTo: '/search' }
    const many = see({ ...seen(apps), visit }, { query: ' wIKI 1' })
    expect(many.filter).toEqual({
      query: 'wIKI 1',
      visit: [
        ['datasource', 'app'],
        ['return_to', '/search'],
      ],
      all: '/onboarding?return_to=%2Fsearch',
      found: '2 apps match “wIKI 1”',
    })
    expect(many.entries.map(({ name }) => name)).toEqual(['Wiki 1', 'Wiki 10'])
    expect(many).toMatchObject({
      more: [],
      progress: { minutes: '' },
      title: expect.stringMatching(/^2 apps/),
    })
    expect(see(seen(apps), { query: 'zebra' })).toMatchObject({
      entries: [],
      filter: { found: 'No apps match “zebra”' },
    })
    // The one that the card offers is among what is found.
    expect(see(seen(apps), { query: 'wiki 0' }).entries).toHaveLength(1)
    const few = see(seen(apps.slice(1)), { query: 'zebra' })
    expect(few).toMatchObject({ filter: undefined, progress: { minutes: 'About 10 minutes left' } })
    expect(few.entries).toHaveLength(5)
  })

  it('is put in the hands of someone by name at the end, with the account and how to take it back', () => {
    const about = () => ({ ...notDescribed, account: 'your Acme workspace' })
    const walk = seen([], seen([slack, github]))
    const end = see(walk, { name: 'Ada Lovelace', about })
    expect(end.heading).toBe('You’re all set, Ada Lovelace')
    expect(end.connectedFor).toBe(
      'Connected for ada@acme.example. You can disconnect an app any time in that app’s own settings.',
    )
    expect(end.entries[0]?.account).toBe('Connected through your Acme workspace')
    expect(see(walk, { name: 'A'.repeat(80), person: '' })).toMatchObject({
      heading: t('finished.title'),
      connectedFor: t('finished.disconnect'),
    })
    expect(see(seen([]))).toMatchObject({ connectedFor: '' })
    expect(see(seen([slack]), { about }).connectedFor).toBe('')
  })

  it('takes the focus to what was put back on the list, in the card or in its row', () => {
    expect(see(seen([slack, github]), { from: 'slack_1' }).step?.focus).toBe(true)
    const apps = Array.from({ length: 12 }, (_, index) => waits(`app_${index}`, `App ${index}`))
    const { entries, step } = see(seen(apps), { from: 'app_9' })
    expect(step?.focus).toBe(false)
    expect(entries.filter(({ focus }) => focus).map(({ app }) => app)).toEqual(['app_9'])
  })

  it('names where the way back leads', () => {
    const back = (returnTo: string) => see({ ...seen([slack]), visit: { only: [], returnTo } }).returnTo
    const host = 'intranet.acme.example'
    expect(back(`https://${host}/welcome?a=b`)).toMatchObject({ label: `Back to ${host}`, host })
    expect(back('/search?q=roadmap')?.label).toBe(t('overview.continue'))
  })

  it.each(APP_STATUS_NAMES)(
    'has words for %s, and a link only where the person can do something',
    (status) => {
      const [entry] = see(seen([slack, waits('app_1', 'App', status)])).entries
      expect(entry?.status).toMatch(/\w/)
      expect(entry?.connect !== undefined).toBe(!isOff(status) && status !== 'attention')
      expect(entry?.connect !== undefined || Boolean(entry?.note)).toBe(true)
    },
  )

  it('has words for every status, and offers nothing for what nobody can connect', () => {
    const statuses = (['awaiting', 'stale', 'disabled', 'attention'] as const).map((status) =>
      waits(`${status}_1`, status, status),
    )
    const { entries } = see(seen([slack, ...statuses]))
    expect(entries.map(({ status }) => status)).toEqual(['Next', 'Expired', 'Turned off', 'Needs attention'])
    expect(entries.map(({ connect }) => connect?.label)).toEqual([
      'Connect',
      'Reconnect',
      undefined,
      undefined,
    ])
  })
})
