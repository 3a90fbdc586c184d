// What `onramp keep` has to know from one run to the next, in one record of the installation: how far it has looked, which
// lapses have a shared cause, and one row of counts for each day. Pages read it and never write it.
import type { Installation } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/sealed-json.ts'

/** Many people lost the same app at once, so no one of them is emailed about it. Times are milliseconds since 1970. */
export type Break = {
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
  releasedAt?: number
}

/** Everyone who is counted is in one of these. */
export const STATES = ['ready', 'inProgress', 'notStarted', 'stuck', 'fellBack'] as const

/** How many people were in each state at the end of a day's last run; `day` is YYYY-MM-DD in UTC. */
export type DayRow = Record<(typeof STATES)[number] | 'people' | 'gone', number> & { day: string }

/** Times are milliseconds since 1970. */
export type Upkeep = {
  /** When the last run ended. */
  lastRunAt?: number
  /** The last time that everyone was asked about: when it began, and when it was through. */
  pass?: { beganAt: number; endedAt?: number }
  /** Lapses before that were looked at together, so people can be emailed about them. */
  judgedAt?: number
  breaks: Break[]
  /** When a run last found it working time in a time zone, or first saw the zone. */
  zones: Record<string, number>
  digestAt?: number
  days: DayRow[]
}

const KEY = 'upkeep'
const LIFE_SECONDS = 400 * 86_400
/** Longer ago no one compares with. */
const MAX_DAYS = 400

export type Upkeeping = {
  /** Empty where `onramp keep` has never run, or what it left can't be read. @throws {StoreUnavailable} */
  get(): Promise<Upkeep>
  /** Only the one run that holds the lease writes. @throws {StoreUnavailable} */
  put(upkeep: Upkeep): Promise<void>
}

export function createUpkeeping(
  records: Pick<Records, 'get' | 'put'>,
  installation: Pick<Installation, 'vault'>,
): Upkeeping {
  return {
    async get() {
      const { sealer } = await installation.vault()
      const known = sealedJson<Upkeep>(sealer).open(await records.get(KEY), KEY)
      return known ?? { breaks: [], zones: {}, days: [] }
    },
    async put(upkeep) {
      const { sealer } = await installation.vault()
      const days = upkeep.days.slice(-MAX_DAYS)
      await records.put(KEY, sealedJson<Upkeep>(sealer).seal({ ...upkeep, days }, KEY), LIFE_SECONDS)
    },
  }
}

/** Runs come, as OnrampKeepMissing has it, and email people themselves. @param now milliseconds since 1970 */
export const isKept = ({ lastRunAt = -Infinity }: Upkeep, now: number): boolean =>
  now - lastRunAt < 3 * 3_600_000

/** Neither released by an administrator nor over. */
export const openBreaks = ({ breaks }: Pick<Upkeep, 'breaks'>): Break[] =>
  breaks.filter(({ releasedAt }) => releasedAt === undefined)

/** The apps that no one is emailed about. */
export const heldApps = (upkeep: Pick<Upkeep, 'breaks'>): ReadonlySet<string> =>
  new Set(openBreaks(upkeep).map(({ instance }) => instance))
