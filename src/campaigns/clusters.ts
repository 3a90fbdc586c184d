// Finds apps that many people lost or got within a short time, and apps that left many lists. Such changes have one
// cause, which admins have to know or to remove. Pure.
import { isUnavailable } from '../client-api/app-status.ts'
import { delistedInstances, isAnsweredRemoved, likelySuccessorOf, SPREAD_MS } from '../people/keep-state.ts'
import type { AppEvent, DelistedApp, KeepState, MassDisconnect } from '../people/keep-state.ts'
import { isGone, type AppRecord, type Person } from '../people/person.ts'

const [MIN_PEOPLE, MIN_SHARE, MIN_IN_HALF_DAY] = [5, 0.2, 50]
const HALF_DAY_MS = 12 * 3_600_000
/** Above this ratio of people who left for the app's consent to others, it counts as connected, not removed. */
const MAX_CONSENT_RATIO = 0.5
const MAX_NEW_APPS = 50
/** A later change belongs to a cluster found within this time. Departments follow one another, and checks come late. */
const RECENT_MS = 31 * 24 * 3_600_000

/** Times are milliseconds since 1970. */
type KnownCluster = { instance: string; since: number; noticedAt: number; markedRemovedAt?: number }

/**
 * Counts of one app, for one kind of change: lapses, first listings or delistings.
 * `connectedByConsent`: people without a new change who have connected the app since the last evaluation.
 * `connected`: people without a new change who connected it earlier or elsewhere.
 */
type ClusterCounts = Record<'connected' | 'connectedByConsent', number> & {
  name: string
  /** People whose change is part of the newest cluster found before. */
  inKnownCluster: number
  /** People for whom a change of this kind was undone. `undoneInPlace`: those of them whose app hasn't moved. */
  undone: number
  undoneInPlace: number
  /** Times of new changes, one for each person. `earlierTimes`: of changes that were evaluated and made no cluster. */
  changeTimes: number[]
  earlierTimes: number[]
  /** Times of new delistings for people who had lost the app. They have access again, unless other apps left, too. */
  restoredTimes: number[]
  /** Times of first listings, and of checks of people whose list has the app. */
  newTimes: number[]
  listedTimes: number[]
  hasMoved: boolean
}

/** Counts one kind of change. A lost app that leaves the list may have been restored, so it is no sign of a removal. */
function createCounter(
  knownClusters: readonly KnownCluster[],
  evaluatedAt: number,
  /** The fields of `AppRecord` with the time of the change: one until it is undone, the other afterwards. */
  changeField: 'lapsedAt' | 'newAt' | 'delistedAt',
  undoneField?: 'previousLapsedAt' | 'previousDelistedAt',
) {
  const newest = new Map(knownClusters.map((app) => [app.instance, app]))
  const apps = new Map<string, ClusterCounts>()
  const none = () => ({ changeTimes: [], earlierTimes: [], restoredTimes: [], newTimes: [], listedTimes: [] })
  const add = (app: AppRecord, checkedAt: number) => {
    const { instance, name, status, since, movedFrom, movedTo, delistedAt, previousLapsedAt } = app
    const zeros = { inKnownCluster: 0, undone: 0, undoneInPlace: 0, connected: 0, connectedByConsent: 0 }
    const counts = apps.get(instance) ?? { ...none(), name, hasMoved: false, ...zeros }
    apps.set(instance, counts)
    counts.hasMoved ||= movedFrom !== undefined
    if (isNew(app)) counts.newTimes.push(app.newAt)
    const at = app[changeField]
    const newestApp = newest.get(instance)
    const isUndone =
      undoneField !== undefined && (isPartOf(newestApp, app[undoneField]) || isListedAgain(app, newestApp))
    if (isUndone) counts.undone++
    if (isUndone && movedTo === undefined) counts.undoneInPlace++
    if (isPartOf(newestApp, at)) counts.inKnownCluster++
    else if (at !== undefined && at >= evaluatedAt)
      counts[previousLapsedAt && delistedAt ? 'restoredTimes' : 'changeTimes'].push(at)
    else if (status !== 'connected') counts.listedTimes.push(checkedAt)
    else {
      counts[since >= evaluatedAt && delistedAt === undefined ? 'connectedByConsent' : 'connected']++
      if (at !== undefined && previousLapsedAt === undefined) counts.earlierTimes.push(at)
    }
  }
  return { apps, add }
}

/** True if a change at this time is part of the cluster. Later changes don't keep it open. */
const isPartOf = (cluster: KnownCluster | undefined, at = -Infinity): boolean =>
  cluster !== undefined && at >= cluster.since && at < cluster.noticedAt + SPREAD_MS

/** True if the app was listed after an operator called it removed. A new list counts, and one that kept the app. */
const isListedAgain = ({ status, since }: AppRecord, cluster: KnownCluster | undefined) =>
  status !== 'connected' && since > (cluster?.markedRemovedAt ?? Infinity)

/** True once the change was undone for most people who are still there. */
const isMostlyUndone = ({ inKnownCluster, undone } = { inKnownCluster: 0, undone: 0 }): boolean =>
  inKnownCluster < Math.max(undone, 1)

/** @param people on the list @returns new and ongoing clusters of each kind, and what has happened to apps */
export async function findClusters(
  people: AsyncIterable<Person> | Iterable<Person>,
  { evaluatedAt = 0, massDisconnects, newApps = [], delistedApps = [], emptyLists }: KeepState,
  now: number,
) {
  const lapses = createCounter(massDisconnects, evaluatedAt, 'lapsedAt', 'previousLapsedAt')
  const listings = createCounter(newApps, evaluatedAt, 'newAt')
  const inQuestion = delistedApps.map(({ firstAt, ...app }) => ({ ...app, since: firstAt ?? app.since }))
  const delistings = createCounter(inQuestion, evaluatedAt, 'delistedAt', 'previousDelistedAt')
  let [peopleChecked, peopleListing, peopleDelisted, peopleUnexplained] = [0, 0, 0, 0]
  const moves = new Map<string, { to: string; count: number }>()
  for await (const person of people) {
    if (isGone(person) || person.lastCheck === undefined) continue
    peopleChecked++
    const { apps, checkedAt } = person.lastCheck
    peopleListing += Number(apps.some(({ status }) => status !== 'connected'))
    const newlyDelisted = apps.filter(({ delistedAt = -Infinity }) => delistedAt >= evaluatedAt)
    peopleDelisted += Number(newlyDelisted.length > 0)
    peopleUnexplained += Number(newlyDelisted.some(({ previousLapsedAt }) => previousLapsedAt === undefined))
    for (const app of apps) {
      if (isUnavailable(app.status)) continue
      const to = unconnectedSuccessorOf(app, apps)
      if (to !== undefined) moves.set(app.instance, { to, count: 1 + (moves.get(app.instance)?.count ?? 0) })
      delistings.add(app, checkedAt)
      if (isAnsweredRemoved({ delistedApps }, app.instance)) continue
      lapses.add(to === undefined ? app : asLapsed(app), checkedAt)
      listings.add(app, checkedAt)
    }
  }
  const { ended, ...current } = massDisconnectsIn(lapses.apps, listings.apps, massDisconnects, now)
  const lostByMany = current.massDisconnects.map((lost): MassDisconnect => {
    const { to, count = 0 } = moves.get(lost.instance) ?? {}
    const hasMoved = count * 2 > (lapses.apps.get(lost.instance)?.inKnownCluster ?? 0)
    return { ...lost, movedTo: hasMoved ? to : undefined, likelySuccessor: to }
  })
  const movedApps = lostByMany.flatMap(({ instance, movedTo }) => (movedTo === undefined ? [] : instance))
  const disconnects = [...massDisconnects, ...lostByMany]
  const isLost = (instance: string, at: number) =>
    !listings.apps.get(instance)?.hasMoved && disconnectOf(disconnects, instance, at) !== undefined
  const added = newAppsIn(listings.apps, newApps, isLost, { population: peopleChecked, now })
  // The service may have failed, so each app that left a list is in question.
  const isOutage = peopleListing === 0 && peopleDelisted >= MIN_PEOPLE
  if (isOutage && peopleUnexplained >= MIN_PEOPLE)
    for (const { changeTimes, restoredTimes } of delistings.apps.values()) changeTimes.push(...restoredTimes)
  const before = { delistedApps, newApps: added.newApps, ended, isOutage }
  const delisted = delistedAppsIn(delistings.apps, before, now).map((app) =>
    movedApps.includes(app.instance) ? { ...app, isMoved: true } : app,
  )
  // An app in question may have been removed, or may be back for the people who had lost it.
  const isInQuestion = (lost: MassDisconnect) =>
    delisted.some(
      ({ instance, isMoved, isReplaced, markedConnectedAt }) =>
        instance === lost.instance && (isMoved ?? isReplaced ?? markedConnectedAt) === undefined,
    )
  const isOnlyInQuestion = (lost: MassDisconnect) =>
    isInQuestion(lost) && !lostByMany.some(({ instance }) => instance === lost.instance)
  const endOf = ({ instance, name, lapsed, had }: MassDisconnect): AppEvent => {
    const isRestored = (lapses.apps.get(instance)?.undoneInPlace ?? 0) * 2 > lapsed
    return { at: now, what: isRestored ? 'restored' : 'ended', instance, name, people: lapsed, had }
  }
  const backApps = delistedApps.filter(({ instance }) => !delisted.some((app) => app.instance === instance))
  const listedEvents = backApps.flatMap(({ instance, name, people: count, isHidden }): AppEvent[] => {
    const { undone = 0, listedTimes = [] } = delistings.apps.get(instance) ?? {}
    const event = { at: now, what: isHidden ? 'shown' : 'listed', instance, name, people: count } as const
    return (isHidden ? listedTimes.length > 0 : undone > 0 && emptyLists === undefined) ? [event] : []
  })
  const delistedLosses = ended.filter(isOnlyInQuestion).map((lost) => ({ ...lost, isDelisted: true }))
  return {
    massDisconnects: [...lostByMany, ...delistedLosses],
    newApps: added.newApps,
    delistedApps: delisted,
    /** Apps that are back, except those that an operator marked as connected. */
    returned: new Map(
      backApps.flatMap((app) => (app.markedConnectedAt === undefined ? [[app.instance, app] as const] : [])),
    ),
    appEvents: [...added.events, ...ended.filter((lost) => !isInQuestion(lost)).map(endOf), ...listedEvents],
  }
}

const isNew = (app: AppRecord): app is AppRecord & { newAt: number } =>
  app.newAt !== undefined && app.lapsedAt === undefined && app.movedFrom === undefined

/** The mass disconnect at the time of a first listing. The person had the app before, so it isn't new to them. */
const disconnectOf = <One extends KnownCluster>(clusters: readonly One[], instance: string, newAt: number) =>
  clusters.find(
    (app) => app.instance === instance && newAt > app.since - SPREAD_MS && newAt < app.noticedAt + SPREAD_MS,
  )

/** The unconnected instance to which a lost app has moved, perhaps the same one. Connecting it undoes the loss. */
const unconnectedSuccessorOf = (app: AppRecord, apps: readonly AppRecord[]): string | undefined => {
  const { instance, previousLapsedAt, movedFrom, movedTo = movedFrom && instance } = app
  const successor = apps.find((other) => other.instance === movedTo && other.status !== 'connected')
  return previousLapsedAt === undefined ? undefined : successor?.instance
}

const asLapsed = ({ previousLapsedAt: lapsedAt = 0, ...app }: AppRecord): AppRecord => ({ ...app, lapsedAt })

/**
 * Corrects a record by what a sweep found:
 * - An app that is back after its removal starts over. It is new if the list has it, and forgotten if the list lost it.
 * - A new app that a mass disconnect explains is a lapse.
 */
export function withEvaluation(
  person: Person,
  evaluation: {
    massDisconnects: readonly MassDisconnect[]
    returned: ReadonlyMap<string, Pick<DelistedApp, 'since' | 'firstAt' | 'markedRemovedAt'>>
    delistedApps: DelistedApp[]
    /** All lists were empty until now. The apps that are back were never gone. */
    isAfterOutage?: boolean
    at: number
  },
): Person {
  const { massDisconnects, returned, isAfterOutage = false, at } = evaluation
  const delisted = delistedInstances(evaluation)
  const { lastCheck } = person
  if (lastCheck === undefined) return person
  const removedAt = (instance: string) => returned.get(instance)?.markedRemovedAt
  const apps = lastCheck.apps.flatMap((app): AppRecord | [] => {
    const { instance, name, status, since, delistedAt, movedTo = '' } = app
    if (removedAt(instance) !== undefined) {
      if (status === 'connected') return delistedAt === undefined ? { instance, name, status, since } : []
      return { instance, name, status, since: at, newAt: at, previousDelistedAt: at }
    }
    const { newAt = 0, previousLapsedAt, ...rest } = app
    if (previousLapsedAt && removedAt(movedTo) !== undefined) return rest
    const loss = isNew(app) ? disconnectOf(massDisconnects, instance, newAt) : undefined
    return loss === undefined ? app : { ...rest, lapsedAt: Math.max(newAt, loss.since) }
  })
  const listedAgain = apps.filter(({ instance, status, previousDelistedAt = -Infinity }) => {
    const { since = Infinity, firstAt = since } = returned.get(instance) ?? {}
    return status !== 'connected' && previousDelistedAt > firstAt - SPREAD_MS
  })
  const { finishedAt = -Infinity, ...unfinished } = person
  // An app in question, or removed, was never connected if it left the list without a consent.
  const isLeftOnly = ({ instance, delistedAt = Infinity, previousLapsedAt }: AppRecord) =>
    delisted.has(instance) && finishedAt >= delistedAt && previousLapsedAt === undefined
  const connectedApps = apps.filter(({ status }) => status === 'connected')
  const hasLeftOnly = connectedApps.length > 0 && connectedApps.every(isLeftOnly)
  const isChanged = lastCheck.apps.some((app, index) => app !== apps[index])
  if (listedAgain.length === 0 && !hasLeftOnly && !isChanged) return person
  // Access to an app that counted as removed was neither lost nor regained.
  const isCounted = (event: { instance: string; at: number }) =>
    event.at < (removedAt(event.instance) ?? Infinity)
  const countedEvents = person.accessEvents?.filter(isCounted) ?? []
  const listed = listedAgain
    .filter(({ instance }) => !isAfterOutage || removedAt(instance) !== undefined)
    .map(({ instance }) => ({ at, what: 'listed' as const, instance }))
  // While an app was in question, someone who never connected it seemed to have finished.
  const isUnfinished =
    hasLeftOnly ||
    listedAgain.some(
      ({ instance, lapsedAt, previousDelistedAt: leftAt = Infinity }) =>
        removedAt(instance) === undefined && lapsedAt === undefined && finishedAt >= leftAt,
    )
  return {
    ...(isUnfinished ? unfinished : person),
    accessEvents: [...countedEvents, ...listed],
    lastCheck: { ...lastCheck, apps },
  }
}

type CountsByInstance = ReadonlyMap<string, ClusterCounts>

/** @returns new and ongoing mass disconnects; `ended`: undone for most people before an operator resumed the emails */
function massDisconnectsIn(
  apps: CountsByInstance,
  listings: CountsByInstance,
  before: readonly MassDisconnect[],
  now: number,
) {
  const byInstance = new Map<string, MassDisconnect>()
  const ended: MassDisconnect[] = []
  for (const { isDelisted: _isDelisted, ...old } of before) {
    const counts = apps.get(old.instance)
    if (isMostlyUndone(counts) && old.resumedAt === undefined) ended.push(old)
    if (isMostlyUndone(counts) && now >= (old.resumedAt ?? -Infinity) + RECENT_MS) continue
    const lapsed = Math.max(old.lapsed, old.resumedAt === undefined ? (counts?.inKnownCluster ?? 0) : 0)
    byInstance.set(old.instance, { ...old, lapsed, had: Math.max(old.had, lapsed) })
  }
  for (const [instance, { name, changeTimes, newTimes, connected, connectedByConsent }] of apps) {
    const existing = byInstance.get(instance)
    if (existing !== undefined && existing.resumedAt === undefined) continue
    const population = changeTimes.length + connected + connectedByConsent
    const { hasMoved, changeTimes: listed = [] } = listings.get(instance) ?? {}
    const cluster = findLossCluster(changeTimes, population, hasMoved ? [] : listed)
    if (cluster === undefined) continue
    const disconnect = { instance, name, noticedAt: now, since: cluster.since }
    const beginning = { ...disconnect, noticedAt: cluster.since }
    const lapsed = changeTimes.filter((at) => isPartOf(beginning, at)).length
    const lostAsNew = newTimes.filter((at) => disconnectOf([disconnect], instance, at)).length
    byInstance.set(instance, { ...disconnect, lapsed: lapsed + lostAsNew, had: population + lostAsNew })
  }
  return { massDisconnects: [...byInstance.values()], ended }
}

/** Counts first listings as losses, too, because most people may have had the app before their first check. */
function findLossCluster(lapseTimes: readonly number[], population: number, newTimes: readonly number[]) {
  const lapses = findCluster(lapseTimes, population)
  if (lapses !== undefined || lapseTimes.length < population * MIN_SHARE) return lapses
  const cluster = findCluster([...lapseTimes, ...newTimes], population + newTimes.length)
  const isLoss = (since: number) => lapseTimes.some((at) => at >= since && at < since + SPREAD_MS)
  return cluster !== undefined && isLoss(cluster.since) ? cluster : undefined
}

/** Finds apps that are new for many people. They explain to admins why fewer people are ready. */
function newAppsIn(
  apps: CountsByInstance,
  before: NonNullable<KeepState['newApps']>,
  isLost: (instance: string, at: number) => boolean,
  { population, now }: { population: number; now: number },
) {
  const ongoing = before.filter(({ instance, since }) => !isLost(instance, since))
  const byInstance = new Map(ongoing.map((app) => [app.instance, app]))
  const events: AppEvent[] = []
  for (const [instance, { name, changeTimes, inKnownCluster, hasMoved, ...counts }] of apps) {
    const app = byInstance.get(instance)
    const times = changeTimes.filter((at) => !isLost(instance, at))
    const cluster = findCluster(times, population)
    // People who have connected the app since still count, so the number falls only if the app turns out to have moved.
    const maximum =
      hasMoved && !app?.isMoved ? inKnownCluster + counts.connected + counts.connectedByConsent : Infinity
    // An app may come to one department after the other.
    const isOngoing = app !== undefined && now - app.noticedAt < RECENT_MS
    const earlier = isOngoing ? { since: app.since, people: Math.max(inKnownCluster, app.people) } : undefined
    if (cluster !== undefined) {
      const { since } = earlier ?? cluster
      // The people who got it in between may have been too few for a cluster.
      const listedSince = counts.newTimes.filter((at) => at >= since).length
      const people = Math.max((earlier?.people ?? 0) + cluster.people, listedSince)
      byInstance.set(instance, { instance, name, noticedAt: now, since, people })
    } else if (app !== undefined)
      byInstance.set(instance, { ...app, people: Math.max(inKnownCluster, Math.min(app.people, maximum)) })
    const people = cluster?.people ?? inKnownCluster - (app?.people ?? Infinity)
    if (people > 0) events.push({ at: now, what: 'new', instance, name, people })
  }
  const newest = [...byInstance.values()].slice(-MAX_NEW_APPS)
  const newApps = newest.map((app) => (apps.get(app.instance)?.hasMoved ? { ...app, isMoved: true } : app))
  return { newApps, events }
}

/** Finds apps that most lists lost and still lack. Few people left for their consent, so they were probably removed. */
function delistedAppsIn(
  apps: CountsByInstance,
  before: Pick<KeepState, 'delistedApps' | 'newApps'> & { ended: MassDisconnect[]; isOutage: boolean },
  now: number,
) {
  const { delistedApps = [], newApps = [], ended, isOutage } = before
  const isBack = ({ instance, markedRemovedAt, isHidden }: DelistedApp) => {
    const counts = apps.get(instance)
    if (markedRemovedAt === undefined) return isMostlyUndone(counts)
    // Records are read without hidden apps, so a hidden app is back once a record has it.
    return isHidden ? counts !== undefined : isMostlyUndone(counts) && (counts?.listedTimes.length ?? 0) > 0
  }
  const ongoing = delistedApps.filter((app) => !isBack(app))
  const byInstance = new Map(ongoing.map((app) => [app.instance, app]))
  for (const [instance, { name, changeTimes, earlierTimes, connectedByConsent, listedTimes }] of apps) {
    // The operator's answer "removed" covers later losses, and so does an open question; "connected" doesn't.
    const earlier = byInstance.get(instance)
    if (isAnsweredRemoved({ delistedApps }, instance)) continue
    if (earlier !== undefined && earlier.markedConnectedAt === undefined) continue
    const wasConnected = connectedByConsent > changeTimes.length * MAX_CONSENT_RATIO
    // A removal also ends a mass disconnect, because no list has the app. One more loss tells a removal from a repair.
    const hasGone = listedTimes.length === 0 && ended.some((lost) => lost.instance === instance)
    const times = changeTimes.toSorted((one, other) => one - other)
    const outage = (isOutage || hasGone) && times.length > 0 ? mostWithin(times, SPREAD_MS) : undefined
    const cluster = findCluster(times, times.length + listedTimes.length) ?? outage
    if (wasConnected || cluster === undefined) continue
    // The app may have left the lists of one department after the other.
    const recentTimes = earlierTimes.filter((at) => now - at < RECENT_MS).sort((one, other) => one - other)
    const { people: recentPeople, since: firstAt } = mostWithin(recentTimes, SPREAD_MS)
    const earlierPeople = recentPeople < MIN_PEOPLE ? 0 : recentTimes.filter((at) => at >= firstAt).length
    const people = cluster.people + earlierPeople
    const question = { instance, name, noticedAt: now, since: cluster.since, people }
    const app: DelistedApp = earlierPeople > 0 ? { ...question, firstAt } : question
    // An app that stays on most lists wasn't removed: people connected it elsewhere, or it moves by department.
    // Lists that were last read before the first loss show nothing.
    const isOnMostLists = listedTimes.filter((at) => at > app.since).length > changeTimes.length
    if (!isOnMostLists || likelySuccessorOf(app, { newApps }) !== undefined) byInstance.set(instance, app)
  }
  return [...byInstance.values()]
}

/**
 * The largest cluster at any time in the past. The limits are above chance: at 1% a week, some thirty of 50,000
 * people lose an app in half a day.
 * @param changeTimes milliseconds since 1970, one for each person @param population people who could be in it
 */
function findCluster(changeTimes: readonly number[], population: number) {
  const times = changeTimes.toSorted((one, other) => one - other)
  const cluster = mostWithin(times, SPREAD_MS)
  return areMany(cluster.people, population, mostWithin(times, HALF_DAY_MS).people) ? cluster : undefined
}

/** True for a fifth of the population, if five people or more. @param inHalfDay fifty are many, whatever their share */
export const areMany = (people: number, population: number, inHalfDay = people): boolean =>
  (people >= MIN_PEOPLE && people >= population * MIN_SHARE) || inHalfDay >= MIN_IN_HALF_DAY

/** The largest number of times within `spanMs` of the first one. @param times sorted */
function mostWithin(times: readonly number[], spanMs: number) {
  let max = { since: 0, people: 0 }
  let end = 0
  for (const [start, since] of times.entries()) {
    while (end < times.length && times[end]! - since < spanMs) end++
    if (end - start > max.people) max = { since, people: end - start }
  }
  return max
}
