// How much of the store sign-ins may take that were started and not finished. Anyone can start one, from any number of
// addresses, so the limit by address alone bounds nothing. Counted by all processes together.
import { Problem } from '../problem.ts'
import { createCounter, type SharedRedis } from '../records/counting.ts'

export type Room = {
  /** @throws {Problem} 503 when there is none left */
  take(bytes: number): Promise<void>
  /** What was taken is free again: the sign-in was finished. */
  giveBack(bytes: number): Promise<void>
}

export type RoomOptions = {
  /** Undefined where the store is embedded. */
  redis: SharedRedis | undefined
  /** SIGN_INS_WAITING_MB. */
  megabytes: number
  /** How long a record lives. The count starts anew so often, so for a moment there may be twice as much. */
  windowSeconds: number
}

/** A process takes room from the store in pieces, so that few sign-ins have to ask it. */
const PIECE_BYTES = 64 * 1024
/** The window may end much later, but every sign-in that is finished makes room. */
const RETRY_SECONDS = 30
/** While there is none, the store is asked no more often. */
const ASK_AGAIN_MS = 1_000

export function createRoom({ redis, megabytes, windowSeconds }: RoomOptions): Room {
  const points = Math.floor((megabytes * 1024 * 1024) / PIECE_BYTES)
  const pieces = createCounter({ redis, name: 'sign-ins-waiting', points, windowSeconds })
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

  return {
    async take(bytes) {
      if (left < bytes) await takePiece()
      left -= bytes
    },
    async giveBack(bytes) {
      left += bytes
      if (left < 2 * PIECE_BYTES) return
      left -= PIECE_BYTES
      fullUntil = 0
      await pieces.giveBack('all', 1)
    },
  }
}
