// Limits work that runs at once, of all people and of one. People with queued work are served in rotation.
import { Problem } from './problem.ts'

type Turn = { start: () => void }

/** Kept in memory. `waitMs` limits how long work may queue (default: no limit). */
export class Turns {
  /** For changes of records. Concurrent changes of one person's record only cause compare-and-set retries. */
  static forChanges = () => new Turns({ all: 16, ofPerson: 1 })

  readonly #max: { all: number; ofPerson: number; waitMs?: number }
  /** Queued and running work by person. The first person with queued work and few running is next. */
  readonly #people = new Map<string, { queued: Set<Turn>; running: number }>()
  #running = 0
  /** Queued and running work. */
  size = 0

  constructor(max: { all: number; ofPerson: number; waitMs?: number }) {
    this.#max = max
  }

  /** Queued and running work of a person. */
  countOf(person: string): number {
    const { queued, running = 0 } = this.#people.get(person) ?? {}
    return (queued?.size ?? 0) + running
  }

  /** @param signal ends the wait, with its reason @throws {Problem} if the wait is too long */
  async run<T>(person: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const own = this.#people.get(person) ?? { queued: new Set(), running: 0 }
    this.#people.set(person, own)
    this.size++
    try {
      signal?.throwIfAborted()
      if (this.#mayStart(own)) this.#begin(own)
      else await this.#enqueue(own, signal)
      try {
        return await work()
      } finally {
        this.#running--
        own.running--
        this.#startNext()
      }
    } finally {
      this.size--
      if (this.countOf(person) === 0) this.#people.delete(person)
    }
  }

  #mayStart({ running }: { running: number }): boolean {
    return this.#running < this.#max.all && running < this.#max.ofPerson
  }

  #begin(own: { running: number }): void {
    this.#running++
    own.running++
  }

  #enqueue(own: { queued: Set<Turn>; running: number }, signal: AbortSignal | undefined): Promise<void> {
    const { promise: started, resolve, reject } = Promise.withResolvers<void>()
    const { waitMs } = this.#max
    const leave = (reason: Error) => {
      clearTimeout(timer)
      if (own.queued.delete(turn)) reject(reason)
    }
    const timer = waitMs === undefined ? undefined : setTimeout(() => leave(noTurn(waitMs)), waitMs)
    const turn: Turn = {
      start: () => {
        clearTimeout(timer)
        this.#begin(own)
        resolve()
      },
    }
    own.queued.add(turn)
    signal?.addEventListener('abort', () => leave(signal.reason as Error))
    return started
  }

  #startNext(): void {
    for (const [person, own] of this.#people) {
      const [turn] = own.queued
      if (turn === undefined || !this.#mayStart(own)) continue
      own.queued.delete(turn)
      turn.start()
      // The person's next turn comes after one of everyone else's.
      this.#people.delete(person)
      this.#people.set(person, own)
      return
    }
  }
}

const noTurn = (waitMs: number) =>
  new Problem(503, 'service_unavailable', {
    detail: `other pages were waiting for the service: no turn within ${waitMs / 1000} s`,
    retryAfter: 5,
  })
