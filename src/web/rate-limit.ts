// Rate limits by address, person and sign-in, counted in this process's memory, so that strangers can't cause writes to
// the store. Each route mounts its own limit, so that a request counts whatever the spelling of its address.
import type { Request, RequestHandler } from 'express'
import { Problem, type ProblemCode } from '../problem.ts'
import { personKey, findSignedIn, requireSignedIn } from '../session/signed-in.ts'
import type { Audit } from './audit.ts'
import { isFromOtherSite } from './cross-site.ts'
import { networkOf } from './network.ts'

const ADDRESS_SECONDS = 60
/** Short, so that no one can use a minute's limit at once: the service takes about 30 requests a second per person. */
const PERSON_SECONDS = 10
const PERSON_POINTS = 200
/** Admin pages that another site opens. Each takes 0.1 seconds, and a proxy may hide that the browser has gone. */
const ADMIN_POINTS_OF_OTHER_SITES = 4
/** Enough for double clicks, the back button and restored tabs. */
const RETURNS_PER_SIGN_IN = 30
/**
 * Requests that wait for the authorization server, which take memory. A state is good for a day, so strangers may have
 * thousands. The authorization server sends all logout tokens from one network, and may not repeat refused ones.
 */
const MAX_AT_ONCE = {
  redeeming: { all: 1_200, ofNetwork: 100 },
  /** Some wait for discovery, or for the endpoint of pushed requests. */
  starting: { all: 600, ofNetwork: 100 },
  checkingLogoutToken: { all: 1_000, ofNetwork: 500 },
}
/** Requests that each network may have waiting, whatever others do. */
const ALWAYS_OF_NETWORK = 2
/** Keys per limit; the least recent are dropped first. Strangers may have more addresses than we have memory. */
const MAX_COUNTED = 20_000

/** @throws {Problem} 429 */
type CountRequest = (req: Request, key?: string, tryAgain?: string) => void

const networkKeyOf = (req: Request) => networkOf(req.ip ?? '').slice(0, 64)

const limitedBy =
  (count: CountRequest, keyFor?: (req: Request) => string | undefined): RequestHandler =>
  (req, _res, next) => {
    count(req, keyFor?.(req))
    next()
  }

/** @param perNetwork SIGN_INS_PER_MINUTE @param now milliseconds since 1970 */
export function createLimits(
  { perNetwork, publicUrl }: { perNetwork: number; publicUrl: string },
  audit: Audit,
  now: () => number,
) {
  const count = (what: Limit['what'], points: number, code: ProblemCode) =>
    createCount({ what, points, code }, audit, now)
  const createAddressCount = () => count('address', perNetwork, 'too_many_requests')
  // Requests from other sites are counted apart, so that a site that opens our pages all the time locks no one out.
  const createPersonCount = (points = PERSON_POINTS) => count('person', points, 'too_many_requests')
  const createPersonLimit =
    (own = createPersonCount(), ofOtherSites = createPersonCount()): RequestHandler =>
    (req, _res, next) => {
      const countRequest = isFromOtherSite(req, publicUrl) ? ofOtherSites : own
      countRequest(req, personKey(requireSignedIn(req).user))
      next()
    }
  const ownPages = createPersonCount()
  const signingIn = count('address', perNetwork, 'too_many')
  const returning = count('sign_in', RETURNS_PER_SIGN_IN, 'too_many')
  return {
    signingIn: limitedBy(signingIn),
    /**
     * Counts callbacks by sign-in, so that no one is refused because of other people's sign-ins.
     * @param id of the sign-in; undefined if it isn't ours: then by address
     * @param tryAgain the path where the person began, because a callback's code is valid once @throws {Problem} 429
     */
    countCallback: (req: Request, id?: string, tryAgain?: string): void =>
      id === undefined ? signingIn(req) : returning(req, id, tryAgain),
    /** Counted apart from sign-ins, so that a morning rush prevents no sign-out; by session, if there is one. */
    signingOut: limitedBy(createAddressCount(), (req) => findSignedIn(req)?.id),
    /** Counted by the email of the link, if onramp issued the link. */
    countOptOut: createAddressCount(),
    readingReports: limitedBy(createAddressCount()),
    byPerson: createPersonLimit(ownPages),
    adminPages: createPersonLimit(ownPages, createPersonCount(ADMIN_POINTS_OF_OTHER_SITES)),
    sessionsPage: createPersonLimit(),
    /** Counts rejected logout tokens. Valid ones are always accepted. */
    countRejectedLogoutToken: createAddressCount(),
    starting: limitConcurrency(MAX_AT_ONCE.starting, 'too_many', audit),
    redeeming: limitConcurrency(MAX_AT_ONCE.redeeming, 'too_many', audit),
    checkingLogoutToken: limitConcurrency(MAX_AT_ONCE.checkingLogoutToken, 'too_many_requests', audit),
  }
}

export type Limits = ReturnType<typeof createLimits>

type Limit = { what: 'address' | 'sign_in' | 'person'; points: number; code: ProblemCode }

/** A token bucket for each key. It refills steadily, so after a rush, people behind one address wait only seconds. */
function createCount({ what, points, code }: Limit, audit: Audit, now: () => number): CountRequest {
  const seconds = what === 'person' ? PERSON_SECONDS : ADDRESS_SECONDS
  const msPerPoint = (seconds * 1000) / points
  let recent = new Map<string, { left: number; at: number }>()
  let former: typeof recent = new Map()
  return (req, text = networkKeyOf(req), tryAgain) => {
    // A copy, because V8 keeps a whole header in memory for a part of it.
    const key = Buffer.from(text).toString()
    const { left: before, at } = recent.get(key) ?? former.get(key) ?? { left: points, at: now() }
    const pointsLeft = Math.min(points, before + Math.max(0, now() - at) / msPerPoint)
    // Keys are in two generations, because deleting a Map's first entry at each write is slow.
    if (recent.size >= MAX_COUNTED / 2) [former, recent] = [recent, new Map()]
    recent.set(key, { left: pointsLeft < 1 ? pointsLeft : pointsLeft - 1, at: now() })
    if (pointsLeft >= 1) return
    audit({ event: 'limited', what, user: findSignedIn(req)?.user })
    // The wait lasts until a tenth has refilled, so that not everyone comes for the first point.
    const retryAfter = Math.ceil(Math.max(msPerPoint, seconds * 100) / 1000)
    throw new Problem(429, code, { retryAfter, ...(tryAgain && { tryAgain }) })
  }
}

/**
 * Limits requests that run at once. Networks share what is left of `all` equally: offices get less the more networks
 * strangers have, but strangers can't use up everything.
 */
function limitConcurrency(max: { all: number; ofNetwork: number }, code: ProblemCode, audit: Audit) {
  /** By network; without zeros. */
  const pending = new Map<string, number>()
  let total = 0
  return async <T>(req: Request, work: () => Promise<T>): Promise<T> => {
    // A /48 is one site, which has 65,536 networks (RFC 6177).
    const key = networkKeyOf(req).split(':', 3).join(':')
    const before = pending.get(key) ?? 0
    const networks = pending.size + (before === 0 ? 1 : 0)
    const share = Math.max(ALWAYS_OF_NETWORK, Math.floor((max.all - total) / networks))
    if (before >= Math.min(share, max.ofNetwork)) {
      audit({ event: 'limited', what: 'at_once', user: findSignedIn(req)?.user })
      throw new Problem(429, code, { retryAfter: 5 })
    }
    pending.set(key, before + 1)
    total++
    return await work().finally(() => {
      total--
      const countLeft = (pending.get(key) ?? 1) - 1
      if (countLeft > 0) pending.set(key, countLeft)
      else pending.delete(key)
    })
  }
}
