// How often the client was registered lately, and until when that has to wait: kept over restarts and processes, so that
// a server which makes clients that cannot be used does not get one with every try. Written under the lease only.
import { Problem } from '../../problem.ts'
import type { Records } from '../../records/records.ts'
import type { Sealer } from '../../session/seal.ts'
import { sealedJson } from '../../session/sealed-json.ts'
import { signInUnavailable } from '../answer-problems.ts'
import type { Outcome } from './request.ts'

type HistoryParts = {
  records: Pick<Records, 'get' | 'put'>
  sealer: Sealer
  name: string
  /** Milliseconds since 1970. */
  now: () => number
}

type History = { made: number[]; heldUntil: number; why: string }

const NOTHING_YET: History = { made: [], heldUntil: 0, why: '' }

const HOUR_MS = 3600 * 1000
const MAX_PER_HOUR = 10
const KEEP_SECONDS = 2 * 3600
const UNANSWERED_MS = 60_000
const REFUSED_SECONDS = 30
/** Every request that there is was refused, so the next ones would be too until someone changes the server. */
const ALL_REFUSED_MS = 5 * 60_000

const BY_HAND = 'register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET'

/** A registration that does not come about is for the operator to know, with what to do instead. */
export const notRegistered = (what: string, retryAfter: number, instead = ''): Problem =>
  new Problem(503, 'sign_in_misconfigured', { detail: `${what}: ${instead}${BY_HAND}`, retryAfter })

const timeOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 16)}Z`

export function createRegistrationHistory({ records, sealer, name, now }: HistoryParts) {
  const key = `client-history:${name}`
  const json = sealedJson<History>({ sealer, version: 1, wasUnversioned: true })

  /** Nothing is held for longer than an hour: a clock that ran ahead must not hold it until it was right. */
  const isNear = (at: number) => Math.abs(now() - at) <= HOUR_MS

  async function load(): Promise<History> {
    const { made, heldUntil, why } = json.open(await records.get(key), key) ?? NOTHING_YET
    return { made: made.filter(isNear), heldUntil: isNear(heldUntil) ? heldUntil : 0, why }
  }

  const save = (history: History) => records.put(key, json.seal(history, key), KEEP_SECONDS)

  const held = ({ heldUntil, why }: History): Problem =>
    notRegistered(
      `${why}; not asked again before ${timeOf(heldUntil)}, or until "onramp registration forget" was called`,
      Math.max(1, Math.ceil((heldUntil - now()) / 1000)),
    )

  async function hold(before: History, milliseconds: number, why: string): Promise<Problem> {
    const history = { ...before, heldUntil: now() + milliseconds, why }
    await save(history)
    return held(history)
  }

  /** Takes the note back: nothing was asked. */
  async function undo(): Promise<History> {
    const history = await load()
    const undone = { ...history, made: history.made.slice(0, -1) }
    await save(undone)
    return undone
  }

  return {
    key,
    /** Notes that a client may be made now. @throws {Problem} while that has to wait */
    async begin(): Promise<void> {
      const history = await load()
      if (history.heldUntil > now()) throw held(history)
      const [first = now()] = history.made
      const why = `${MAX_PER_HOUR} clients were registered within an hour`
      if (history.made.length >= MAX_PER_HOUR)
        throw await hold(history, Math.max(1, first + HOUR_MS - now()), why)
      await save({ ...history, made: [...history.made, now()], heldUntil: 0, why: '' })
    },
    undo,
    /** Notes what came of it. @returns the problem to throw */
    async end(outcome: Exclude<Outcome, { kind: 'registered' }>): Promise<Problem> {
      if (outcome.kind === 'unusable') return await hold(await load(), HOUR_MS, outcome.why)
      if (outcome.kind === 'failed' || (outcome.kind === 'unanswered' && outcome.sent)) {
        const history = await load()
        const why = `${outcome.why} (a client may have been made all the same)`
        // A server that fails may be well with the next try or two; that it was asked stays noted.
        const free = outcome.kind === 'failed' ? 2 : 0
        const times = history.made.length - 1 - free
        if (times < 0) return notRegistered(why, REFUSED_SECONDS)
        return await hold(history, Math.min(UNANSWERED_MS * 2 ** times, HOUR_MS), why)
      }
      const history = await undo()
      if (outcome.kind === 'unanswered') return signInUnavailable(outcome.why)
      const { status, why, isFinal, wait } = outcome
      if (wait !== undefined) return await hold(history, Math.min(wait * 1000, HOUR_MS), why)
      if (isFinal === true) return await hold(history, ALL_REFUSED_MS, why)
      const asksForToken = status === 401 || status === 403
      const instead = asksForToken ? 'set OIDC_INITIAL_ACCESS_TOKEN if it asks for one, or ' : ''
      return notRegistered(why, REFUSED_SECONDS, instead)
    },
  }
}
