// Durations of hops, and errors, by the part of the morning.
import { percentilesOf } from '../load.ts'

/** A part of the run; a fault's name while it lasts. */
export type Phase = 'start' | 'average' | 'hour' | 'burst' | Fault
export type Fault = 'kill -9' | 'failover' | 'rolling restart'

/** Milliseconds. */
type HopTimes = {
  whole: number
  /** Time at the service and the authorization server. */
  elsewhere: number
}

type Percentiles = ReturnType<typeof percentilesOf>
export type Shares = { hops: number; own: Percentiles; whole: Percentiles }

export class Ledger {
  readonly #phase: () => Phase
  readonly #hops = new Map<Phase, HopTimes[]>()
  readonly #troubles = new Map<string, number>()

  constructor(phase: () => Phase) {
    this.#phase = phase
  }

  addHop(times: HopTimes): void {
    const list = this.#hops.get(this.#phase()) ?? []
    this.#hops.set(this.#phase(), list)
    list.push(times)
  }

  /** A response that is neither 2xx nor 3xx, or none. @param what with its cause */
  addTrouble(what: string): void {
    const key = `${this.#phase()}: ${what}`
    this.#troubles.set(key, (this.#troubles.get(key) ?? 0) + 1)
  }

  troubles = () => [...this.#troubles].sort(([, one], [, other]) => other - one)

  /** `own`: onramp's share of what the browser saw. */
  shares = (): [Phase, Shares][] =>
    [...this.#hops].map(([phase, list]) => {
      const percentiles = (value: (times: HopTimes) => number) =>
        percentilesOf(list.map((times) => Math.max(0, value(times))))
      const shares = {
        hops: list.length,
        own: percentiles(({ whole, elsewhere }) => whole - elsewhere),
        whole: percentiles(({ whole }) => whole),
      }
      return [phase, shares]
    })
}
