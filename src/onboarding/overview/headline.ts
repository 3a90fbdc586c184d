// What a list comes to, and the words that it opens with: nothing is called connected that is not. Pure. What surprises:
// switched off and “not now” are not connected, and a narrowed visit says nothing about the apps that it does not show.
import { isUnavailable, type UnavailableStatus } from '../../client-api/app-status.ts'
import type { Texts } from '../../web/languages/texts.ts'
import { bucketOf, unhandled, type Bucket, type AppState } from '../app-state.ts'
import type { TrackedApp } from '../walk.ts'

type OffBy = Partial<Record<UnavailableStatus, number>>

/** Apps by figure, each counted once; those that are off also by the service's word. */
type Counts = Record<Bucket, number> & { offBy: OffBy }

type CountedApp = { standing: AppState; entry: Pick<TrackedApp, 'status'> }

export function countsOf(apps: readonly CountedApp[]): Counts {
  const counts: Counts = { connected: 0, pending: 0, skipped: 0, blocked: 0, off: 0, offBy: {} }
  for (const { standing, entry } of apps) {
    counts[bucketOf(standing)]++
    if (isUnavailable(entry.status)) counts.offBy[entry.status] = (counts.offBy[entry.status] ?? 0) + 1
  }
  return counts
}

const added = (one: OffBy, other: OffBy): OffBy => {
  const sum = { ...one }
  for (const [status, count] of Object.entries(other) as [UnavailableStatus, number][])
    sum[status] = (sum[status] ?? 0) + count
  return sum
}

type OverviewCounts = {
  /** The apps that this visit shows. */
  shown: Counts
  /** The other apps of the same person. */
  hidden: Counts
  /** Was the visit narrowed to some apps? */
  isNarrowed: boolean
  /** Are those that are shown the first few of a long walk, and the hidden ones left for later? */
  isStart?: boolean
  /** Does the person come from one of these apps, or is one being confirmed? */
  hasBegun?: boolean
}

type Ending =
  /** Something waits for the person, or for the service. */
  | 'open'
  /** The link names an app that is not there. */
  | 'unknown-name'
  /** The service never listed anything. */
  | 'nothing'
  | 'all'
  /** Everything that is not switched off. */
  | 'all-but-off'
  /** Everything that the visit was narrowed to; others are not. */
  | 'these'
  /** Some are; the others are “not now”, or wait for an administrator. */
  | 'some'
  /** None is: all are “not now”, or wait for an administrator. */
  | 'none'
  /** None is: all are switched off. */
  | 'off'

export function endingOf({ shown, hidden, isNarrowed }: OverviewCounts): Ending {
  const left = shown.skipped + shown.blocked
  if (shown.pending > 0) return 'open'
  if (shown.connected + left + shown.off === 0) return isNarrowed ? 'unknown-name' : 'nothing'
  if (shown.connected === 0) return left > 0 ? 'none' : 'off'
  if (left > 0) return 'some'
  if (hidden.pending + hidden.skipped + hidden.blocked > 0) return 'these'
  return shown.off + hidden.off > 0 ? 'all-but-off' : 'all'
}

/** open: something waits. rest: it does not, and something is not connected. done: nothing is left to do. */
type State = 'open' | 'rest' | 'done'

export function headlineOf(ending: Ending, seen: OverviewCounts, t: Texts) {
  const { connected, pending, skipped, blocked, off } = seen.hidden
  // Of apps that a narrowed visit does not show, its headings say nothing.
  const isPart = !seen.isStart && connected + pending + skipped + blocked + off > 0
  const [state, heading, lead] = headlineTexts(ending, { ...seen, isPart }, t)
  return {
    ending,
    state,
    heading,
    lead,
    /** Is a first search offered? Not where it could find nothing until the person connects what was skipped. */
    search: state === 'done' || ending === 'some' || (ending === 'off' && !isPart),
  }
}

function headlineTexts(
  ending: Ending,
  { shown, hidden, isNarrowed, isStart, hasBegun, isPart }: OverviewCounts & { isPart: boolean },
  t: Texts,
): [State, heading: string, lead: string] {
  const count = shown.connected + shown.pending + shown.skipped + shown.blocked + shown.off
  const others = hidden.pending + hidden.skipped + hidden.blocked
  const title = t('overview.title')
  switch (ending) {
    case 'open': {
      if (isStart && !hasBegun && shown.connected === 0)
        return ['open', title, t('overview.leadStart', { count, others })]
      if (isNarrowed) return ['open', title, t('overview.leadNarrowed', { count })]
      // What it is good for is said until the person has begun: then a result is read first.
      return ['open', title, hasBegun || shown.connected > 0 ? '' : t('overview.lead')]
    }
    case 'unknown-name':
      return ['open', t('overview.titleUnderName'), t('overview.nothingUnderName')]
    case 'nothing':
      return ['done', t('finished.titleNothing'), t('overview.nothingKnown')]
    case 'all':
      return ['done', t('finished.title'), t('finished.lead', { count: shown.connected + hidden.connected })]
    case 'all-but-off': {
      const offBy = added(shown.offBy, hidden.offBy)
      const why = reasons({ skipped: 0, blocked: 0, offBy }, t)
      return ['done', t('finished.titleButOff'), t.sentences([t('finished.leadButOff'), ...why])]
    }
    case 'these': {
      if (isStart) return ['done', t('finished.titleStart', { count }), t('finished.leadStart', { others })]
      return ['done', t('finished.titleThese', { count }), t('finished.leadThese', { others })]
    }
    case 'some': {
      const heading = t(isPart ? 'finished.titleSomeOfThese' : 'finished.titleSome')
      return ['rest', heading, t.sentences([t('finished.leadSome'), ...reasons(shown, t)])]
    }
    case 'none': {
      const heading = t(isPart ? 'finished.titleNoneOfThese' : 'finished.titleNone', { count })
      if (shown.skipped === count) return ['rest', heading, t('reason.skippedAll', { count })]
      return [
        'rest',
        heading,
        t.sentences([t('finished.leadNone', { count }), ...reasons(shown, t, count === 1)]),
      ]
    }
    case 'off': {
      if (shown.offBy.attention !== undefined) {
        const why = t.sentences([...reasons(shown, t), t('finished.leadAllOff', { count })])
        return ['rest', t('finished.titleUnavailable', { count }), count === 1 ? t('note.attention') : why]
      }
      const isSome = isPart || count === 1
      const heading = isSome ? t('finished.titleTheseOff', { count }) : t('finished.titleOff')
      return ['rest', heading, t(isPart ? 'finished.leadOff' : 'finished.leadAllOff', { count })]
    }
    default:
      return unhandled(ending)
  }
}

/** Why apps are not connected, a sentence for each reason. */
function reasons(
  { skipped, blocked, offBy }: Pick<Counts, 'skipped' | 'blocked' | 'offBy'>,
  t: Texts,
  /** The sentence before this one is about the same app. */
  isSame = false,
): string[] {
  const off = (Object.entries(offBy) as [UnavailableStatus, number][]).filter(([, count]) => count > 0)
  return [
    ...(skipped > 0 ? [t('reason.skipped', { count: skipped })] : []),
    ...(blocked > 0 ? [t(isSame ? 'reason.blockedIt' : 'reason.blocked', { count: blocked })] : []),
    ...off.map(([status, count]) => t(`reason.${status}`, { count })),
  ]
}
