// The state that `onramp keep` carries from one run to the next, in one record. Pages never write it.
import { datasourceType } from '../company/app-names.ts'
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'
import { type AppIntent, type AppRecord, type OperatorAction, type Person } from './person.ts'

/** Many people lost the same app at once, so emails about it are paused. Times are milliseconds since 1970. */
export type MassDisconnect = {
  instance: string
  name: string
  noticedAt: number
  /** Lapses belong to it from this time until a day and a half after `noticedAt`. */
  since: number
  /** `had`: people who had the app; `lapsed`: those who lost it. */
  lapsed: number
  had: number
  /** `notifiedAt`: admins were emailed. `eventAt`: the webhook was delivered. */
  notifiedAt?: number
  eventAt?: number
  /** When emails about it were resumed. */
  resumedAt?: number
  /** The app has left the lists of these people. It may have been removed, so no emails are due. */
  isDelisted?: boolean
  /** The instance that took its place on most lists, perhaps the same one. Emails about it are paused, too. */
  movedTo?: string | undefined
  /** The instance that took its place on some lists, perhaps on most. */
  likelySuccessor?: string | undefined
}

/** Everyone is checked once more within this time, even by a daily run. */
export const SPREAD_MS = 36 * 3_600_000

/** An app that is new for many people at once. `isMoved`, as stored: it took another app's place. */
type NewApp = Pick<MassDisconnect, 'instance' | 'name' | 'noticedAt' | 'since'> & {
  people: number
  isMoved?: boolean
}

/**
 * An app that disappeared from many lists at once. Few people left for its consent, so it was probably removed.
 * No figure counts it until most lists have it again, or an operator marks it as connected. A hidden app is marked as
 * removed, even if lists have it.
 */
export type DelistedApp = Omit<NewApp, 'isMoved'> & {
  /** As stored: another app took its place. */
  isMoved?: boolean
  /** When the first list lost the app, perhaps in another department. Losses since that time are in question. */
  firstAt?: number
  notifiedAt?: number
  /** `isHidden`: by the company file. */
  markedRemovedAt?: number
  isHidden?: boolean
  markedConnectedAt?: number
  /** The company file names another app for it, so no one is asked. */
  isReplaced?: boolean
}

/** An app that people can't connect until its owner approves it. Times are milliseconds since 1970. */
export type Approval = {
  instance: string
  name: string
  /** unapproved: not yet. approved: testers may try. confirmed, failed: the testers' result. */
  stage: 'unapproved' | 'approved' | 'confirmed' | 'failed'
  /** 0 until the stage first changes. */
  stageChangedAt: number
  waitingPeople: number
  /** When the first of these people began to wait. */
  since: number
  /** When it replaced another app, for which people waited. */
  movedAt?: number
  owners: readonly string[]
  /** When the owners were last emailed, and the number of waiting people at that time. */
  requestedAt: number
  requestedForCount: number
  /** Owners who were emailed. */
  requestedFrom?: readonly string[]
  /** True if the last due request reached no owner. */
  isUndelivered?: boolean
  approvedAt: number
  by?: string | undefined
  /** The `blockedAt` of each tester. Testers are emailed first. */
  testers?: readonly number[]
  /** The last time that a tester tried in vain. */
  triedAt?: number | undefined
  /** Waiting people whom an email about the stage is still for. */
  uninformed?: number
  /** The people of `uninformed` who can't be emailed now. The first can again at `reachableAt`, if any. */
  unreachable?: number
  reachableAt?: number | undefined
  /** Everyone who can be emailed was asked to test it days ago, and no one has connected it. */
  isUntried?: boolean
}

/** An owner's click, at `at` (milliseconds since 1970). `by`: an address. */
type ApprovalDecision = { at: number; by: string }

export const newApproval = (instance: string, name: string): Approval => {
  const zeros = {
    stageChangedAt: 0,
    waitingPeople: 0,
    since: 0,
    requestedAt: 0,
    requestedForCount: 0,
    approvedAt: 0,
  }
  return { instance, name, stage: 'unapproved', owners: [], ...zeros }
}

/** True if the owners were emailed since the app was last confirmed or failed. */
export const isRequested = ({ stage, stageChangedAt, requestedAt }: Approval): boolean =>
  requestedAt > 0 && (stage === 'approved' || requestedAt >= stageChangedAt)

/** Ignores an owner's decision from before the last change of stage, or before the first person waited. */
export const applyDecision = (approval: Approval, decision: ApprovalDecision | undefined): Approval =>
  decision !== undefined &&
  approval.stage !== 'approved' &&
  decision.at > approval.stageChangedAt &&
  decision.at >= approval.since
    ? {
        ...approval,
        stage: 'approved',
        stageChangedAt: decision.at,
        approvedAt: decision.at,
        by: decision.by,
        // The next run chooses one.
        testers: [],
      }
    : approval

export const PROGRESS_STATES = ['ready', 'inProgress', 'notStarted', 'stuck', 'fellBack'] as const

/** People in each state after a day's last run. `nothing`: ready, with nothing to connect. `day`: YYYY-MM-DD in UTC. */
export type DailyCounts = Record<(typeof PROGRESS_STATES)[number] | 'people' | 'gone', number> & {
  day: string
  /** Earlier versions didn't count them. `invited`: of those who had something to connect. */
  nothing?: number
  invited?: number
}

/** A change of an app for `people` at once, at `at` (milliseconds since 1970). */
export type AppEvent = Pick<MassDisconnect, 'instance' | 'name'> & {
  at: number
  what:
    | 'new'
    /** An operator's answers about an app in question. */
    | 'removed'
    | 'connected'
    /** In the company file. */
    | 'hidden'
    | 'shown'
    /** An app in question is back on most lists. */
    | 'listed'
    /** An operator released the emails about a mass disconnect. */
    | 'released'
    /** A mass disconnect ended. `restored`: most people have the app again. */
    | 'restored'
    | 'ended'
    /** Its approval works. These people waited for it, and still have to connect the app. */
    | 'approved'
  people: number
  /** The people who had the app before a mass disconnect. */
  had?: number
}

/** Times are milliseconds since 1970. */
export type KeepState = {
  lastRunAt?: number
  /** The last run stopped. `why`: the reason, a sentence for operators. Absent after a complete run. */
  stopped?: { at: number; why: string; needsConfirm?: boolean } | undefined
  /** Action items that only the last run knows, as sentences for operators. */
  needs?: string[]
  /** The last dry run before the first real one. `faults`: unreadable lines. */
  dryRun?: { at: number; people: number; faults: number }
  sweep?: { beganAt: number; endedAt?: number }
  /** Lapses before this time were evaluated for mass disconnects, so emails about them may be sent. */
  evaluatedAt?: number
  massDisconnects: MassDisconnect[]
  newApps?: NewApp[]
  delistedApps?: DelistedApp[]
  /** All apps at the last run, for unique names on pages about one person or app. */
  apps?: { instance: string; name: string }[]
  /** Newest last. */
  appEvents?: AppEvent[]
  approvals?: Approval[]
  /** Midnight in UTC. Until then, runs email only admins. */
  pausedUntil?: number
  /** A time for each time zone: the last run in its working hours, else the first run with that zone. */
  zones: Record<string, number>
  /** Counts of the last digest, and when it was sent. */
  digest?: DailyCounts & { at: number }
  /** Earlier versions stored only this time, without counts. */
  digestAt?: number
  /** No list has had an app left since this time. `notifiedAt`: admins were emailed. */
  emptyLists?: { since: number; notifiedAt?: number } | undefined
  days: DailyCounts[]
  /** Actions about an app or the list, stored once and shown on the page of each affected person. Newest last. */
  actions?: OperatorAction[]
}

const KEY = 'keep-state'
const LIFE_SECONDS = 400 * 86_400
const MAX_DAYS = 400
const MAX_ACTIONS = 100

/** Every method throws {StoreUnavailable}. */
export class KeepStateStore {
  readonly #records: Pick<Records, 'get' | 'put'>
  readonly #keyRing: KeyRing

  constructor(records: Pick<Records, 'get' | 'put'>, keyRing: KeyRing) {
    this.#records = records
    this.#keyRing = keyRing
  }

  /** @returns an empty state before the first run, and if the record can't be read */
  async load(): Promise<KeepState> {
    return (await this.#read<KeepState>(KEY)) ?? { massDisconnects: [], zones: {}, days: [] }
  }

  /**
   * The state with the decisions that owners made since the last run.
   * @param early approvals that may not be stored yet. They are left out unless a run stored them, or an owner decided
   */
  async loadDecided(early: readonly Approval[] = []): Promise<KeepState> {
    const state = await this.load()
    const { approvals: stored = [] } = state
    const isUnstored = ({ instance }: Approval) => !stored.some((one) => one.instance === instance)
    const decide = async (approval: Approval) =>
      applyDecision(approval, await this.findDecision(approval.instance))
    const decided = await Promise.all([...stored, ...early.filter(isUnstored)].map(decide))
    return { ...state, approvals: decided.filter((one) => !isUnstored(one) || one.stage === 'approved') }
  }

  /** Only the run that holds the lease writes. */
  async save(state: KeepState): Promise<void> {
    await this.#write(KEY, { ...state, days: state.days.slice(-MAX_DAYS) })
  }

  /** The newest decision of an app's owners, in a separate record, because pages never write the state. */
  async findDecision(instance: string): Promise<ApprovalDecision | undefined> {
    return await this.#read(await this.#decisionKey(instance))
  }

  async recordDecision(instance: string, decision: ApprovalDecision): Promise<void> {
    await this.#write(await this.#decisionKey(instance), decision)
  }

  async #decisionKey(instance: string): Promise<string> {
    return `approval:${(await this.#keyRing.dataKey()).keyFor('approval', instance)}`
  }

  async #read<T extends object>(key: string): Promise<T | undefined> {
    const { sealer } = await this.#keyRing.dataKey()
    return sealedJson<T>(sealer).open(await this.#records.get(key), key)
  }

  async #write(key: string, value: object): Promise<void> {
    const { sealer } = await this.#keyRing.dataKey()
    await this.#records.put(key, sealedJson(sealer).seal(value, key), LIFE_SECONDS)
  }
}

const MAX_EVENTS = 200

export const withAppEvents = <State extends KeepState>(state: State, events: readonly AppEvent[]): State =>
  events.length === 0
    ? state
    : { ...state, appEvents: [...(state.appEvents ?? []), ...events].slice(-MAX_EVENTS) }

export const withActions = (state: KeepState, actions: readonly OperatorAction[]): KeepState => ({
  ...state,
  actions: [...(state.actions ?? []), ...actions].slice(-MAX_ACTIONS),
})

/** Emails stay paused when an app moves. @param activeReplacements replacement instances by the replaced instance */
export const withReplacements = (
  massDisconnects: readonly MassDisconnect[],
  activeReplacements: ReadonlyMap<string, string>,
): MassDisconnect[] =>
  massDisconnects.map((app) => {
    const instance = activeReplacements.get(app.instance)
    return instance === undefined ? app : { ...app, instance, movedTo: instance }
  })

/** Mass disconnects whose emails are still paused. */
export const activeMassDisconnects = (state: Pick<KeepState, 'massDisconnects'>): MassDisconnect[] =>
  state.massDisconnects.filter(
    ({ resumedAt, isDelisted }) => resumedAt === undefined && isDelisted === undefined,
  )

export const pausedApps = (state: Pick<KeepState, 'massDisconnects'>): ReadonlySet<string> =>
  new Set(activeMassDisconnects(state).flatMap(({ instance, movedTo = instance }) => [instance, movedTo]))

/** Delisted apps without a move, replacement or answer. Paused apps are left out: many lists still have them. */
export const unansweredDelistings = (state: Pick<KeepState, 'delistedApps' | 'massDisconnects'>) =>
  (state.delistedApps ?? []).filter(
    ({ instance, markedRemovedAt, markedConnectedAt, isReplaced, isMoved }) =>
      (isMoved ?? isReplaced ?? markedRemovedAt ?? markedConnectedAt) === undefined &&
      !pausedApps(state).has(instance),
  )

/** @returns another instance of the app, new for many people at the same time: the app may have moved there */
export const likelySuccessorOf = (
  { instance: former, since }: Pick<DelistedApp, 'instance' | 'since'>,
  { newApps = [] }: Pick<KeepState, 'newApps'>,
): string | undefined =>
  newApps.find(
    (app) =>
      !app.isMoved &&
      app.instance !== former &&
      datasourceType(app.instance) === datasourceType(former) &&
      since > app.since - SPREAD_MS &&
      since < app.noticedAt + SPREAD_MS,
  )?.instance

/** Instances that left many lists, without those that an operator marked as connected. */
export const delistedInstances = ({ delistedApps }: Pick<KeepState, 'delistedApps'>): ReadonlySet<string> =>
  new Set(delistedApps?.flatMap((app) => (app.markedConnectedAt === undefined ? app.instance : [])))

/** True once an operator answered that the app was removed, or hid it. False again once it is back. */
export const isAnsweredRemoved = ({ delistedApps }: Pick<KeepState, 'delistedApps'>, instance: string) =>
  delistedApps?.some((app) => app.instance === instance && app.markedRemovedAt !== undefined) === true

/**
 * Removes apps that counts, pages and emails ignore: moved and removed ones, even if the list has them, and delisted
 * ones. Removes waits for an approval that is confirmed.
 * @returns `delistedInstances`: apps that left this person's list and many others at once; `movedApps`: apps that
 * another instance replaced in one check
 */
export function personForCounts(
  person: Person,
  state: Pick<KeepState, 'delistedApps' | 'approvals'>,
): Person & { delistedInstances: string[]; movedApps: AppRecord[] } {
  const { lastCheck, intents, signedInAt = 1 } = person
  const delisted = delistedInstances(state)
  const hasMoved = ({ movedTo }: AppRecord) => movedTo !== undefined
  const apps = lastCheck?.apps.filter(({ instance }) => !isAnsweredRemoved(state, instance)) ?? []
  const isCounted = (app: AppRecord) =>
    !hasMoved(app) && (app.status !== 'connected' || !delisted.has(app.instance))
  const isApproved = ({ instance, kind, since = signedInAt }: AppIntent) =>
    kind === 'blocked' &&
    state.approvals?.some(
      (one) => one.instance === instance && one.stage === 'confirmed' && since <= one.stageChangedAt,
    )
  const isDelistedFor = ({ instance, since, firstAt = since, isMoved }: DelistedApp) =>
    delisted.has(instance) &&
    isMoved === undefined &&
    lastCheck?.apps.some((app) => app.instance === instance && (app.delistedAt ?? 0) > firstAt - SPREAD_MS)
  return {
    ...person,
    delistedInstances: (state.delistedApps ?? []).filter(isDelistedFor).map(({ instance }) => instance),
    movedApps: apps.filter(hasMoved),
    ...(lastCheck && { lastCheck: { ...lastCheck, apps: apps.filter(isCounted) } }),
    ...(intents && { intents: { ...intents, apps: intents.apps.filter((app) => !isApproved(app)) } }),
  }
}
