// The state of `onramp keep` from one run to the next, in one record. Pages read it and never write it.
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/seal.ts'
import type { AppIntent, AppRecord, OperatorAction, Person } from './person.ts'

/** Many people lost the same app at once, so emails about it are paused. Times are milliseconds since 1970. */
export type MassDisconnect = {
  instance: string
  name: string
  noticedAt: number
  /** Lapses noticed since then, until a day and a half after `noticedAt`, belong to it. */
  since: number
  lapsed: number
  had: number
  notifiedAt?: number
  eventAt?: number
  /** When its emails were resumed. */
  resumedAt?: number
}

/** An app that is new for many people at once. `isMoved`: it replaces another one. Times are milliseconds since 1970. */
type NewApp = Pick<MassDisconnect, 'instance' | 'name' | 'noticedAt' | 'since'> & {
  people: number
  isMoved?: boolean
}

/**
 * An app that disappeared from many lists at once, though few pages saw it: probably removed, not connected. No figure
 * counts it until most lists have it again, or an operator marks it as connected. Times are milliseconds since 1970.
 */
export type RemovedApp = NewApp & {
  notifiedAt?: number
  markedRemovedAt?: number
  markedConnectedAt?: number
}

/**
 * An app that people can't connect until its owner approves it. `waiting`: for an approval that is yet to come, since `since`.
 * `confirmed`, `failed`: the result of the first attempt after `approvedAt`. `stageChangedAt` is 0 until the first answer.
 * Times are milliseconds since 1970.
 */
export type Approval = {
  instance: string
  name: string
  stage: 'waiting' | 'approved' | 'confirmed' | 'failed'
  stageChangedAt: number
  waiting: number
  since: number
  owners: readonly string[]
  /** When the owners were last emailed, and the number of waiting people at that time. */
  requestedAt: number
  requestedForCount: number
  /** True if the last due request reached no owner. */
  isUndelivered?: boolean
  approvedAt: number
  by?: string | undefined
  /** Since when each person waits who is to try the app while it is `approved`, or was emailed to. */
  testers?: readonly number[]
}

/** What an owner pressed. `by`: an address. Milliseconds since 1970. */
type ApprovalDecision = { at: number; by: string }

export const newApproval = (instance: string, name: string): Approval => {
  const zeros = {
    stageChangedAt: 0,
    waiting: 0,
    since: 0,
    requestedAt: 0,
    requestedForCount: 0,
    approvedAt: 0,
  }
  return { instance, name, stage: 'waiting', owners: [], ...zeros }
}

/** Applies the owner's decision. Ignored if it is older than the current request. */
export const applyDecision = (one: Approval, decision: ApprovalDecision | undefined): Approval =>
  decision !== undefined &&
  one.stage !== 'approved' &&
  decision.at > one.stageChangedAt &&
  decision.at >= one.since
    ? { ...one, stage: 'approved', stageChangedAt: decision.at, approvedAt: decision.at, by: decision.by }
    : one

export const PERSON_STATES = ['ready', 'inProgress', 'notStarted', 'stuck', 'fellBack'] as const

/** People in each state after a day's last run, and those of the ready who had nothing to connect. `day` is YYYY-MM-DD in UTC. */
export type DailyCounts = Record<(typeof PERSON_STATES)[number] | 'people' | 'gone', number> & {
  day: string
  /** Earlier versions didn't count them. */
  nothing?: number
}

/** Times are milliseconds since 1970. */
export type KeepState = {
  lastRunAt?: number
  /** Why the last run stopped, a sentence for operators. Absent once one has ended well. */
  stopped?: { at: number; why: string } | undefined
  /** Action items that only the last run knows, as sentences for operators. */
  needs?: string[]
  /** The last dry run before the first real one. `faults`: unreadable lines. */
  dryRun?: { at: number; people: number; faults: number }
  sweep?: { beganAt: number; endedAt?: number }
  /** Earlier lapses are evaluated: emails about them may go out. */
  evaluatedAt?: number
  massDisconnects: MassDisconnect[]
  newApps?: NewApp[]
  removedApps?: RemovedApp[]
  approvals?: Approval[]
  /** Midnight in UTC. Until then, runs email only administrators. */
  pausedUntil?: number
  /** By time zone: the last run during its working hours, else the first run with that zone. */
  zones: Record<string, number>
  /** Counts of the last digest, and when it was sent. */
  digest?: DailyCounts & { at: number }
  /** In place of `digest` in earlier versions. */
  digestAt?: number
  days: DailyCounts[]
  /** Actions about an app or the list, stored once and shown on the page of each affected person. Newest last. */
  actions?: OperatorAction[]
}

/** The state before the first run. */
export const newKeepState = (): KeepState => ({ massDisconnects: [], zones: {}, days: [] })

const KEY = 'keep-state'
const LIFE_SECONDS = 400 * 86_400
const MAX_DAYS = 400
const MAX_ACTIONS = 100
const [MAX_NEEDS, MAX_CHARACTERS] = [20, 300]

/** Every method throws {StoreUnavailable}. */
export class KeepStateStore {
  readonly #records: Pick<Records, 'get' | 'put'>
  readonly #keyRing: KeyRing

  constructor(records: Pick<Records, 'get' | 'put'>, keyRing: KeyRing) {
    this.#records = records
    this.#keyRing = keyRing
  }

  /** Empty before the first run, or if the record can't be read. */
  async load(): Promise<KeepState> {
    return (await this.#read<KeepState>(KEY)) ?? newKeepState()
  }

  /** Only the run that holds the lease writes. */
  async save(state: KeepState): Promise<void> {
    const needs = state.needs?.slice(0, MAX_NEEDS).map((need) => need.slice(0, MAX_CHARACTERS))
    await this.#write(KEY, { ...state, needs, days: state.days.slice(-MAX_DAYS) })
  }

  /** The newest decision of an app's owners: a record of its own for each app, because pages never write the state. */
  async decisionOn(instance: string): Promise<ApprovalDecision | undefined> {
    return await this.#read(await this.#decisionKey(instance))
  }

  async decide(instance: string, decision: ApprovalDecision): Promise<void> {
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

export const withActions = (state: KeepState, actions: readonly OperatorAction[]): KeepState =>
  actions.length === 0
    ? state
    : { ...state, actions: [...(state.actions ?? []), ...actions].slice(-MAX_ACTIONS) }

/** Mass disconnects whose emails are still paused. */
export const activeMassDisconnects = (state: Pick<KeepState, 'massDisconnects'>): MassDisconnect[] =>
  state.massDisconnects.filter(({ resumedAt }) => resumedAt === undefined)

export const pausedApps = (state: Pick<KeepState, 'massDisconnects'>): ReadonlySet<string> =>
  new Set(activeMassDisconnects(state).map(({ instance }) => instance))

/** Apps that no operator has marked as removed or connected. */
export const unansweredRemovals = ({ removedApps = [] }: Pick<KeepState, 'removedApps'>): RemovedApp[] =>
  removedApps.filter(
    ({ markedRemovedAt, markedConnectedAt }) =>
      markedRemovedAt === undefined && markedConnectedAt === undefined,
  )

export const removedInstances = ({ removedApps = [] }: Pick<KeepState, 'removedApps'>): ReadonlySet<string> =>
  new Set(
    removedApps.flatMap(({ instance, markedConnectedAt }) =>
      markedConnectedAt === undefined ? [instance] : [],
    ),
  )

/**
 * The person as every count, page and email sees them: without removed apps, and without waits for an approval that works,
 * whether or not they have heard of it. `goneApps`: instances that left their list, as many others at once.
 */
export function personForCounts(
  person: Person,
  state: Pick<KeepState, 'removedApps' | 'approvals'>,
): Person & { goneApps: string[] } {
  const { lastCheck, intents, signedInAt = 1 } = person
  const removed = removedInstances(state)
  const isRemoved = ({ instance, status }: AppRecord) => status === 'connected' && removed.has(instance)
  const isApproved = ({ instance, kind, since = signedInAt }: AppIntent) =>
    kind === 'blocked' &&
    state.approvals?.some(
      (one) => one.instance === instance && one.stage === 'confirmed' && since <= one.stageChangedAt,
    )
  const isGone = ({ instance, since }: RemovedApp) =>
    removed.has(instance) &&
    lastCheck?.apps.some((app) => app.instance === instance && (app.delistedByRunAt ?? 0) >= since)
  return {
    ...person,
    goneApps: (state.removedApps ?? []).filter(isGone).map(({ instance }) => instance),
    ...(lastCheck && { lastCheck: { ...lastCheck, apps: lastCheck.apps.filter((app) => !isRemoved(app)) } }),
    ...(intents && { intents: { ...intents, apps: intents.apps.filter((app) => !isApproved(app)) } }),
  }
}
