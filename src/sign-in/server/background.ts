// Work that is tried in the background until it succeeds, and again from time to time; requests wait for its result, or
// look for one in a way that changes nothing.
import { Problem } from '../../problem.ts'
import { createOnce } from '../../records/lease.ts'
import type { Log } from '../../web/log.ts'
import { signInUnavailable } from '../answer-problems.ts'

type BackgroundParts<T> = {
  /** @param mayChange an attempt may; without it undefined says that only an attempt brings a result */
  find: (mayChange: boolean) => Promise<T | undefined>
  /** Milliseconds until the next attempt after one that succeeded. */
  nextAfter(result: T): number
  issuer: string
  log: Log
}

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000
/** A server that refuses is not asked as often as one that is away. */
const MAX_REFUSED_PAUSE_MS = 5 * 60_000
const MIN_PAUSE_MS = 100
const WAIT_FOR_NEXT_MS = 3_000
/** A problem that lasts longer than this is not gone with the next attempt. */
const HELD_SECONDS = 45

/** How long to wait after so many failures in a row; milliseconds. Pure. */
function pauseAfter(error: unknown, failures: number): number {
  const refused = error instanceof Problem && error.code === 'sign_in_misconfigured' ? error : undefined
  const growing = FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20)
  const pause = Math.min(growing, refused === undefined ? MAX_PAUSE_MS : MAX_REFUSED_PAUSE_MS)
  // A short time is for people: the first tries come sooner than that.
  const wait = refused?.retryAfter ?? 0
  return wait > HELD_SECONDS ? Math.max(pause, wait * 1000) : pause
}

export function createBackground<T>(parts: BackgroundParts<T>) {
  const { issuer, log } = parts
  let underWay: Promise<T> | undefined
  const once = createOnce<T | undefined>()
  let timer: NodeJS.Timeout | undefined
  let nextAt = Infinity
  let isClosed = false
  let failure: unknown
  let failures = 0
  let told: string | undefined
  /** The next attempt, for those that wait for it. */
  let next = Promise.withResolvers<T>()

  function later(milliseconds: number) {
    if (isClosed) return
    nextAt = performance.now() + milliseconds
    timer = setTimeout(tryNow, Math.max(milliseconds, MIN_PAUSE_MS))
    timer.unref()
  }

  const reasonOf = (error: unknown) =>
    (error instanceof Problem && error.detail) || `${issuer} cannot be used: see OIDC_ISSUER`

  function failed(error: unknown) {
    failure = error
    failures++
    const reason = reasonOf(error)
    if (reason !== told) log.warn({ err: error, issuer }, reason)
    told = reason
    later(pauseAfter(error, failures))
  }

  function succeeded(result: T) {
    if (failures > 0) log.info({ issuer }, 'the authorization server is reached again')
    failures = 0
    told = failure = undefined
    later(parts.nextAfter(result))
  }

  async function attempt(): Promise<T> {
    const result = await parts.find(true)
    if (result === undefined) throw new Error('an attempt has a result')
    return result
  }

  function tryNow() {
    if (underWay !== undefined || isClosed) return
    clearTimeout(timer)
    underWay = attempt().finally(() => {
      underWay = undefined
    })
    underWay.then(succeeded, failed)
    pass(underWay)
    next = Promise.withResolvers()
  }

  /** To those that wait, of whom there may be none. */
  function pass(attempt: Promise<T>) {
    next.resolve(attempt)
    next.promise.catch(() => {})
  }

  return {
    /** One attempt at a time: joins the one that is under way. */
    tryNow,
    isFailing: () => failures > 0,
    /** What the last attempt failed with. */
    failure: () => failure,
    /** Of the attempt that is under way, of looking, or of the next attempt if that is soon. @throws */
    async result(): Promise<T> {
      if (underWay !== undefined) return await underWay
      const found = await once('look', () => parts.find(false))
      if (found !== undefined) return found
      const isHeld = failure instanceof Problem && (failure.retryAfter ?? 0) > HELD_SECONDS
      if (!isClosed && !isHeld && nextAt - performance.now() <= WAIT_FOR_NEXT_MS) return await next.promise
      if (failure !== undefined) throw failure
      throw signInUnavailable('the client is not registered yet')
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      pass(Promise.reject(signInUnavailable('onramp is ending')))
    },
  }
}
