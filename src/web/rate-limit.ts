// How often an address and a person may ask for work. Counted in the memory of this process alone, and for so many of them:
// a count in the store would be one more thing that strangers make it write. The handlers stand in the routes themselves, so
// that a request which finds its route is counted, however its address is written.
import type { Request, RequestHandler } from 'express'
import { Problem, type ProblemCode } from '../problem.ts'
import { personKey, signedInOf, whoIsSignedIn } from '../session/signed-in.ts'
import type { Audit } from './audit.ts'
import { networkOf } from './network.ts'

export type Limits = ReturnType<typeof createLimits>

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
export function createLimits(perAddress: number, audit: Audit, now: () => number) {
  /** Points come back steadily: after a rush, those behind the same address wait for seconds, not for the minute to end. */
  function counted(what: 'address' | 'sign_in' | 'person', points: number, code: ProblemCode) {
    const seconds = what === 'person' ? PERSON_SECONDS : ADDRESS_SECONDS
    const msPerPoint = (seconds * 1000) / points
    const buckets = new Map<string, { left: number; at: number }>()
    return (req: Request, key = addressOf(req), tryAgain = ''): void => {
      const { left: before, at } = buckets.get(key) ?? { left: points, at: now() }
      const left = Math.min(points, before + Math.max(0, now() - at) / msPerPoint)
      buckets.delete(key)
      if (buckets.size >= MAX_COUNTED) buckets.delete(buckets.keys().next().value ?? '')
      buckets.set(key, { left: left < 1 ? left : left - 1, at: now() })
      if (left >= 1) return
      audit({ event: 'limited', what, user: signedInOf(req)?.user })
      // When a tenth is there again: not all who wait come back for the first point.
      const retryAfter = Math.ceil(Math.max(msPerPoint, seconds * 100) / 1000)
      throw new Problem(429, code, { retryAfter, ...(tryAgain && { tryAgain }) })
    }
  }
  const limited =
    (
      count: (req: Request, key?: string) => void,
      keyOf?: (req: Request) => string | undefined,
    ): RequestHandler =>
    (req, _res, next) => {
      count(req, keyOf?.(req))
      next()
    }
  const byAddress = () => counted('address', perAddress, 'too_many_requests')
  /** Behind requireSignIn. */
  const byPerson = (points: number) =>
    limited(counted('person', points, 'too_many_requests'), (req) => personKey(whoIsSignedIn(req).user))
  const signingIn = counted('address', perAddress, 'too_many')
  const returning = counted('sign_in', RETURNS, 'too_many')
  return {
    signingIn: limited(signingIn),
    /**
     * Coming back from the authorization server: by sign-in, so that no one is refused for what others began.
     * @param id of the sign-in; absent where it is none of ours: then by address, as if one began
     * @param tryAgain where the person began: the code in the callback's own address is good once @throws {Problem} 429
     */
    comingBack: (req: Request, id?: string, tryAgain?: string) =>
      id === undefined ? signingIn(req) : returning(req, id, tryAgain),
    /** Apart from signing in, so that a rush in the morning keeps no one signed in; and by session, where there is one. */
    signingOut: limited(byAddress(), (req) => signedInOf(req)?.id),
    /** By the email of the link, where it is one of ours. @throws {Problem} 429 */
    stoppingReminders: byAddress(),
    /** With REPORT_TOKEN. */
    readingReports: limited(byAddress()),
    /** What reaches the service. */
    byPerson: byPerson(PERSON_POINTS),
    /** What asks the store much and the service nothing: three times as often. */
    lookingAtSignIns: byPerson(3 * PERSON_POINTS),
    /** A logout token that was refused. One that is good is taken however many came before. @throws {Problem} 429 */
    refusedLogout: byAddress() as (req: Request) => void,
  }
}
