// Options of `onramp keep` that change its state, and their refusals.
import { expect, it } from 'vitest'
import { neutralCompany, resolveCompany } from '../../src/company/company.ts'
import { actionsOfRun, applyOptions } from '../../src/cli/keep-options.ts'
import { pausedApps, unansweredDelistings, type DelistedApp } from '../../src/people/keep-state.ts'
import { DAY, monday } from './installation.ts'
import { newKeepState } from '../helpers/people.ts'

const declaredReplacements = new Map([
  ['jira_1', 'jira_2'],
  ['github_0', 'github_1'],
])
const moment = { now: monday, declaredReplacements, datasourceOf: neutralCompany.datasourceOf }
const midnight = Date.parse('2027-01-18')

const REFUSED =
  /contradict each other|the company file hides it|that day is over|there is no pause to end|are held back|gone from most lists/

/** @returns the new state, or the text of the refusal */
function resultOf<T>(work: () => T): T | string | undefined {
  try {
    return work()
  } catch (error) {
    return REFUSED.exec(String(error))?.[0]
  }
}

it.each([
  ['yesterday is refused during a pause', 1, '2027-01-17', 'that day is over'],
  ['today ends a pause', 1, '2027-01-18', undefined],
  ['yesterday is refused after a pause', 0, '2027-01-17', 'that day is over'],
  ['today is refused after a pause', 0, '2027-01-18', 'there is no pause to end'],
  ['today is refused without a pause', undefined, '2027-01-18', 'there is no pause to end'],
  ['tomorrow begins a pause', undefined, '2027-01-19', midnight + DAY],
  ['tomorrow shortens a pause', 2, '2027-01-19', midnight + DAY],
])('--pause-until with %s', (_title, days, pauseUntil, expected) => {
  const state = { ...newKeepState(), ...(days !== undefined && { pausedUntil: midnight + days * DAY }) }
  const answer = resultOf(() => applyOptions(state, { pauseUntil }, moment).pausedUntil)
  expect(answer).toBe(expected)
})

const removedApp = { instance: 'jira_1', name: 'Jira', noticedAt: 1, since: 1, people: 12 }
const figma = { ...removedApp, instance: 'figma_1', markedRemovedAt: 5 }
const massDisconnect = { ...removedApp, instance: 'slack_1', lapsed: 9, had: 9 }
const NOW = monday

// prettier-ignore
it.each<[title: string, Partial<DelistedApp>, Parameters<typeof applyOptions>[1], Partial<DelistedApp> | string]>([
  ['--removed says that it was removed', {}, { removed: ['jira_1'] }, { markedRemovedAt: NOW }],
  ['--release says that it is connected', {}, { release: ['jira_1'] }, { markedConnectedAt: NOW }],
  ['--release all says nothing', {}, { release: ['all'] }, 'are held back'],
  ['both options together are refused', {}, { release: ['jira_1'], removed: ['jira_1'] }, 'contradict each other'],
  ['both options about its datasource are refused', {}, { release: ['jira'], removed: ['jira_2'] }, 'contradict each other'],
  ['the same answer again keeps its time', { markedRemovedAt: 7 }, { removed: ['jira_1'] }, { markedRemovedAt: 7 }],
  ['--release corrects --removed', { markedRemovedAt: 7 }, { release: ['jira_1'] }, { markedConnectedAt: NOW }],
  ['--release all corrects nothing', { markedRemovedAt: 7 }, { release: ['all'] }, 'are held back'],
  ['--removed corrects --release', { markedConnectedAt: 7 }, { removed: ['jira_1'] }, { markedRemovedAt: NOW }],
  ['a second --release is refused', { markedConnectedAt: 7 }, { release: ['jira_1'] }, 'are held back'],
  ['--removed may name its replacement', {}, { removed: ['jira_2'] }, { markedRemovedAt: NOW }],
  ['--removed of another app is refused', {}, { removed: ['notion_1'] }, 'gone from most lists'],
])('after a question about an app, %s', (_title, before, answers, after) => {
  const state = { ...newKeepState(), delistedApps: [{ ...removedApp, ...before }, figma] }
  const answer = resultOf(() => applyOptions(state, answers, moment).delistedApps)
  expect(answer).toEqual(typeof after === 'string' ? after : [{ ...removedApp, ...after }, figma])
})

const massDisconnectsOf = (...instances: string[]) =>
  instances.map((instance) => ({ ...massDisconnect, instance }))
const [slackDown, ...othersDown] = massDisconnectsOf('slack_1', 'jira_1', 'github_1')

it.each([
  [['slack_1'], ['jira_1', 'github_1']],
  [['slack_1', 'jira'], ['github_1']],
  [['github_0'], ['slack_1', 'jira_1']],
  [['jira_2'], ['slack_1', 'github_1']],
  [['all'], []],
])('after --release %j the paused apps are %j', (release, paused) => {
  const massDisconnects = [slackDown!, ...othersDown]
  const after = applyOptions({ ...newKeepState(), massDisconnects }, { release }, moment)
  expect([...pausedApps(after)]).toEqual(paused)
})

it('--release of the instance to which an app has moved resumes it', () => {
  const massDisconnects = [{ ...slackDown!, movedTo: 'slack_7' }, ...othersDown]
  const after = applyOptions({ ...newKeepState(), massDisconnects }, { release: ['slack_7'] }, moment)
  expect([...pausedApps(after)]).toEqual(['jira_1', 'github_1'])
})

it('--release of an app that isn’t paused is refused beside one that is', () => {
  const state = { ...newKeepState(), massDisconnects: [slackDown!, ...othersDown] }
  const release = ['slack_1', 'figma_1']
  expect(resultOf(() => applyOptions(state, { release }, moment))).toBe('are held back')
})

it.each([
  [{ removed: ['jira_1'] }, 'removed'],
  [{ release: ['jira_1'] }, 'connected'],
])('the answer %j is shown to admins as the event %s', (options, what) => {
  const { appEvents } = applyOptions({ ...newKeepState(), delistedApps: [removedApp] }, options, moment)
  expect(appEvents).toMatchObject([{ what, instance: 'jira_1', people: 12 }])
})

it.each([
  ['of a hidden app is refused', 'slack_1', 'slack_1', 'the company file hides it'],
  ['of a datasource is refused if it is hidden', 'slack', 'slack', 'the company file hides it'],
  ['of an instance of a hidden datasource is refused', 'jira_2', 'jira', 'the company file hides it'],
  ['of an app resumes it though others are hidden', 'slack_1', 'github', 'released'],
  ['of a datasource resumes its visible instance', 'slack', 'slack_2', 'released'],
  ['all is refused if the app on hold is hidden', 'all', 'slack', 'the company file hides it'],
])('--release %s', (_title, app, hidden, refusal) => {
  const { datasourceOf } = resolveCompany({ datasources: { [hidden]: { hidden: true } } }, new Map())
  const state = { ...newKeepState(), massDisconnects: [massDisconnect], delistedApps: [removedApp] }
  const place = { ...moment, datasourceOf }
  expect(resultOf(() => applyOptions(state, { release: [app] }, place) && 'released')).toBe(refusal)
})

it('an app that was only hidden, and is shown again, has nothing to release', () => {
  const shown = { ...removedApp, instance: 'figma_1', people: 0, markedRemovedAt: 5 }
  const state = { ...newKeepState(), delistedApps: [shown] }
  expect(resultOf(() => applyOptions(state, { release: ['figma_1'] }, moment))).toBe('are held back')
})

it('--release of an app resumes emails about the instances that aren’t hidden', () => {
  const { datasourceOf } = resolveCompany({ datasources: { slack_2: { hidden: true } } }, new Map())
  const massDisconnects = ['slack_1', 'slack_2'].map((instance) => ({ ...massDisconnect, instance }))
  const state = { ...newKeepState(), massDisconnects }
  const after = applyOptions(state, { release: ['slack'] }, { ...moment, datasourceOf })
  expect(after.massDisconnects.map(({ resumedAt }) => resumedAt)).toEqual([NOW, undefined])
})

it('a release of an app that isn’t on hold names those that are', () => {
  const state = { ...newKeepState(), massDisconnects: [massDisconnect], delistedApps: [removedApp] }
  const paused = `only about ${massDisconnect.instance}, ${removedApp.instance}`
  expect(() => applyOptions(state, { release: ['figma_1'] }, moment)).toThrow(paused)
})

it.each([['jira_1'], ['all']])('--release %s of a lost app leaves the question of its removal', (app) => {
  const massDisconnects = [{ ...massDisconnect, instance: 'jira_1' }]
  const state = { ...newKeepState(), massDisconnects, delistedApps: [removedApp] }

  const after = applyOptions(state, { release: [app] }, moment)

  expect(unansweredDelistings(state)).toEqual([])
  expect(after.massDisconnects).toMatchObject([{ resumedAt: NOW }])
  expect(unansweredDelistings(after)).toEqual([removedApp])
})

it('--release all resumes paused emails and answers no question', () => {
  const state = { ...newKeepState(), massDisconnects: [massDisconnect], delistedApps: [removedApp] }
  const { massDisconnects, delistedApps } = applyOptions(state, { release: ['all'] }, moment)
  expect([massDisconnects, delistedApps]).toMatchObject([[{ resumedAt: NOW }], [removedApp]])
  expect(delistedApps?.[0]?.markedConnectedAt).toBeUndefined()
})

it('a release and an answer are recorded as events, once', () => {
  const state = { ...newKeepState(), massDisconnects: [massDisconnect], delistedApps: [removedApp, figma] }
  const { appEvents = [] } = applyOptions(state, { release: ['all'], removed: ['jira_1', 'figma_1'] }, moment)
  expect(appEvents.map(({ what, instance, people, had }) => [what, instance, people, had])).toEqual([
    ['released', 'slack_1', 9, 9],
    ['removed', 'jira_1', 12, undefined],
  ])
  const many = Array.from({ length: 200 }, (_, at) => ({ ...appEvents[0]!, at }))
  const full = applyOptions({ ...state, appEvents: many }, { release: ['all'] }, moment).appEvents
  expect([full?.length, full?.[0]?.at, full?.at(-1)?.at]).toEqual([200, 1, NOW])
})

it.each([
  ['since lists lost it', undefined, 2],
  ['since the first lists lost it', 1, 1],
])('an answer about an app concerns everyone %s', (_title, firstAt, since) => {
  const question = { ...removedApp, since: 2, ...(firstAt && { firstAt }), markedConnectedAt: NOW }
  const [action] = actionsOfRun({ ...newKeepState(), delistedApps: [question] }, NOW)
  expect(action).toMatchObject({ what: 'markedConnected', app: 'jira_1', since })
})
