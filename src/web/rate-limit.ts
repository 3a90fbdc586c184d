// How often an address and a person may ask for work. Counted in the memory of this process alone: a count in the store
// would be one more thing that strangers make it write. The handlers stand in the routes themselves, so that a request
// which finds its route is counted, however its address is written.
import type { Request, RequestHandler } from 'express'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { Problem, type ProblemCode } from '../problem.ts'
import { personKey, signedInOf } from '../session/signed-in.ts'
import type { Note } from './audit.ts'
import { networkOf } from './network.ts'

export type Limits = {
  /** Signing in, by address. */
  signingIn: RequestHandler
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
  refusedLogout: (req: Request) => Promise<void>
}

const ADDRESS_SECONDS = 60
/** Short, so that no one spends a minute's worth at once: the service takes about 30 requests a second of one person. */
const PERSON_SECONDS = 10
const PERSON_POINTS = 200

const addressOf = (req: Request) => networkOf(req.ip ?? '')

function personOf(req: Request): string | undefined {
  const user = signedInOf(req)?.user
  return user && personKey(user)
}

/** @param perAddress SIGN_INS_PER_MINUTE */
export function createLimits(perAddress: number, note: Note): Limits {
  function counted(what: 'address' | 'person', points: number, code: ProblemCode = 'too_many_requests') {
    const [duration, keyOf] =
      what === 'address' ? [ADDRESS_SECONDS, addressOf] : ([PERSON_SECONDS, personOf] as const)
    const limiter = new RateLimiterMemory({ points, duration })
    return async (req: Request): Promise<void> => {
      const key = keyOf(req)
      if (key === undefined) return
      await limiter.consume(key).catch((refusal: unknown) => {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        note({ event: 'limited', what })
        const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
        throw new Problem(429, code, { detail: `too many requests from one ${what}`, retryAfter })
      })
    }
  }

  const limited =
    (count: (req: Request) => Promise<void>): RequestHandler =>
    async (req, _res, next) => {
      await count(req)
      next()
    }

  return {
    signingIn: limited(counted('address', perAddress, 'too_many')),
    signingOut: limited(counted('address', perAddress)),
    stoppingReminders: limited(counted('address', perAddress)),
    readingReports: limited(counted('address', perAddress)),
    byPerson: limited(counted('person', PERSON_POINTS)),
    lookingAtSignIns: limited(counted('person', 3 * PERSON_POINTS)),
    refusedLogout: counted('address', perAddress),
  }
}
