// How far each department is, or each place: whatever group the list gave people. Pure. What surprises: groups of fewer
// than five people are counted together, because their figures would tell who it is.
import { hadNothing, isReady, type Arrival } from '../arrivals/arrival.ts'

/** `name` undefined: the small ones together. */
export type Group = {
  name: string | undefined
  people: number
  signedIn: number
  finished: number
  nothing: number
  /** Connected everything, or had nothing to connect. */
  ready: number
}

const MOST_GROUPS = 500
const LEAST_PEOPLE = 5

const noGroup = (name: string | undefined): Group => ({
  name,
  people: 0,
  signedIn: 0,
  finished: 0,
  nothing: 0,
  ready: 0,
})

const partOf = ({ people, ready }: Group) => ready / people

export function createGroups() {
  const groups = new Map<string, Group>()
  return {
    count(arrival: Arrival): void {
      const { group: name, signedInAt, finishedAt } = arrival
      if (name === undefined || (!groups.has(name) && groups.size >= MOST_GROUPS)) return
      const group = groups.get(name) ?? noGroup(name)
      group.people++
      group.signedIn += Number(signedInAt !== undefined)
      group.finished += Number(finishedAt !== undefined)
      group.nothing += Number(hadNothing(arrival))
      group.ready += Number(isReady(arrival))
      groups.set(name, group)
    },
    /** The least finished first, the small ones at the end. */
    shown(): Group[] {
      const small = noGroup(undefined)
      const large = [...groups.values()].filter((group) => group.people >= LEAST_PEOPLE)
      for (const group of groups.values()) {
        if (group.people >= LEAST_PEOPLE) continue
        small.people += group.people
        small.signedIn += group.signedIn
        small.finished += group.finished
        small.nothing += group.nothing
        small.ready += group.ready
      }
      large.sort((one, other) => partOf(one) - partOf(other))
      return small.people === 0 ? large : [...large, small]
    },
  }
}
