// The data of views/onboarding/overview.eta, from the walk alone. Pure.
import { MAX_SCANNABLE_APPS } from '../../company/app-names.ts'
import { bucketOf } from '../app-state.ts'
import { callbackPath, overviewPath, visitParameters } from '../paths.ts'
import { statusOf } from '../status.ts'
import { newWalk, type TrackedApp, type Walk } from '../walk.ts'
import { iconOf } from '../../company/app-description.ts'
import { isLong, cardAndBanner } from './card.ts'
import { listRows, NEW_AFTER_MS, type Action } from './rows.ts'
import { createOverviewModel, hasLapsed, type OverviewModel } from './model.ts'

/** The walk without times, alike for many people. Undefined if the overview shows more than what is connected. */
export function sharedWalk({ apps }: Walk): Walk | undefined {
  const isUntouched = ({
    instance: _instance,
    name: _name,
    status,
    firstSeen: _at,
    ...history
  }: TrackedApp) => status === 'awaiting' && Object.values(history).every((value) => value === undefined)
  const isPlain = apps.every((app) => app.status === 'connected' || isUntouched(app))
  const times = apps.map(({ firstSeen }) => firstSeen)
  const hasNewApp = Math.max(...times) - Math.min(...times) > NEW_AFTER_MS
  if (!isPlain || hasNewApp || !apps.some(isUntouched) || apps.length > MAX_SCANNABLE_APPS) return undefined
  const withoutTimes = apps.map(({ instance, name, status }) => ({ instance, name, status, firstSeen: 0 }))
  return { ...newWalk(0), apps: withoutTimes }
}

export function overviewOf(walk: Walk, context: Parameters<typeof createOverviewModel>[1]) {
  const model = createOverviewModel(walk, context)
  const { t, apps, next } = model
  const headline = { ...model.headline, ...lapsedTexts(model) }
  const { card, confirming, resume, banner } = cardAndBanner(model)
  const progress = progressOf(model)
  const result = banner ?? confirming ?? (card?.kind === 'connect' ? undefined : card)
  const isDone = headline.state === 'done'
  const showsFirstApps = model.states.firstApps !== undefined
  const filter = filterOf(model)
  const list = listRows(model, card?.instance, filter?.query)
  const filterResult = filter?.query
    ? t('overview.found', { count: list.rows.length, query: filter.query })
    : undefined
  const titles = [
    filterResult,
    result?.title,
    // The title alone is too short.
    result?.nameLine ? t.list([result.nameLine]) : undefined,
    ...(isDone ? [headline.heading, progress?.label] : [progress?.label, headline.heading]),
  ].filter((part) => part !== undefined)
  return {
    ...headline,
    heading: headingWithName(model) ?? headline.heading,
    title: titles.slice(0, 2).join(' - '),
    banner,
    /** Moves the focus to the main button. */
    focusesMain: card?.kind === 'connect' && (model.isSignedInAgain || banner?.kind === 'good'),
    /** Moves the focus to the headline, because the walk has just ended without a banner. */
    focusesHeadline: model.hasNothingPending && model.from !== undefined && banner === undefined,
    confirming,
    progress: isDone ? undefined : progress,
    card,
    resume,
    icons: isDone ? connectedIcons(model) : [],
    ...list,
    listTitle: t(card && !filterResult ? 'overview.othersTitle' : 'overview.listTitle'),
    moreTitle: t(showsFirstApps ? 'overview.later' : 'overview.more', { count: list.more.length }),
    showsFirstApps,
    filter: filter && { ...filter, found: filterResult },
    connectedFor: connectedForText(model),
    hidesOtherApps:
      walk.visit.datasources.length > 0 && (apps.length === 0 || apps.length < walk.apps.length),
    returnTo: returnAction(model),
    refresh:
      next.kind === 'confirming'
        ? { seconds: next.nextPollSeconds, url: callbackPath(next.step) }
        : undefined,
    polling: pollingOf(model),
  }
}

function headingWithName({ headline: { outcome }, name, t }: OverviewModel): string | undefined {
  if (!name || isLong(name)) return undefined
  if (outcome === 'nothing') return t('finished.titleNothingNamed', { name })
  return outcome === 'all' ? t('finished.titleNamed', { name }) : undefined
}

/** Texts if every unconnected app was connected before, because those for newcomers don't fit. */
function lapsedTexts({ apps, counts, headline, visit, t }: OverviewModel) {
  const pending = apps.filter(({ state }) => bucketOf(state) === 'pending')
  const [first] = pending
  if (first === undefined || !pending.every(hasLapsed)) return undefined
  const isOne = pending.length === 1 && !isLong(first.name)
  const isRest = counts.connected > 0 && counts.connected + counts.pending === apps.length
  return {
    heading: isOne
      ? t('overview.titleLapsed', { app: first.name })
      : t('overview.titleLapsedApps', { count: pending.length }),
    lead: visit.datasources.length === 0 && isRest ? t('overview.leadLapsed') : headline.lead,
  }
}

/** At the end: the connected account, and how to withdraw access. */
function connectedForText({ hasNothingPending, counts, person, t }: OverviewModel): string {
  if (!hasNothingPending || counts.connected === 0) return ''
  const account = person === '' ? [] : [t('finished.connectedFor', { person })]
  return t.sentences([...account, t('finished.disconnect')])
}

const MAX_ICONS = 12

/** One icon for each kind of app, because two equal icons would look like a mistake. */
function connectedIcons({ apps, describe }: OverviewModel) {
  const icons = new Map<string, ReturnType<typeof iconOf>>()
  for (const app of apps.filter(({ state }) => state.kind === 'connected')) {
    const icon = iconOf(app, describe)
    icons.set(`${icon.logo ?? icon.tone} ${app.short}`, icon)
  }
  return [...icons.values()].slice(0, MAX_ICONS)
}

const MAX_QUERY = 100

/** A form that keeps the visit, so that filtering needs no script. */
function filterOf({ apps, query = '', visit }: OverviewModel) {
  if (apps.length <= MAX_SCANNABLE_APPS) return undefined
  return {
    query: query.trim().slice(0, MAX_QUERY),
    visit: visitParameters(visit),
    all: overviewPath({ ...visit, datasources: [] }),
  }
}

const MAX_SEGMENTS = 12

/** Ignores apps that are off: no one can connect them, so the progress could never be complete. */
function progressOf({ counts, t }: OverviewModel) {
  const { connected, pending, skipped, blocked } = counts
  const total = connected + pending + skipped + blocked
  if (total === 0) return undefined
  const segmentAt = (at: number) =>
    at < connected ? 'connected' : at === connected && pending > 0 ? 'current' : 'open'
  return {
    connected,
    total,
    label: t('overview.progress', { connected, total }),
    minutes: pending === 0 || total > MAX_SCANNABLE_APPS ? '' : t('overview.minutes', { count: pending }),
    segments: Array.from({ length: total > MAX_SEGMENTS ? 0 : total }, (_, index) => segmentAt(index)),
  }
}

function returnAction({ visit: { returnTo }, t }: OverviewModel): (Action & { host?: string }) | undefined {
  if (returnTo === undefined) return undefined
  if (!URL.canParse(returnTo)) return { href: returnTo, label: t('overview.continue') }
  const { host } = new URL(returnTo)
  return { href: returnTo, label: t('overview.backTo', { place: host }), host }
}

/** Polled by views/assets/walk.js while a consent is being confirmed. */
function pollingOf({ next, states, now, confirmSeconds }: OverviewModel) {
  if (next.kind !== 'confirming') return undefined
  const { connected, pending, skipped } = statusOf(states)
  const secondsTo = (at: number) => Math.max(0, Math.ceil((at - now) / 1000))
  return {
    /** The page to load when the status changes. */
    url: callbackPath(next.step),
    /** The response of /api/status as long as nothing changes. */
    status: [connected, pending, skipped].join(' '),
    /** Frequent polling lasts this long. */
    oftenSeconds: secondsTo(next.frequentPollingUntil),
    /** The time left of CONFIRM_SECONDS, after which the page reloads in any case. */
    secondsLeft: secondsTo(next.backAt + confirmSeconds * 1000),
  }
}
