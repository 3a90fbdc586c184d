// What the overview shows, from the walk alone. Pure.
import { MAX_SCANNABLE_APPS } from '../../company/app-names.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { callbackPath, overviewPath, visitParameters } from '../paths.ts'
import { bucketOf } from '../app-state.ts'
import type { Walk } from '../walk.ts'
import { iconOf } from './about.ts'
import { bannerOf } from './banner.ts'
import { isLong, listRows, type Action } from './entries.ts'
import { hasLapsed, createOverviewModel, type OverviewContext, type OverviewModel } from './model.ts'
import { confirmingOf, resumeAction, stepOf } from './step.ts'
import { pollingOf } from './polling.ts'

/** What views/onboarding/overview.eta prints. */
export function overviewOf(walk: Walk, context: OverviewContext) {
  const situation = createOverviewModel(walk, context)
  const { t, apps, where, person, name } = situation
  const opening = { ...situation.opening, ...lapsedWords(situation) }
  const step = stepOf(situation)
  const checking = confirmingOf(situation)
  const banner = step?.focus || checking?.focus ? undefined : bannerOf(situation)
  /** The button is where the person goes on. */
  const focusesMain = step?.kind === 'connect' && (situation.isSignedInAgain || banner?.kind === 'good')
  const progress = progressOf(situation)
  const result = banner ?? checking ?? (step?.kind === 'connect' ? undefined : step)
  const isDone = opening.state === 'done'
  const isStart = situation.few !== undefined
  const filter = filterOf(situation)
  const rows = listRows(situation, step?.instance, filter?.query)
  const found = filter?.query
    ? t('overview.found', { count: rows.entries.length, query: filter.query })
    : undefined
  const parts = [
    found,
    result?.title,
    // What a long name is left out of says little alone.
    result?.named ? t.list([result.named]) : undefined,
    isDone ? opening.heading : progress?.label,
    isDone ? progress?.label : opening.heading,
  ]
  return {
    ...opening,
    heading: (name && !isLong(name) && namedHeading(opening.ending, name, t)) || opening.heading,
    title: parts
      .filter((part) => part !== undefined)
      .slice(0, 2)
      .join(' - '),
    banner,
    focusesMain,
    /** Is the end reached just now, and no banner says so? Then it is what is read first. */
    arrived: situation.isOver && situation.from !== undefined && banner === undefined,
    checking,
    // A walk that is over says so once.
    progress: isDone ? undefined : progress,
    step,
    resume: resumeAction(situation),
    /** What is connected, at a glance. */
    tiles: isDone ? connectedTiles(situation) : [],
    ...rows,
    /** What the list is called, and what is behind "Show more". */
    listTitle: t(step && !found ? 'overview.othersTitle' : 'overview.listTitle'),
    moreTitle: t(isStart ? 'overview.later' : 'overview.more', { count: rows.more.length }),
    isStart,
    filter: filter && { ...filter, found },
    /** At the end: for which account, and how to take it back. */
    connectedFor:
      situation.isOver && situation.counts.connected > 0
        ? t.sentences([
            ...(person === '' ? [] : [t('finished.connectedFor', { person })]),
            t('finished.disconnect'),
          ])
        : '',
    narrowed: walk.visit.only.length > 0 && (apps.length === 0 || apps.length < walk.known.length),
    returnTo: returnAction(situation),
    refresh:
      where.kind === 'wait' ? { seconds: where.lookAgainSeconds, url: callbackPath(where.step) } : undefined,
    watch: pollingOf(walk, where, context.now, context.confirmSeconds),
    script: 'walk' as const,
  }
}

/** The heading with the person's name, where nothing is left open; undefined for the other endings. */
function namedHeading(
  ending: OverviewModel['opening']['ending'],
  name: string,
  t: Texts,
): string | undefined {
  if (ending === 'nothing') return t('finished.titleNothingNamed', { name })
  return ending === 'all' ? t('finished.titleNamed', { name }) : undefined
}

/** Someone who has nothing to do but to connect again what they had is no newcomer. */
function lapsedWords({ apps, counts, opening, visit, t }: OverviewModel) {
  const pending = apps.filter(({ standing }) => bucketOf(standing) === 'pending')
  const [first] = pending
  if (first === undefined || !pending.every(hasLapsed)) return undefined
  const isOne = pending.length === 1 && !isLong(first.name)
  const isRest = counts.connected > 0 && counts.connected + counts.pending === apps.length
  return {
    heading: isOne
      ? t('overview.titleLapsed', { app: first.name })
      : t('overview.titleLapsedApps', { count: pending.length }),
    lead: visit.only.length === 0 && isRest ? t('overview.leadLapsed') : opening.lead,
  }
}

const MAX_TILES = 12

/** One for each kind of app: two signs that are the same would look like a mistake. */
function connectedTiles({ apps, about }: OverviewModel) {
  const tiles = new Map<string, ReturnType<typeof iconOf>>()
  for (const { entry, short, standing } of apps)
    if (standing.kind === 'connected') {
      const tile = iconOf(entry, about)
      tiles.set(`${tile.logo ?? tile.tone} ${short}`, tile)
    }
  return [...tiles.values()].slice(0, MAX_TILES)
}

const MAX_QUERY = 100

/** A form that loads the page anew, so it needs no script; the visit goes along. */
function filterOf({ apps, query = '', visit }: OverviewModel) {
  if (apps.length <= MAX_SCANNABLE_APPS) return undefined
  return {
    query: query.trim().slice(0, MAX_QUERY),
    visit: visitParameters(visit),
    all: overviewPath({ ...visit, only: [] }),
  }
}

/** With more apps than that, a segment each could not be told from the next. */
const MAX_SEGMENTS = 12

/** What is turned off is left out: no one can connect it, and counting it, a walk could never be complete. */
function progressOf({ counts, t }: OverviewModel) {
  const { connected, pending, skipped, blocked } = counts
  const total = connected + pending + skipped + blocked
  if (total === 0) return undefined
  const segments: ReturnType<typeof segmentAt>[] = []
  if (total <= MAX_SEGMENTS)
    for (let at = 0; at < total; at++) segments.push(segmentAt(at, connected, pending))
  return {
    connected,
    total,
    label: t('overview.progress', { connected, total }),
    minutes: pending === 0 || total > MAX_SCANNABLE_APPS ? '' : t('overview.minutes', { count: pending }),
    segments,
  }
}

const segmentAt = (at: number, connected: number, pending: number) =>
  at < connected ? 'over' : at === connected && pending > 0 ? 'now' : 'open'

function returnAction({ visit: { returnTo }, t }: OverviewModel): (Action & { host?: string }) | undefined {
  if (returnTo === undefined) return undefined
  if (!URL.canParse(returnTo)) return { href: returnTo, label: t('overview.continue') }
  const { host } = new URL(returnTo)
  return { href: returnTo, label: t('overview.backTo', { place: host }), host }
}
