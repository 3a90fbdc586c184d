// How much of the store sign-ins may take that were started and not finished. Anyone can start one, from any number of
// addresses, so the limit by address alone bounds nothing. Counted by all processes together.
import { Problem } from '../problem.ts'
import {
  createCounter,
  createSeldomShared,
  type SeldomShared,
  type SharedRedis,
} from '../records/counting.ts'
import { rangesOf, type Ranges } from '../web/network.ts'

export type Room = {
  /**
   * @param network whose it is (networkOf): no network gets all of it
   * @throws {Problem} 503 when there is none left, 429 when the network has its share
   */
  take(bytes: number, network: string): Promise<void>
  /** What was taken is free again: the sign-in was finished, or never written. */
  giveBack(bytes: number, network: string): Promise<void>
}

export type RoomOptions = {
  /** Undefined where the store is embedded. */
  redis: SharedRedis | undefined
  /** SIGN_INS_WAITING_MB. */
  megabytes: number
  /** How long a record lives at most, and how often the count starts anew. */
  windowSeconds: number
}

/** A process takes room from the store in pieces, so that few sign-ins have to ask it. */
const PIECE_BYTES = 64 * 1024
/** The window may end much later, but every sign-in that is finished makes room. */
const RETRY_SECONDS = 30
/** While there is none, the store is asked no more often. */
const ASK_AGAIN_MS = 1_000

/** Of the room, for one address: an office of thousands may share it. */
const ADDRESS_SHARE = 0.1
/** For all that one provider or customer may hold: the addresses in it cost an attacker nothing. */
const RANGE_SHARE = 0.25
/** Kept for ranges with few sign-ins under way, however many the others have. */
const RESERVE = 0.25
/** About twenty sign-ins: a process counts so many of a network without asking the store. */
const MAX_FEW_BYTES = 16 * 1024

type Pool = {
  /** @returns the seconds to wait where there is none */
  take(bytes: number): Promise<number | undefined>
  giveBack(bytes: number): Promise<void>
}

type Part = Pick<RoomOptions, 'redis' | 'windowSeconds'> & { name: string; bytes: number }

function createPool({ bytes: bytesInAll, ...options }: Part): Pool {
  const pieces = createCounter({ ...options, points: Math.floor(bytesInAll / PIECE_BYTES) })
  let left = 0
  let fullUntil = 0

  async function takePiece(): Promise<number | undefined> {
    if (performance.now() < fullUntil) return RETRY_SECONDS
    const seconds = await pieces.take('all')
    if (seconds === undefined) left += PIECE_BYTES
    else {
      fullUntil = performance.now() + ASK_AGAIN_MS
      // What was refused must not count: what is given back could never make up for it.
      await pieces.giveBack('all', 1)
    }
    return seconds
  }

  /** One at a time, for all who wait: with one for each, a rush would take all there are and leave them empty. */
  let asking: ReturnType<typeof takePiece> | undefined
  const takeAnother = () =>
    (asking ??= takePiece().finally(() => {
      asking = undefined
    }))

  return {
    async take(bytes) {
      const isThere = () => left >= bytes
      while (!isThere()) {
        const seconds = await takeAnother()
        // Others may have given back meanwhile.
        if (seconds !== undefined && !isThere()) return seconds
      }
      left -= bytes
      return undefined
    },
    async giveBack(bytes) {
      left += bytes
      const surplus = Math.floor(left / PIECE_BYTES) - 1
      if (surplus < 1) return
      left -= surplus * PIECE_BYTES
      fullUntil = 0
      await pieces.giveBack('all', surplus)
    },
  }
}

export function createRoom({ redis, megabytes, windowSeconds }: RoomOptions): Room {
  // When the count starts anew, what was written in the window before is still there: so each window gets half.
  const bytesInAll = (megabytes * 1024 * 1024) / 2
  const fewBytes = Math.min(MAX_FEW_BYTES, Math.floor((bytesInAll * ADDRESS_SHARE) / 10))

  const pool = (name: string, share: number) =>
    createPool({ redis, name, bytes: bytesInAll * share, windowSeconds })
  const common = pool('sign-ins-waiting', 1 - RESERVE)
  const reserve = pool('sign-ins-reserve', RESERVE)
  /** Given back there first: otherwise what the many take would grow. */
  let fromReserve = 0

  const shareOf = (name: string, share: number) => {
    const points = Math.floor(bytesInAll * share)
    return createSeldomShared({ redis, name, points, windowSeconds, alone: fewBytes, piece: fewBytes })
  }
  const addresses = shareOf('sign-ins-address', ADDRESS_SHARE)
  const ranges = shareOf('sign-ins-range', RANGE_SHARE)
  const few = createCounter({ redis: undefined, name: 'few', points: fewBytes, windowSeconds })

  type Shares = [share: SeldomShared, key: string][]
  const sharesOf = ({ address, range }: Ranges): Shares => [
    [addresses, address],
    [ranges, range],
  ]

  async function giveBackShares(bytes: number, network: string): Promise<void> {
    const its = rangesOf(network)
    await few.giveBack(its.range, bytes)
    await Promise.all(sharesOf(its).map(([share, key]) => share.giveBack(key, bytes)))
  }

  /** @returns whether the range has few sign-ins under way */
  async function takeShares(bytes: number, network: string): Promise<boolean> {
    const its = rangesOf(network)
    const shares = sharesOf(its)
    const refusals = await Promise.all(shares.map(([share, key]) => share.take(key, bytes)))
    const seconds = refusals.find((one) => one !== undefined)
    if (seconds === undefined) return (await few.take(its.range, bytes)) === undefined
    const taken = shares.filter((_, index) => refusals[index] === undefined)
    await Promise.all(taken.map(([share, key]) => share.giveBack(key, bytes)))
    const detail =
      'sign-ins under way from one address, or from its range, take their share of SIGN_INS_WAITING_MB'
    throw new Problem(429, 'too_many', { detail, retryAfter: Math.min(seconds, RETRY_SECONDS) })
  }

  async function takeFromReserve(bytes: number): Promise<boolean> {
    const isTaken = (await reserve.take(bytes)) === undefined
    if (isTaken) fromReserve += bytes
    return isTaken
  }

  return {
    async take(bytes, network) {
      const hasFew = await takeShares(bytes, network)
      const seconds = await common.take(bytes)
      if (seconds === undefined || (hasFew && (await takeFromReserve(bytes)))) return
      await giveBackShares(bytes, network)
      const detail = `sign-ins under way fill SIGN_INS_WAITING_MB (${megabytes})`
      throw new Problem(503, 'sign_in_busy', { detail, retryAfter: Math.min(seconds, RETRY_SECONDS) })
    },
    async giveBack(bytes, network) {
      const isOfReserve = fromReserve >= bytes
      if (isOfReserve) fromReserve -= bytes
      await Promise.all([giveBackShares(bytes, network), (isOfReserve ? reserve : common).giveBack(bytes)])
    },
  }
}
