// How much of the store sign-ins may take that were started and not finished. Anyone can start one, from any number of
// addresses, so the limit by address alone bounds nothing. Counted by all processes together.
import { Problem } from '../problem.ts'
import { createCounter, type SharedRedis } from '../records/counting.ts'

export type Room = {
  /** Looks, before work is done for a sign-in that could not be kept. @throws {Problem} as `take` does */
  check(network: string): Promise<void>
  /**
   * @param network whose it is: no network gets all of it
   * @throws {Problem} 503 when there is none left, 429 when the network has its share
   */
  take(bytes: number, network: string): Promise<void>
  /** What was taken is free again: the sign-in was finished. */
  giveBack(bytes: number, network: string): Promise<void>
}

export type RoomOptions = {
  /** Undefined where the store is embedded. */
  redis: SharedRedis | undefined
  /** SIGN_INS_WAITING_MB. */
  megabytes: number
  /** How long a record lives, and how often the count starts anew. */
  windowSeconds: number
  /** SIGN_INS_PER_MINUTE: where many people share an address, it may have more of the room. */
  perAddress: number
}

/** A process takes room from the store in pieces, so that few sign-ins have to ask it. */
const PIECE_BYTES = 64 * 1024
/** The window may end much later, but every sign-in that is finished makes room. */
const RETRY_SECONDS = 30
/** While there is none, the store is asked no more often. */
const ASK_AGAIN_MS = 1_000

/** Of the room, for one network: otherwise a single one could keep everyone from signing in. */
const NETWORK_SHARE = 0.25
/** What a minute's sign-ins from one address may take in any case. */
const BYTES_PER_SIGN_IN = 1_024
/** With the longest address to come back to. */
const MAX_BYTES_OF_SIGN_IN = 4_096

export function createRoom({ redis, megabytes, windowSeconds, perAddress }: RoomOptions): Room {
  // When the count starts anew, what was written in the window before is still there: so each window gets half.
  const bytesInAll = (megabytes * 1024 * 1024) / 2
  const points = Math.floor(bytesInAll / PIECE_BYTES)
  const pieces = createCounter({ redis, name: 'sign-ins-waiting', points, windowSeconds })
  const bytesOfNetwork = Math.ceil(Math.max(bytesInAll * NETWORK_SHARE, perAddress * BYTES_PER_SIGN_IN))
  // Each process counts on its own: asking the store about every network would fill it with networks.
  const shares = createCounter({ redis: undefined, name: 'share', points: bytesOfNetwork, windowSeconds })
  let left = 0
  let fullUntil = 0

  function refuse(seconds: number): never {
    const detail = `sign-ins under way fill SIGN_INS_WAITING_MB (${megabytes})`
    throw new Problem(503, 'sign_in_busy', { detail, retryAfter: Math.min(seconds, RETRY_SECONDS) })
  }

  async function takePiece(): Promise<void> {
    if (performance.now() < fullUntil) refuse(RETRY_SECONDS)
    const seconds = await pieces.take('all')
    if (seconds === undefined) left += PIECE_BYTES
    else {
      fullUntil = performance.now() + ASK_AGAIN_MS
      // What was refused must not count: what is given back could never make up for it.
      await pieces.giveBack('all', 1)
      refuse(seconds)
    }
  }

  async function takeShare(bytes: number, network: string): Promise<void> {
    const seconds = await shares.take(network, bytes)
    if (seconds === undefined) return
    await shares.giveBack(network, bytes)
    const detail = 'sign-ins under way from one address take its share of SIGN_INS_WAITING_MB'
    throw new Problem(429, 'too_many', { detail, retryAfter: Math.min(seconds, RETRY_SECONDS) })
  }

  return {
    async check(network) {
      if (left < MAX_BYTES_OF_SIGN_IN && performance.now() < fullUntil) refuse(RETRY_SECONDS)
      await takeShare(MAX_BYTES_OF_SIGN_IN, network)
      await shares.giveBack(network, MAX_BYTES_OF_SIGN_IN)
    },
    async take(bytes, network) {
      await takeShare(bytes, network)
      if (left < bytes)
        await takePiece().catch(async (refusal: unknown) => {
          await shares.giveBack(network, bytes)
          throw refusal
        })
      left -= bytes
    },
    async giveBack(bytes, network) {
      await shares.giveBack(network, bytes)
      left += bytes
      if (left < 2 * PIECE_BYTES) return
      left -= PIECE_BYTES
      fullUntil = 0
      await pieces.giveBack('all', 1)
    },
  }
}
