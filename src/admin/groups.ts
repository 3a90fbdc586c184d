// Departments, as the report counts them. Fewer than five people are never shown alone: their figures would show who it is.
import type { Fact } from './profile.ts'

const GROUP_FIGURES = [
  'people',
  'signedIn',
  'finished',
  'nothing',
  'ready',
  'inProgress',
  'notStarted',
  'stuck',
] as const

/** A department or a place. `name` undefined: the small ones together. */
export type Group = Record<(typeof GROUP_FIGURES)[number], number> & { name: string | undefined }

const MAX_GROUPS = 500
const MIN_PEOPLE = 5

const noGroup = (name: string | undefined): Group => ({
  name,
  ...(Object.fromEntries(GROUP_FIGURES.map((figure) => [figure, 0])) as Omit<Group, 'name'>),
})

export function createGroups() {
  const groups = new Map<string, Group>()
  return {
    count(name: string | undefined, facts: ReadonlySet<Fact>): void {
      if (name === undefined || (!groups.has(name) && groups.size >= MAX_GROUPS)) return
      const group = groups.get(name) ?? noGroup(name)
      group.people++
      for (const figure of GROUP_FIGURES) if (figure !== 'people' && facts.has(figure)) group[figure]++
      groups.set(name, group)
    },
    /** The least ready first, the small ones together at the end. */
    shown(): Group[] {
      const large = [...groups.values()].filter(({ people }) => people >= MIN_PEOPLE)
      const small = noGroup(undefined)
      for (const group of groups.values())
        if (group.people < MIN_PEOPLE) for (const figure of GROUP_FIGURES) small[figure] += group[figure]
      large.sort((one, other) => one.ready / one.people - other.ready / other.people)
      return small.people < MIN_PEOPLE ? large : [...large, small]
    },
  }
}
