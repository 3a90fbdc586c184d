// A service that answers each person as it is told to, for the tests of what is asked of it.
import { createAsk, type AskParts } from '../../src/campaigns/ask.ts'
import { ServiceProblem } from '../../src/client-api/errors.ts'

export type Fault = Partial<
  Pick<ServiceProblem, 'answered' | 'asksToWait' | 'isOfEveryone' | 'isOfFront' | 'code'>
>

const problem = ({ code = 'service_unavailable', ...rest }: Fault, detail: string) =>
  Object.assign(new ServiceProblem(502, code, { detail }), rest)

/** A service that answers each person with these faults, one after the other, and then with an empty list. */
export function service(faults: Record<string, (Fault | Error)[]>, parts: Partial<AskParts> = {}) {
  const done: string[] = []
  const { ask, answeredBefore } = createAsk({
    pace: {
      turn: () => Promise.resolve(),
      slowDown: (seconds) => void done.push(`wait ${seconds}`),
      rate: () => 1,
    },
    signal: new AbortController().signal,
    pauseMs: 0,
    isThere() {
      done.push('there?')
      return Promise.resolve(true)
    },
    whatIsLeft(email) {
      done.push(email)
      const fault = faults[email]?.shift()
      if (fault === undefined) return Promise.resolve([])
      return Promise.reject(fault instanceof Error ? fault : problem(fault, `about ${email}`))
    },
    ...parts,
  })
  const all = async (...people: string[]) => {
    const kinds: string[] = []
    for (const person of people) kinds.push((await ask(person)).kind)
    return kinds
  }
  return { ask, all, done, answeredBefore }
}

export const isAway = { isThere: () => Promise.resolve(false) }
export const crowd = (count: number, prefix = 'p') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)
export const faulty = (people: string[], fault: Fault, times = 50) =>
  Object.fromEntries(people.map((person) => [person, Array.from({ length: times }, () => fault)]))
export const repeated = (count: number, what: string) => Array.from({ length: count }, () => what)

export const ONE_OF_FRONT = { answered: 403, isOfFront: true }
