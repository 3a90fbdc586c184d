// What happened while the company came: how long each hop took, and everything that went wrong, with what was going on.
import { percentilesOf } from '../load.ts'

/** In which part of the run something happened; a fault's name while it lasts. */
export type Part = 'start' | 'average' | 'hour' | 'burst' | Fault
export type Fault = 'kill -9' | 'failover' | 'rolling restart'

export type Hop = {
  /** Milliseconds: of the whole hop, as the browser saw it. */
  whole: number
  /** From the request's head to the answer's, within onramp. */
  inside: number
  /** What the service and the authorization server took of it. */
  elsewhere: number
}

type Percentiles = ReturnType<typeof percentilesOf>
export type Shares = { hops: number; seen: Percentiles; inside: Percentiles; whole: Percentiles }

export type Ledger = ReturnType<typeof createLedger>

/** @param part which part of the run it is now */
export function createLedger(part: () => Part) {
  const hops = new Map<Part, Hop[]>()
  const troubles = new Map<string, number>()
  return {
    hop(hop: Hop): void {
      const list = hops.get(part()) ?? []
      hops.set(part(), list)
      list.push(hop)
    },
    /** An answer that is neither 2xx nor 3xx, or none. @param what with its cause */
    trouble(what: string): void {
      const key = `${part()}: ${what}`
      troubles.set(key, (troubles.get(key) ?? 0) + 1)
    },
    troubles: () => [...troubles].sort(([, one], [, other]) => other - one),
    /** Onramp's own share: of the hop as it was seen, and of what passed within the process. */
    shares: (): [Part, Shares][] =>
      [...hops].map(([name, list]) => [
        name,
        {
          hops: list.length,
          seen: percentilesOf(list.map(({ whole, elsewhere }) => Math.max(0, whole - elsewhere))),
          inside: percentilesOf(list.map(({ inside, elsewhere }) => Math.max(0, inside - elsewhere))),
          whole: percentilesOf(list.map(({ whole }) => whole)),
        },
      ]),
  }
}
