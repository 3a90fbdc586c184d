// Applies the options of `onramp keep` that change its state: apps to release or mark as removed, and the pause.
// Applies the answers of the company file, too. Pure.
import { UsageError } from '@onramp/terminal/arguments'
import { utcDay } from '../admin/report.ts'
import type { Company } from '../company/company.ts'
import { inScope } from '../onboarding/walk.ts'
import {
  activeMassDisconnects,
  pausedApps,
  unansweredDelistings,
  withAppEvents,
  withReplacements,
} from '../people/keep-state.ts'
import type { AppEvent, KeepState, MassDisconnect, DelistedApp } from '../people/keep-state.ts'
import type { OperatorAction } from '../people/person.ts'
import { operatorName } from './operator.ts'

/** `release`: apps, or `all`. `removed`: apps. `pauseUntil`: YYYY-MM-DD. */
type StateOptions = { [Option in 'release' | 'removed']?: readonly string[] | undefined } & {
  pauseUntil?: string | undefined
}

/**
 * @param options.release resumes emails about these apps, or marks them as connected, though they left many lists
 * @param options.removed marks these apps as removed
 * @param options.pauseUntil today ends the pause
 * @throws {UsageError} for an unknown app, or a day in the past
 */
export function applyOptions(
  state: KeepState,
  options: StateOptions,
  {
    now,
    declaredReplacements,
    datasourceOf,
  }: Pick<Company, 'declaredReplacements' | 'datasourceOf'> & { now: number },
): KeepState {
  const { release = [], removed = [], pauseUntil } = options
  const disconnects = activeMassDisconnects(state)
  const unansweredApps = unansweredDelistings(state)
  const { delistedApps: leftApps = [], pausedUntil = 0, ...rest } = state
  const currentName = (instance: string) => declaredReplacements.get(instance) ?? instance
  const matchesApp = (
    app: string,
    { instance, movedTo = instance }: { instance: string; movedTo?: string | undefined },
  ) =>
    [instance, movedTo].some(
      (one) => currentName(app) === currentName(one) || inScope({ datasources: [app] }, one),
    )
  const pausedInstances = pausedApps(state)
  const isHidden = ({ instance }: { instance: string }) => datasourceOf(instance)?.isHidden === true
  // An app that was only hidden left no list.
  const candidates = [
    ...disconnects,
    ...leftApps.filter((app) => !(app.isMoved ?? app.markedConnectedAt) && (app.people > 0 || isHidden(app))),
  ]
  const names = [...new Set([...disconnects, ...unansweredApps].map(({ instance }) => instance))].join(', ')
  const othersText = names && `, only about ${names}`
  for (const app of release) {
    const matchingItems = app === 'all' ? disconnects : candidates.filter((item) => matchesApp(app, item))
    if (matchingItems.length === 0)
      throw new UsageError(
        `--release ${app}: no emails ${app === 'all' ? '' : 'about this app '}are held back${othersText}`,
      )
    if (matchingItems.every(isHidden))
      throw new UsageError(
        `--release ${app}: the company file hides it (hidden: true), so no one is emailed about it. Show it first`,
      )
  }
  const namesInQuestion = unansweredApps.map(({ instance }) => instance).join(', ')
  for (const app of removed) {
    const question = leftApps.find((item) => matchesApp(app, item))
    if (question === undefined)
      throw new UsageError(
        `--removed ${app}: this app isn't gone from most lists, or it left fewer than five, so no one was asked about it${namesInQuestion && `, only about ${namesInQuestion}`}. If it was removed, hide it in the company file (hidden: true)`,
      )
    const releasedApp = release.find((one) => one !== 'all' && matchesApp(one, question))
    if (releasedApp !== undefined)
      throw new UsageError(
        `--removed ${app} and --release ${releasedApp} contradict each other: it was either removed or connected`,
      )
  }
  const isReleased = (item: MassDisconnect | DelistedApp) =>
    !isHidden(item) &&
    release.some((app) => (app === 'all' ? disconnects.some((one) => one === item) : matchesApp(app, item)))
  const massDisconnects = state.massDisconnects.map((item) =>
    disconnects.includes(item) && isReleased(item) ? { ...item, resumedAt: now } : item,
  )
  // The newer option wins; repeating an option changes nothing.
  const delistedApps = leftApps.map((delistedApp): DelistedApp => {
    const { markedRemovedAt = now, markedConnectedAt = now, ...question } = delistedApp
    if (removed.some((app) => matchesApp(app, delistedApp))) return { ...question, markedRemovedAt }
    const isConnected = !pausedInstances.has(delistedApp.instance) && isReleased(delistedApp)
    return isConnected ? { ...question, markedConnectedAt } : delistedApp
  })
  const today = utcDay(now)
  const until = pauseUntil === undefined ? pausedUntil : Date.parse(pauseUntil)
  if (pauseUntil !== undefined && (pauseUntil < today || (pauseUntil === today && pausedUntil <= now)))
    throw new UsageError(
      `--pause-until ${pauseUntil}: ${pauseUntil < today ? 'that day is over' : 'there is no pause to end'}. Today, ${today} (UTC), ends a pause; a later day begins one.`,
    )
  const after = { ...rest, massDisconnects, delistedApps, ...(until > now && { pausedUntil: until }) }
  return withAppEvents(after, eventsAt(now, after))
}

/** Releases and answers of this moment. */
function eventsAt(
  now: number,
  state: Required<Pick<KeepState, 'massDisconnects' | 'delistedApps'>>,
): AppEvent[] {
  const ofNow = (time: number | undefined) => time === now
  return [
    ...state.massDisconnects.flatMap(({ instance, name, lapsed: people, had, resumedAt }) =>
      ofNow(resumedAt) ? { at: now, what: 'released' as const, instance, name, people, had } : [],
    ),
    ...state.delistedApps.flatMap(({ instance, name, people, markedRemovedAt, markedConnectedAt }) => {
      const answer = ofNow(markedConnectedAt) ? ('connected' as const) : undefined
      const what = ofNow(markedRemovedAt) ? ('removed' as const) : answer
      return what === undefined ? [] : { at: now, what, instance, name, people }
    }),
  ]
}

/** Hiding an app marks it as removed, and ends the pause of its emails. No one is asked about a replaced app. */
export function applyCompanyFile(
  state: KeepState,
  {
    datasourceOf,
    declaredReplacements,
    activeReplacements,
  }: Pick<Company, 'datasourceOf' | 'declaredReplacements' | 'activeReplacements'>,
  now: number,
): KeepState {
  const { apps = [], massDisconnects, delistedApps = [], newApps = [] } = state
  const delistedByInstance = new Map(delistedApps.map((app) => [app.instance, app]))
  const isRemoved = (instance = '') => delistedByInstance.get(instance)?.markedRemovedAt !== undefined
  const events: AppEvent[] = []
  for (const { instance, name } of [...apps, ...massDisconnects, ...delistedApps]) {
    if (datasourceOf(instance)?.isHidden !== true || isRemoved(instance)) continue
    const unaskedApp: DelistedApp = { instance, name, noticedAt: now, since: now, people: 0 }
    const { markedConnectedAt: _markedConnectedAt, ...app } = delistedByInstance.get(instance) ?? unaskedApp
    delistedByInstance.set(instance, { ...app, markedRemovedAt: now, isHidden: true })
    events.push({ instance, name, at: now, what: 'hidden', people: 0 })
  }
  const after = {
    ...state,
    massDisconnects: withReplacements(massDisconnects, activeReplacements).filter(
      (app) => !isRemoved(app.instance) && !isRemoved(app.movedTo),
    ),
    newApps: newApps.filter(({ instance }) => !isRemoved(instance)),
    delistedApps: [...delistedByInstance.values()]
      .filter(({ instance }) => !activeReplacements.has(instance))
      .map(({ isReplaced: _isReplaced, ...app }): DelistedApp =>
        declaredReplacements.has(app.instance) ? { ...app, isReplaced: true } : app,
      ),
  }
  return withAppEvents(after, events)
}

type OptionAction = OperatorAction & { what: 'released' | 'markedConnected' | 'removed' | 'confirmed' }

/** The actions caused by the options of this run. @param at the time of the run */
export function actionsOfRun({ massDisconnects, delistedApps = [] }: KeepState, at: number): OptionAction[] {
  const by = operatorName()
  const changes: Partial<MassDisconnect & DelistedApp>[] = [...massDisconnects, ...delistedApps]
  return changes.flatMap(({ instance: app = '', firstAt, since: newest = 0, ...times }) => {
    const { resumedAt, markedRemovedAt, markedConnectedAt } = times
    const since = firstAt ?? newest
    const marks = { released: resumedAt, removed: markedRemovedAt, markedConnected: markedConnectedAt }
    const doneActions = (Object.keys(marks) as (keyof typeof marks)[]).filter((what) => marks[what] === at)
    return doneActions.map((what) => ({ at, what, by, app, since }))
  })
}
