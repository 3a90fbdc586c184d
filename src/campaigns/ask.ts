// Asks the service what a person still has to connect, at the pace it allows. 429 and Retry-After are honoured, a failure
// that may pass is asked again, and one that would hit everyone ends the run.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Waiting } from '../client-api/answers.ts'
import { ServiceProblem } from '../client-api/errors.ts'
import type { Pace } from './pace.ts'

/** It would fail for everyone: the token, the service's address. The message is for operators. */
export class ServiceUnusable extends Error {
  override name = 'ServiceUnusable'
}

export type AskParts = {
  /** @throws {ServiceProblem} */
  whatIsLeft: (email: string) => Promise<Waiting[]>
  /** Is the Client API at SERVICE_BASE_URL? Its refusals may be about a person; those of another server are about no one. */
  isThere: () => Promise<boolean>
  pace: Pace
  /** Told for how many seconds the service asks for no calls. */
  onPause?: (seconds: number) => void
  signal: AbortSignal
  /** For tests; milliseconds. */
  pauseMs?: number
}

export type Asked =
  | { kind: 'left'; left: Waiting[] }
  /** The service does not know the person. */
  | { kind: 'unknown' }
  /** It says nothing about this person, though it did about others. */
  | { kind: 'refused' }
  /** It gave no answer that says what is left; `detail` says what instead. */
  | { kind: 'no-answer'; detail: string }

const MAX_TRIES = 4
const MAX_WAITS = 20
/** A person may have left the company, or a whole department. So many in a row may also be the token. */
const MAX_REFUSALS_IN_A_ROW = 10
/** After so many people in a row without an answer, each asked several times, it is away. */
const MAX_SILENCES_IN_A_ROW = 8

/** After so many it is away, even if it still answers about people it knew before: they may come from a cache. */
const MAX_SILENCES = 50

/** So many people tell whether the service still answers: one of them may have left meanwhile. */
const MAX_WITNESSES = 3

const isRefusal = (status: number | undefined) =>
  status === 400 || status === 403 || status === 404 || status === 422

export type Asking = {
  /** @throws {ServiceUnusable} */
  ask: (email: string) => Promise<Asked>
  /** The service answered about this person in an earlier run. */
  answeredBefore: (email: string) => void
}

export function createAsk({ whatIsLeft, isThere, pace, onPause, signal, pauseMs = 1_000 }: AskParts): Asking {
  /** In this run. */
  let hasAnswered = false
  /** About whom it answered, the last one first. */
  let witnesses: readonly string[] = []
  let there: Promise<boolean> | undefined
  let refusalsInARow = 0
  let silencesInARow = 0
  /** Since someone else on the list was answered for. */
  let silences = 0

  const remember = (email: string) => {
    witnesses = [email, ...witnesses.filter((other) => other !== email)].slice(0, MAX_WITNESSES)
  }

  /** Does it still answer about someone about whom it did? Then what went wrong is about one person, or some. */
  async function isStillAnswering(): Promise<boolean> {
    let waits = 0
    for (const email of witnesses) {
      let again = await tried(email)
      // "Later" says neither yes nor no.
      while (isBusy(again) && ++waits < MAX_WAITS) again = await tried(email)
      if (!(again instanceof ServiceProblem)) return true
    }
    return false
  }

  /** It would be the same for everyone, unless the service goes on to answer about others. @throws {ServiceUnusable} */
  async function ofEveryone(problem: ServiceProblem, email: string): Promise<Asked> {
    const { answered, detail, isOfEveryone } = problem
    if (await isStillAnswering())
      return {
        kind: 'no-answer',
        detail: `it answered ${answered ?? 'nothing'} about this person, and as usual about another`,
      }
    const isOfToken = isOfEveryone === true || answered === 401
    const who = witnesses.length === 0 && !isOfToken ? `. It was asked about ${email} first` : ''
    throw new ServiceUnusable(`${detail}${who}`, { cause: problem })
  }

  /** May be about this person alone, also where a firewall says it. @throws {ServiceUnusable} when it is not */
  async function refusal(problem: ServiceProblem): Promise<Asked> {
    const { answered, isOfFront, detail } = problem
    const isFirst = () => !hasAnswered
    const stop = (why: string) => new ServiceUnusable(why, { cause: problem })
    // Asking takes time, in which others may have been answered for.
    if (isFirst() && (isOfFront || answered !== 403) && !(await (there ??= isThere())) && isFirst())
      if (!(await isStillAnswering())) throw stop(detail)
    if (++refusalsInARow >= MAX_REFUSALS_IN_A_ROW) {
      // Others are asked about at the same moment.
      if (isFirst()) await sleep(pauseMs, undefined, { signal })
      if (!(await isStillAnswering()))
        throw stop(
          `${detail}. This happened for ${refusalsInARow} people in a row. If they have all left, remove them from the list; if not, check the service token and SERVICE_BASE_URL`,
        )
    }
    if (isOfFront) return { kind: 'no-answer', detail }
    return { kind: answered === 403 ? 'refused' : 'unknown' }
  }

  async function silence(last: ServiceProblem | undefined): Promise<Asked> {
    silences++
    if (
      ++silencesInARow >= MAX_SILENCES_IN_A_ROW &&
      (silences >= MAX_SILENCES || !(await isStillAnswering()))
    ) {
      const advice =
        last?.answered === 429 ? 'Try again later, or with a lower --rate' : 'Check SERVICE_BASE_URL'
      throw new ServiceUnusable(`the service is unavailable: ${last?.detail ?? ''}. ${advice}`, {
        cause: last,
      })
    }
    return { kind: 'no-answer', detail: last?.detail ?? '' }
  }

  async function tried(email: string): Promise<Asked | ServiceProblem> {
    await pace.turn()
    try {
      const left = await whatIsLeft(email)
      hasAnswered = true
      remember(email)
      refusalsInARow = 0
      silencesInARow = 0
      return { kind: 'left', left }
    } catch (error) {
      if (!(error instanceof ServiceProblem)) throw error
      const waitSeconds = error.asksToWait ?? (error.answered === 429 ? 1 : undefined)
      if (waitSeconds !== undefined) pace.slowDown(waitSeconds)
      if (error.asksToWait !== undefined) onPause?.(error.asksToWait)
      return error
    }
  }

  async function ask(email: string): Promise<Asked> {
    let failures = 0
    let last: ServiceProblem | undefined
    for (let waits = 0; failures < MAX_TRIES && waits < MAX_WAITS; waits++) {
      const result = await tried(email)
      if (!(result instanceof ServiceProblem)) {
        silences = 0
        return result
      }
      if (isOfAll(result)) return await ofEveryone(result, email)
      if (result.isOfFront || isRefusal(result.answered)) return await refusal(result)
      last = result
      // It would not accept it again.
      if (result.code === 'service_refused_request') break
      if (result.answered === 429) continue
      failures++
      await sleep(pauseMs * 2 ** failures * (0.5 + Math.random() / 2), undefined, { signal })
    }
    return await silence(last)
  }

  return { ask, answeredBefore: (email) => void (hasAnswered || remember(email)) }
}

const isBusy = (result: Asked | ServiceProblem): boolean =>
  result instanceof ServiceProblem && result.answered === 429

/** The token, our headers, the address: hardly about a person. */
function isOfAll({ code, answered, isOfEveryone, isOfFront }: ServiceProblem): boolean {
  const isMisconfigured = code === 'service_misconfigured' && !isRefusal(answered)
  return isOfEveryone === true || (isOfFront !== true && (answered === 401 || isMisconfigured))
}
