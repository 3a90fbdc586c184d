// The rows of the list: the text and the actions of each state.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import { listRows } from '../../src/onboarding/overview/rows.ts'
import { createOverviewModel, type OverviewApp } from '../../src/onboarding/overview/model.ts'
import type { AppState } from '../../src/onboarding/app-state.ts'
import { newWalk, type TrackedApp } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import { NOW, overviewContext } from './overview-pages.ts'

const UNCONNECTED: AppState = { kind: 'unconnected' }

const app = (state: AppState = UNCONNECTED, tracked: Partial<TrackedApp> = {}): OverviewApp => ({
  instance: tracked.instance ?? 'slack_1',
  name: 'Slack',
  short: 'Slack',
  state,
  tracked: { instance: 'slack_1', name: 'Slack', status: 'awaiting', firstSeen: NOW, ...tracked },
})
const list = (
  apps: readonly OverviewApp[],
  current?: string,
  hasNothingPending = false,
  about = () => noDescription,
) => {
  const firstSeenAt = Math.min(...apps.map(({ tracked }) => tracked.firstSeen))
  const model = createOverviewModel(newWalk(NOW), { ...overviewContext, describe: about })
  return listRows({ ...model, apps: [...apps], hasNothingPending, firstSeenAt }, current)
}

const forApp = 'Slack'
const connect = (label: string) => ({ connect: { href: '/onboarding/connect/slack_1', label, forApp } })
const skip = { skip: { href: '/onboarding/skip/slack_1', label: 'Skip for now', forApp } }
const unskip = { unskip: { href: '/onboarding/unskip/slack_1', label: 'Put back on my list', forApp } }
const block = {
  block: { href: '/onboarding/blocked/slack_1', label: 'I need an admin to approve this', forApp },
}
const noActions = { notes: [], connect: undefined, skip: undefined, unskip: undefined, block: undefined }

// prettier-ignore
it.each<[kind: string, OverviewApp, words: string, can: object]>([
  ['unconnected', app(), '', { ...connect('Connect'), ...skip }],
  ['stale', app(UNCONNECTED, { status: 'stale' }), 'Access ended', { ...connect('Connect again'), ...skip, notes: [t('next.alikeAgain')] }],
  [
    'stale',
    app(UNCONNECTED, { connectedAt: NOW, lapsedAt: NOW }),
    'Access ended',
    { ...connect('Connect again'), ...skip, notes: ['Noticed on November 21, 2026', t('next.alikeAgain')] },
  ],
  ['attention', app({ kind: 'off' }, { status: 'attention' }), 'Not available', { notes: [t('note.attention')] }],
  ['disabled', app({ kind: 'off' }, { status: 'disabled' }), 'Turned off', { notes: [t('note.disabled')] }],
  ['connected', app({ kind: 'connected', since: NOW }, { status: 'connected' }), 'Connected', {}],
  ['confirming', app({ kind: 'confirming' }), 'Checking…', { ...connect('Try again'), ...skip, ...block }],
  ['unconfirmed', app({ kind: 'unconfirmed', since: NOW }), 'Not connected yet', { ...connect('Try again'), ...skip, ...block }],
  ['in-flight', app({ kind: 'in-flight' }), 'In progress', { ...connect('Start over'), ...skip, notes: [t('note.elsewhere')] }],
  ['skipped', app({ kind: 'skipped', since: NOW }), 'Skipped', { ...connect('Connect'), ...unskip, ...block }],
  [
    'blocked',
    app({ kind: 'blocked', since: NOW }),
    'Waiting for admin',
    {
      ...connect('Approved? Try again'),
      notes: [`Waiting for an admin since ${t.day(NOW)}. You can try again any time.`],
    },
  ],
])('a row with the state %s shows its status and actions', (kind, one, status, can) => {
  const { rows, more } = list([one])
  expect(more).toEqual([])
  expect(rows).toMatchObject([
    { instance: 'slack_1', name: 'Slack', id: 'status-0', kind, status, ...noActions, ...can },
  ])
})

it('each row has its app’s icon and a unique id', () => {
  const { rows } = list([app(), app(UNCONNECTED, { instance: 'b' })])
  expect(rows.map(({ id }) => id)).toEqual(['status-0', 'status-1'])
  expect(rows[1]?.icon).toEqual({ logo: undefined, initial: 'S', tone: 'tone-2' })
})

it('an unconnected app listed a minute after the first is new', () => {
  const noteAt = (milliseconds: number, state: AppState = UNCONNECTED) =>
    list([app(), app(state, { instance: 'b', firstSeen: NOW + milliseconds })]).rows[1]?.notes.includes('New')
  expect(noteAt(60_000)).toBe(false)
  expect(noteAt(60_001)).toBe(true)
  expect(noteAt(60_001, { kind: 'skipped', since: NOW })).toBe(false)
})

it('a row has the company’s description of an app before the click', () => {
  const about = () => ({
    ...noDescription,
    help: 'Connect to the VPN first.',
    account: 'your Acme workspace',
    never: ['Search can’t post.'],
  })
  const all = ['Connect to the VPN first.', 'Use your Acme workspace.', 'Search can’t post.']
  const notesOf = (one: OverviewApp) => list([one], undefined, true, about).rows[0]?.notes
  expect(notesOf(app())).toEqual(all)
  expect(notesOf(app({ kind: 'skipped', since: NOW }))).toEqual(all)
  expect(notesOf(app({ kind: 'connected', since: NOW }))).toEqual(['Connected through your Acme workspace'])
  expect(notesOf(app({ kind: 'off' }, { status: 'disabled' }))).toEqual([t('note.disabled')])
})

it('a row shows its connection’s date, if known, once the walk is finished', () => {
  const noteOf = (tracked: Partial<TrackedApp>, finished: boolean, state: AppState['kind'] = 'connected') =>
    list([app({ kind: state, since: NOW }, tracked)], undefined, finished).rows[0]?.notes[0]
  expect(noteOf({ connectedAt: NOW }, true)).toBe('Connected November 21, 2026')
  expect(noteOf({ connectedAt: NOW }, false)).toBeUndefined()
  expect(noteOf({}, true)).toBeUndefined()
  expect(noteOf({ connectedAt: NOW }, true, 'skipped')).toBeUndefined()
})

const named = (instance: string, state?: AppState, tracked: Partial<TrackedApp> = {}) =>
  app(state, { ...tracked, instance })
const shown = (apps: readonly OverviewApp[]) => {
  const { rows, more } = list(apps)
  return [rows, more].map((part) => part.map((row) => row.instance).join(' '))
}

it('the list omits the app offered first, and marks the following one as next', () => {
  const apps = [named('a'), named('b', { kind: 'skipped', since: NOW }), named('c'), named('d')]
  const { rows } = list(apps, 'a')
  expect(rows.map((row) => [row.instance, row.status])).toEqual([
    ['b', 'Skipped'],
    ['c', 'Next'],
    ['d', ''],
  ])
  expect(list(apps).rows.map(({ status }) => status)).toEqual(['', 'Skipped', '', ''])
  expect(list([named('a')], 'a')).toEqual({ rows: [], more: [] })
})

it('the list ends with apps that no one can connect', () => {
  const attention = named('attention', { kind: 'off' }, { status: 'attention' })
  const off = named('off', { kind: 'off' }, { status: 'disabled' })
  expect(shown([off, named('a'), attention, named('b')])).toEqual(['a b off attention', ''])
})

it('the list shows up to six apps in order, and else the five most urgent', () => {
  const skipped: AppState = { kind: 'skipped', since: NOW }
  const apps = [
    named('on', { kind: 'connected', since: NOW }, { status: 'connected' }),
    named('off', { kind: 'off' }, { status: 'disabled' }),
    named('todo'),
    named('skipped', skipped),
    named('stale', UNCONNECTED, { status: 'stale' }),
    named('waits', { kind: 'confirming' }),
  ]

  expect(shown(apps)).toEqual(['on todo skipped stale waits off', ''])
  expect(shown([...apps, named('todo_2')])).toEqual(['todo skipped stale waits todo_2', 'on off'])
  const blocked = named('blocked', { kind: 'blocked', since: NOW })
  expect(shown([...apps, named('todo_2'), blocked])).toEqual([
    'todo skipped stale waits blocked',
    'on todo_2 off',
  ])
})
