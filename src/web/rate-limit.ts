// How often an address, a browser and a person may ask for work. The handlers stand in the routes themselves, so that a
// request which finds its route is counted, however its address is written.
import type { Request, RequestHandler } from 'express'
import { Problem, type ProblemCode } from '../problem.ts'
import { browserOf } from '../session/session.ts'
import { personKey, signedInOf } from '../session/signed-in.ts'
import type { Note } from './audit.ts'
import {
  createCounter,
  createSeldomShared,
  type CounterOptions,
  type SeldomShared,
  type SharedRedis,
} from '../records/counting.ts'
import { networkOf } from './network.ts'

export type Limits = {
  /** Signing in, by address. */
  byAddress: RequestHandler
  /**
   * The request no longer counts against its address: it started nothing, or it finished what was started. So an office
   * of thousands may share an address, and what is counted is what stays unfinished. One person gets few back.
   */
  forgive: (req: Request) => Promise<void>
  /** Signing in, by browser; behind the session. */
  byBrowser: RequestHandler
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
  refusedLogouts: RefusedLogouts
}

/** Logout tokens that were refused, by address. One that is good is taken however many came before, from anyone there. */
export type RefusedLogouts = {
  /** @throws {Problem} 429 where there were too many before */
  count(req: Request): Promise<void>
}

export type LimitOptions = {
  /** Undefined where the store is embedded: then there is one process to count in. */
  redis: SharedRedis | undefined
  /** SIGN_INS_PER_MINUTE. */
  perAddress: number
  /** REQUESTS_PER_MINUTE. */
  perPerson: number
  note: Note
}

const WINDOW_SECONDS = 60
/** Short, so that no one spends a minute's worth at once: the service takes about 30 requests a second of one person. */
const PERSON_WINDOW_SECONDS = 10
/** Otherwise one person who signs in without end would never reach a limit. */
const MAX_FORGIVEN_A_PERSON = 10

/** A tenth in each process, before all count together. */
const seldomShared = (options: CounterOptions) =>
  createSeldomShared({ ...options, alone: Math.floor(options.points / 10) })

const addressOf = (req: Request) => networkOf(req.ip ?? '')

/** The hash, so that the store's names tell no one who was here. */
function personOf(req: Request): string | undefined {
  const user = signedInOf(req)?.user
  return user === undefined ? undefined : personKey(user)
}

type Limit = {
  counter: Pick<SeldomShared, 'take'>
  keyOf: (req: Request) => string | undefined
  code: ProblemCode
  /** For the log and the audit: of what there were too many. */
  what: string
}

export function createLimits({ redis, perAddress, perPerson, note }: LimitOptions): Limits {
  const perMinute = (name: string, points: number) =>
    seldomShared({ redis, name, points, windowSeconds: WINDOW_SECONDS })

  function refuse(seconds: number, code: ProblemCode, what: string): never {
    note({ event: 'limited', what })
    throw new Problem(429, code, { detail: `too many requests from one ${what}`, retryAfter: seconds })
  }

  const limited = ({ counter, keyOf, code, what }: Limit): RequestHandler => {
    return async (req, _res, next) => {
      const key = keyOf(req)
      const seconds = key === undefined ? undefined : await counter.take(key)
      if (seconds !== undefined) refuse(seconds, code, what)
      next()
    }
  }

  const address = (name: string): RequestHandler =>
    limited({
      counter: perMinute(name, perAddress),
      keyOf: addressOf,
      code: 'too_many_requests',
      what: 'address',
    })

  const signIns = perMinute('address', perAddress)
  const forgiven = createCounter({
    redis: undefined,
    name: 'forgiven',
    points: MAX_FORGIVEN_A_PERSON,
    windowSeconds: WINDOW_SECONDS,
  })
  // In this process alone: what is refused must not make the store work too.
  const refusedLogouts = createCounter({
    redis: undefined,
    name: 'refused-logouts',
    points: perAddress,
    windowSeconds: WINDOW_SECONDS,
  })
  const personPoints = Math.ceil((perPerson * PERSON_WINDOW_SECONDS) / WINDOW_SECONDS)
  const person = (name: string, points: number): RequestHandler =>
    limited({
      counter: seldomShared({ redis, name, points, windowSeconds: PERSON_WINDOW_SECONDS }),
      keyOf: personOf,
      code: 'too_many_requests',
      what: 'person',
    })

  return {
    byAddress: limited({ counter: signIns, keyOf: addressOf, code: 'too_many', what: 'address' }),
    async forgive(req) {
      const person = personOf(req)
      if (person === undefined || (await forgiven.take(person)) === undefined)
        await signIns.giveBack(addressOf(req))
    },
    byBrowser: limited({
      counter: perMinute('browser', Math.ceil(perAddress / 10)),
      keyOf: browserOf,
      code: 'too_many',
      what: 'browser',
    }),
    signingOut: address('sign-out'),
    stoppingReminders: address('opt-out'),
    readingReports: address('report'),
    byPerson: person('person', personPoints),
    lookingAtSignIns: person('sign-ins-seen', 3 * personPoints),
    refusedLogouts: {
      async count(req) {
        const seconds = await refusedLogouts.take(addressOf(req))
        if (seconds !== undefined) refuse(seconds, 'too_many_requests', 'address')
      },
    },
  }
}
