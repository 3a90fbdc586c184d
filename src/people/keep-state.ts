// What `onramp keep` has to know from one run to the next, in one record of the installation: how far it has looked, which
// lapses have a shared cause, and one row of counts for each day. Pages read it and never write it.
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/sealed-json.ts'

/** Many people lost the same app at once, so no one of them is emailed about it. Times are milliseconds since 1970. */
export type MassDisconnect = {
  instance: string
  name: string
  noticedAt: number
  /** Who is noticed to lack it since then, and until a day after `noticedAt`, lost it in this break. */
  since: number
  /** So many lost it, of so many who had it. */
  lapsed: number
  had: number
  /** When the administrators were emailed, and other systems told. */
  notifiedAt?: number
  eventAt?: number
  /** An administrator says that people are to be emailed all the same. */
  resumedAt?: number
}

/** Everyone who is counted is in one of these. */
export const PERSON_STATES = ['ready', 'inProgress', 'notStarted', 'stuck', 'fellBack'] as const

/** How many people were in each state at the end of a day's last run; `day` is YYYY-MM-DD in UTC. */
export type DailyCounts = Record<(typeof PERSON_STATES)[number] | 'people' | 'gone', number> & { day: string }

/** Times are milliseconds since 1970. */
export type KeepState = {
  /** When the last run ended. */
  lastRunAt?: number
  /** The last time that everyone was asked about: when it began, and when it was through. */
  sweep?: { beganAt: number; endedAt?: number }
  /** Lapses before that were looked at together, so people can be emailed about them. */
  evaluatedAt?: number
  massDisconnects: MassDisconnect[]
  /** When a run last found it working time in a time zone, or first saw the zone. */
  zones: Record<string, number>
  digestAt?: number
  days: DailyCounts[]
}

const KEY = 'keep-state'
const LIFE_SECONDS = 400 * 86_400
/** Longer ago no one compares with. */
const MAX_DAYS = 400

export type KeepStateStore = {
  /** Empty where `onramp keep` has never run, or what it left can't be read. @throws {StoreUnavailable} */
  load(): Promise<KeepState>
  /** Only the one run that holds the lease writes. @throws {StoreUnavailable} */
  save(keepState: KeepState): Promise<void>
}

export function createKeepStateStore(
  records: Pick<Records, 'get' | 'put'>,
  keyRing: KeyRing,
): KeepStateStore {
  return {
    async load() {
      const { sealer } = await keyRing.dataKey()
      const known = sealedJson<KeepState>(sealer).open(await records.get(KEY), KEY)
      return known ?? { massDisconnects: [], zones: {}, days: [] }
    },
    async save(keepState) {
      const { sealer } = await keyRing.dataKey()
      const days = keepState.days.slice(-MAX_DAYS)
      await records.put(KEY, sealedJson<KeepState>(sealer).seal({ ...keepState, days }, KEY), LIFE_SECONDS)
    },
  }
}

/** Runs come, as OnrampKeepMissing has it, and email people themselves. @param now milliseconds since 1970 */
export const hasRecentRun = ({ lastRunAt = -Infinity }: KeepState, now: number): boolean =>
  now - lastRunAt < 3 * 3_600_000

/** Neither released by an administrator nor over. */
export const activeMassDisconnects = ({
  massDisconnects,
}: Pick<KeepState, 'massDisconnects'>): MassDisconnect[] =>
  massDisconnects.filter(({ resumedAt }) => resumedAt === undefined)

/** The apps that no one is emailed about. */
export const pausedApps = (keepState: Pick<KeepState, 'massDisconnects'>): ReadonlySet<string> =>
  new Set(activeMassDisconnects(keepState).map(({ instance }) => instance))
