// What the overview shows of a walk: words, counts, what is offered and what is not.
import { describe, expect, it } from 'vitest'
import { APP_STATUS_NAMES, isOff } from '../../src/client-api/app-status.ts'
import { overviewOf } from '../../src/onboarding/overview/overview.ts'
import type { OverviewContext } from '../../src/onboarding/overview/scene.ts'
import { skip, unskip } from '../../src/onboarding/set-aside.ts'
import { comeBack, depart } from '../../src/onboarding/attempts.ts'
import { observe, startWalk, type Waiting, type Walk } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'

const NOW = Date.UTC(2026, 10, 21, 9)
const CONFIRM = 90

const waits = (instance: string, name = instance, status: Waiting['status'] = 'awaiting'): Waiting => ({
  instance,
  name,
  status,
})
const slack = waits('slack_1', 'Slack')
const github = waits('github_1', 'GitHub')
const drive = waits('gdrive_1', 'Google Drive')

const seen = (waiting: Waiting[], walk: Walk = startWalk(NOW), now = NOW) =>
  observe(walk, waiting, now, CONFIRM)
const see = (walk: Walk, context: Partial<OverviewContext> = {}) =>
  overviewOf(walk, { now: NOW, t, person: 'ada@acme.example', from: undefined, advances: true, ...context })

/** Left for Slack and back, the service not showing it yet. */
const returned = (waiting: Waiting[]) =>
  comeBack(depart(seen(waiting), { instance: 'slack_1', step: 'step-1', now: NOW }), 'step-1', NOW).walk

describe('the overview', () => {
  it('offers the first that waits, and says what will happen', () => {
    const overview = see(seen([slack, github]))
    expect(overview).toMatchObject({
      title: '0 of 2 connected - Connect your apps to search',
      mood: 'open',
      progress: { connected: 0, total: 2 },
      banner: undefined,
      refresh: undefined,
    })
    expect(overview.step).toMatchObject({
      kind: 'connect',
      title: 'Connect Slack',
      connect: { href: '/onboarding/connect/slack_1', label: 'Connect Slack' },
      skip: '/onboarding/skip/slack_1',
      focus: false,
    })
    expect(overview.step?.facts.map(({ icon }) => icon)).toEqual(['clock', 'onward', 'person'])
  })

  it('has one link and one form for each that waits, and none twice', () => {
    const { step, entries } = see(seen([slack, github, drive]))
    const links = [step?.connect.href, ...entries.map((entry) => entry.connect?.href)].filter(Boolean)
    const forms = [step?.skip, ...entries.map((entry) => entry.skip?.href)].filter(Boolean)
    expect(links).toEqual(['slack_1', 'github_1', 'gdrive_1'].map((id) => `/onboarding/connect/${id}`))
    expect(forms).toEqual(['slack_1', 'github_1', 'gdrive_1'].map((id) => `/onboarding/skip/${id}`))
    expect(entries.map((entry) => entry.current)).toEqual([true, false, false])
  })

  it('tells of what was connected first, and what comes next', () => {
    const overview = see(seen([github], seen([slack, github])), { from: 'slack_1' })
    expect(overview.banner).toEqual({
      kind: 'good',
      title: 'Slack connected',
      text: 'Next up: GitHub.',
    })
    expect(overview.title).toBe('Slack connected - 1 of 2 connected')
  })

  it('says nothing of a datasource that nobody knows, whatever the address claims', () => {
    expect(see(seen([slack]), { from: 'github_1' }).banner).toBeUndefined()
  })

  it('waits, looks again by itself, and can be told to stop where the person is', () => {
    const walk = { ...returned([slack, github]), visit: { only: ['slack', 'github'], returnTo: '/search' } }
    const overview = see(walk, { from: 'slack_1' })
    expect(overview.refresh).toEqual({ seconds: 2, url: '/onboarding/callback?step=step-1' })
    expect(overview.step).toMatchObject({
      kind: 'wait',
      title: 'Checking your Slack connection…',
      lookAgain: '/onboarding/callback?step=step-1',
      stop: '/onboarding?datasource=slack&datasource=github&return_to=%2Fsearch&still=yes',
      onward: { href: '/onboarding/connect/github_1', label: 'Continue with GitHub' },
      focus: true,
    })
    expect(see(returned([slack])).step).toMatchObject({ stop: '/onboarding?still=yes', onward: undefined })
  })

  it('takes the focus to what is waited for once, and leaves it alone at every further look', () => {
    const once = returned([slack, github])
    expect(see(once, { from: 'slack_1' }).step?.focus).toBe(true)
    expect(see(once).step?.focus).toBe(false)
    const twice = comeBack(once, 'step-1', NOW + 2_000).walk
    expect(see(twice, { from: 'slack_1' })).toMatchObject({ step: { focus: false }, banner: undefined })
  })

  it('says once, not twice, that the one they come from is not connected yet', () => {
    const late = NOW + CONFIRM * 1000
    const walk = seen([slack, github], returned([slack, github]), late)
    const overview = see(walk, { from: 'slack_1', now: late })
    expect(overview).toMatchObject({ banner: undefined, step: { kind: 'attend', focus: true } })
    expect(overview.title).toBe('Slack isn’t connected yet - 0 of 2 connected')
    expect(overview.step?.causes).toHaveLength(3)
    expect(overview.step?.onward?.href).toBe('/onboarding/connect/github_1')
    expect(see(walk, { now: late }).step?.focus).toBe(false)
  })

  it('counts neither what was put off nor what is switched off among what waits', () => {
    const walk = skip(seen([slack, github, drive, waits('jira_1', 'Jira', 'disabled')]), 'slack_1', NOW)
    const overview = see(walk, { from: 'slack_1' })
    expect(overview.lead).toBe(t('overview.lead', { count: 2 }))
    expect(overview.progress).toMatchObject({ connected: 0, total: 3 })
    expect(overview.banner).toMatchObject({ kind: 'notice', title: 'Slack skipped' })
    expect(overview.entries[0]).toMatchObject({
      kind: 'skipped',
      skip: undefined,
      unskip: { href: '/onboarding/unskip/slack_1', label: 'Undo skipping Slack' },
    })
    expect(see(unskip(walk, 'slack_1')).step?.title).toBe('Connect Slack')
  })

  it('is done when everything is connected, and names since when', () => {
    const overview = see(seen([], seen([slack, github])), { from: 'github_1' })
    expect(overview).toMatchObject({ mood: 'done', heading: t('finished.title'), step: undefined })
    expect(overview.entries.map(({ note }) => note)).toEqual([
      'Connected November 21, 2026',
      'Connected November 21, 2026',
    ])
  })

  it('is done although an administrator switched one off', () => {
    const overview = see(seen([waits('jira_1', 'Jira', 'disabled')], seen([slack, github])))
    expect(overview).toMatchObject({
      mood: 'done',
      heading: t('finished.titleButOff'),
      progress: { connected: 2, total: 2 },
      search: true,
    })
  })

  it('rests when only what was put off is left', () => {
    const overview = see(skip(seen([slack], seen([slack, github])), 'slack_1', NOW))
    expect(overview).toMatchObject({
      mood: 'rest',
      lead: `${t('finished.leadSome')} ${t('reason.skipped', { count: 1 })}`,
      step: undefined,
      search: true,
    })
  })

  it('is done at once for somebody with nothing to connect', () => {
    expect(see(seen([]))).toMatchObject({
      mood: 'done',
      heading: t('finished.titleNothing'),
      entries: [],
      lead: t('overview.nothingKnown'),
    })
  })

  it('leads out of a link that was narrowed to nothing', () => {
    const nothing = { only: ['nothing'] }
    expect(see({ ...seen([slack]), visit: nothing })).toMatchObject({ narrowed: true, mood: 'open' })
    expect(see({ ...seen([]), visit: nothing })).toMatchObject({ narrowed: true, mood: 'open' })
    expect(see({ ...seen([slack]), visit: { only: ['slack'] } }).narrowed).toBe(false)
  })

  it('tells what is new from what was there before', () => {
    const later = NOW + 3_600_000
    const overview = see(seen([slack, github], seen([slack]), later), { now: later })
    expect(overview.entries.map(({ note }) => note)).toEqual([undefined, t('note.isNew')])
  })

  it('tells several instances with one name apart, in words as well', () => {
    const overview = see(seen([slack, waits('slack_2', 'Slack'), github]))
    expect(overview.entries.map(({ instance }) => instance)).toEqual(['slack_1', 'slack_2', undefined])
    expect(overview.step?.title).toBe('Connect Slack (slack_1)')
    expect(overview.entries[1]?.connect?.label).toBe('Connect Slack (slack_2)')
  })

  it('puts an identifier into an address encoded', () => {
    const { step } = see(seen([waits('custom space/%2F?#&_1', 'Odd')]))
    expect(step?.connect.href).toBe('/onboarding/connect/custom%20space%2F%252F%3F%23%26_1')
  })

  it('keeps a name that runs from right to left from turning the words around it', () => {
    expect(see(seen([waits('notion_1', 'נושן')])).step?.title).toBe('Connect \u2068נושן\u2069')
  })

  it.each([
    ['Slack', 'S'],
    ['jira', 'J'],
    ['<b>Bold</b>', 'B'],
    ['👩‍👩‍👧‍👦 Family', '👩‍👩‍👧‍👦'],
    ['éclair', 'É'],
    ['נושן', 'נ'],
    ['…', '·'],
  ])('shows %s at a glance as %s', (name, initial) => {
    expect(see(seen([waits('app_1', name)])).step?.tile.initial).toBe(initial)
  })

  it('names where the way back leads', () => {
    const back = (returnTo: string) =>
      see({ ...seen([slack]), visit: { only: [], returnTo } }).returnTo?.label
    expect(back('https://intranet.acme.example/welcome?a=b')).toBe('Back to intranet.acme.example')
    expect(back('/search?q=roadmap')).toBe(t('overview.continue'))
  })

  it.each(APP_STATUS_NAMES)(
    'has words for %s, and a link only where the person can do something',
    (status) => {
      const { entries } = see(seen([slack, waits('app_1', 'App', status)]))
      expect(entries[1]?.status).toMatch(/\w/)
      expect(entries[1]?.connect !== undefined).toBe(!isOff(status))
      expect(!isOff(status) || Boolean(entries[1]?.note)).toBe(true)
    },
  )

  it('has words for every status, and offers nothing for what nobody can connect', () => {
    const statuses = (['awaiting', 'stale', 'disabled', 'attention'] as const).map((status) =>
      waits(`${status}_1`, status, status),
    )
    const { entries } = see(seen([slack, ...statuses]))
    expect(entries.map(({ status }) => status)).toEqual([
      'Not connected',
      'Not connected',
      'Expired',
      'Turned off',
      'Needs attention',
    ])
    expect(entries.map(({ connect }) => connect?.label)).toEqual([
      undefined,
      'Connect awaiting',
      'Reconnect stale',
      undefined,
      'Connect attention',
    ])
  })
})
