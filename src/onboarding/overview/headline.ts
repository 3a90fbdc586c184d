// The overview's headline and lead text, derived from app counts. Pure. Apps that are off or skipped never count as
// connected, and a narrowed visit makes no claim about the apps that it doesn't show.
import { isUnavailable } from '../../client-api/app-status.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { bucketOf, type AppState } from '../app-state.ts'
import type { TrackedApp } from '../walk.ts'

type OffByStatus = Partial<Record<'disabled' | 'attention', number>>

/** Each app is counted in one bucket; apps that are off also by their status. */
export type Counts = Record<ReturnType<typeof bucketOf>, number> & { offByStatus: OffByStatus }

export function countsOf(apps: readonly { state: AppState; tracked: Pick<TrackedApp, 'status'> }[]): Counts {
  const counts: Counts = { connected: 0, pending: 0, skipped: 0, blocked: 0, off: 0, offByStatus: {} }
  for (const { state, tracked } of apps) {
    counts[bucketOf(state)]++
    if (isUnavailable(tracked.status))
      counts.offByStatus[tracked.status] = (counts.offByStatus[tracked.status] ?? 0) + 1
  }
  return counts
}

const sumOf = (one: OffByStatus, other: OffByStatus): OffByStatus => {
  const sum = { ...one }
  for (const [status, count] of Object.entries(other) as [keyof OffByStatus, number][])
    sum[status] = (sum[status] ?? 0) + count
  return sum
}

type OverviewCounts = {
  shown: Counts
  hidden: Counts
  isNarrowed: boolean
  /** `shown` has the first few apps of a long walk, `hidden` the later ones. */
  showsFirstApps?: boolean
  hasBegun?: boolean
}

/**
 * open: an app is unconnected, or a consent is being confirmed.
 * unknown-name: the link names an app that the person doesn't have.
 * nothing: the service has never listed an app.
 * all: every app is connected.
 * all-but-off: every app is connected or switched off.
 * these: the apps of a narrowed visit are connected; others aren't.
 * some: some apps are connected; the others are skipped, or need an admin.
 * none: no app is connected; at least one is skipped, or needs an admin.
 * off: every app is switched off.
 */
type Outcome = 'open' | 'unknown-name' | 'nothing' | 'all' | 'all-but-off' | 'these' | 'some' | 'none' | 'off'

function outcomeOf({ shown, hidden, isNarrowed }: OverviewCounts): Outcome {
  const setAsideCount = shown.skipped + shown.blocked
  if (shown.pending > 0) return 'open'
  if (totalOf(shown) === 0) return isNarrowed ? 'unknown-name' : 'nothing'
  if (shown.connected === 0) return setAsideCount > 0 ? 'none' : 'off'
  if (setAsideCount > 0) return 'some'
  if (hidden.pending + hidden.skipped + hidden.blocked > 0) return 'these'
  return shown.off + hidden.off > 0 ? 'all-but-off' : 'all'
}

const totalOf = ({ connected, pending, skipped, blocked, off }: Counts): number =>
  connected + pending + skipped + blocked + off

/** open: an app is pending. incomplete: none is pending, but not all are connected. done: nothing is left to do. */
type State = 'open' | 'incomplete' | 'done'

type Headline = { outcome: Outcome; state: State; heading: string; lead: string; offersSearch: boolean }

export function headlineOf(apps: OverviewCounts, t: Texts): Headline {
  const outcome = outcomeOf(apps)
  const isPart = !apps.showsFirstApps && totalOf(apps.hidden) > 0
  const [state, heading, lead] = headlineTexts(outcome, apps, isPart, t)
  // Skipped apps would leave a search without results.
  const offersSearch = state === 'done' || outcome === 'some' || (outcome === 'off' && !isPart)
  return { outcome, state, heading, lead, offersSearch }
}

type HeadlineTexts = [state: State, heading: string, lead: string]

function headlineTexts(outcome: Outcome, apps: OverviewCounts, isPart: boolean, t: Texts): HeadlineTexts {
  const { shown, hidden, showsFirstApps } = apps
  const count = totalOf(shown)
  const hiddenCount = hidden.pending + hidden.skipped + hidden.blocked
  switch (outcome) {
    case 'open':
      return ['open', t('overview.title'), openLead(apps, count, hiddenCount, t)]
    case 'unknown-name':
      return ['open', t('overview.titleUnderName'), t('overview.nothingUnderName')]
    case 'nothing':
      return ['done', t('finished.titleNothing'), t('overview.nothingKnown')]
    case 'all':
      return ['done', t('finished.title'), t('finished.lead', { count: shown.connected + hidden.connected })]
    case 'all-but-off': {
      const offByStatus = sumOf(shown.offByStatus, hidden.offByStatus)
      const why = reasons({ skipped: 0, blocked: 0, offByStatus }, t)
      return ['done', t('finished.titleButOff'), t.sentences([t('finished.leadButOff'), ...why])]
    }
    case 'these':
      return showsFirstApps
        ? ['done', t('finished.titleStart', { count }), t('finished.leadStart', { others: hiddenCount })]
        : ['done', t('finished.titleThese', { count }), t('finished.leadThese', { others: hiddenCount })]
    case 'some': {
      const heading = t(isPart ? 'finished.titleSomeOfThese' : 'finished.titleSome')
      return ['incomplete', heading, t.sentences([t('finished.leadSome'), ...reasons(shown, t)])]
    }
    case 'none': {
      const heading = t(isPart ? 'finished.titleNoneOfThese' : 'finished.titleNone', { count })
      if (shown.skipped === count) return ['incomplete', heading, t('reason.skippedAll', { count })]
      const lead = t.sentences([t('finished.leadNone', { count }), ...reasons(shown, t, count === 1)])
      return ['incomplete', heading, lead]
    }
    case 'off':
      return offTexts(shown, count, isPart, t)
  }
}

function openLead(apps: OverviewCounts, count: number, hiddenCount: number, t: Texts): string {
  const isBefore = !apps.hasBegun && apps.shown.connected === 0
  if (apps.showsFirstApps && isBefore) return t('overview.leadStart', { count, others: hiddenCount })
  if (apps.isNarrowed) return t('overview.leadNarrowed', { count })
  // Once the person has begun, a result comes first.
  return isBefore ? t('overview.lead') : ''
}

function offTexts(shown: Counts, count: number, isPart: boolean, t: Texts): HeadlineTexts {
  if (shown.offByStatus.attention !== undefined) {
    const why = t.sentences([...reasons(shown, t), t('finished.leadAllOff', { count })])
    return ['incomplete', t('finished.titleUnavailable', { count }), count === 1 ? t('note.attention') : why]
  }
  const heading = isPart || count === 1 ? t('finished.titleTheseOff', { count }) : t('finished.titleOff')
  return ['incomplete', heading, t(isPart ? 'finished.leadOff' : 'finished.leadAllOff', { count })]
}

/** Why apps are not connected. @param isSame true if the previous sentence is about the same app */
function reasons(
  { skipped, blocked, offByStatus }: Pick<Counts, 'skipped' | 'blocked' | 'offByStatus'>,
  t: Texts,
  isSame = false,
): string[] {
  const offCounts = (Object.entries(offByStatus) as [keyof OffByStatus, number][]).filter(
    ([, count]) => count > 0,
  )
  return [
    ...(skipped > 0 ? [t('reason.skipped', { count: skipped })] : []),
    ...(blocked > 0 ? [t(isSame ? 'reason.blockedIt' : 'reason.blocked', { count: blocked })] : []),
    ...offCounts.map(([status, count]) => t(`reason.${status}`, { count })),
  ]
}
