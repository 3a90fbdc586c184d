// How often an address and a person may ask for work. Counted in the memory of this process alone, and for so many of them:
// a count in the store would be one more thing that strangers make it write. The handlers stand in the routes themselves, so
// that a request which finds its route is counted, however its address is written.
import type { Request, RequestHandler } from 'express'
import { Problem, type ProblemCode } from '../problem.ts'
import { personKey, signedInOf } from '../session/signed-in.ts'
import type { Note } from './audit.ts'
import { networkOf } from './network.ts'

export type Limits = {
  /** Signing in, by address. */
  signingIn: RequestHandler
  /**
   * Coming back from the authorization server: by sign-in, so that no one is refused for what others began.
   * @param id of the sign-in; absent where it is none of ours: then by address, as if one began @throws {Problem} 429
   */
  comingBack: (req: Request, id: string | undefined) => void
  /** Signing out, by address: apart from signing in, so that a rush in the morning keeps no one signed in. */
  signingOut: RequestHandler
  /** Stopping reminders, by address. */
  stoppingReminders: RequestHandler
  /** Reading the report with REPORT_TOKEN, by address. */
  readingReports: RequestHandler
  /** What reaches the service, by person; behind requireSignIn. */
  byPerson: RequestHandler
  /** What asks the store much and the service nothing, by person: three times as often. */
  lookingAtSignIns: RequestHandler
  /**
   * Counts a logout token that was refused, by address. One that is good is taken however many came before.
   * @throws {Problem} 429 where there were too many before
   */
  refusedLogout: (req: Request) => void
}

const ADDRESS_SECONDS = 60
/** Short, so that no one spends a minute's worth at once: the service takes about 30 requests a second of one person. */
const PERSON_SECONDS = 10
const PERSON_POINTS = 200

/** A double click, the back button, restored tabs. */
const RETURNS = 30
/** Of each kind; the one that asked longest ago is forgotten first. Strangers may have more addresses than memory. */
const MAX_COUNTED = 20_000

const addressOf = (req: Request) => networkOf(req.ip ?? '').slice(0, 64)

/**
 * @param perAddress SIGN_INS_PER_MINUTE
 * @param now milliseconds since 1970
 */
export function createLimits(perAddress: number, note: Note, now: () => number): Limits {
  /** Points come back steadily: after a rush, those behind the same address wait for seconds, not for the minute to end. */
  function counted(
    what: 'address' | 'sign_in' | 'person',
    points: number,
    code: ProblemCode = 'too_many_requests',
  ) {
    const seconds = what === 'person' ? PERSON_SECONDS : ADDRESS_SECONDS
    const msPerPoint = (seconds * 1000) / points
    const buckets = new Map<string, { left: number; at: number }>()
    return (req: Request, key = addressOf(req)): void => {
      const { left: before, at } = buckets.get(key) ?? { left: points, at: now() }
      const left = Math.min(points, before + Math.max(0, now() - at) / msPerPoint)
      buckets.delete(key)
      if (buckets.size >= MAX_COUNTED) buckets.delete(buckets.keys().next().value ?? '')
      buckets.set(key, { left: left < 1 ? left : left - 1, at: now() })
      if (left >= 1) return
      note({ event: 'limited', what, user: signedInOf(req)?.user })
      // When a tenth is there again: not all who wait come back for the first point.
      const retryAfter = Math.ceil(Math.max(msPerPoint, seconds * 100) / 1000)
      throw new Problem(429, code, { isAudited: true, retryAfter })
    }
  }

  const limited =
    (count: (req: Request) => void): RequestHandler =>
    (req, _res, next) => {
      count(req)
      next()
    }

  function byPerson(points: number): RequestHandler {
    const count = counted('person', points)
    return limited((req) => {
      const user = signedInOf(req)?.user
      if (user !== undefined) count(req, personKey(user))
    })
  }

  const signingIn = counted('address', perAddress, 'too_many')
  const returning = counted('sign_in', RETURNS, 'too_many')

  return {
    signingIn: limited(signingIn),
    comingBack: (req, id) => (id === undefined ? signingIn(req) : returning(req, id)),
    signingOut: limited(counted('address', perAddress)),
    stoppingReminders: limited(counted('address', perAddress)),
    readingReports: limited(counted('address', perAddress)),
    byPerson: byPerson(PERSON_POINTS),
    lookingAtSignIns: byPerson(3 * PERSON_POINTS),
    refusedLogout: counted('address', perAddress),
  }
}
