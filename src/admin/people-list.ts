// Part of everyone: whom a filter and a search leave, a page at a time. However many people there are, it goes through
// them once, in the order of their addresses, and holds no more than a page of them.
import { CRITERIA, fellBackAt, type PersonSummary } from './person-summary.ts'
import { FILTER_NAMES, matchingFilters, type Filter, type PeopleQuery } from './filters.ts'

export const PEOPLE_A_PAGE = 25

/**
 * A page of people, with how many each filter would leave of what is searched for.
 * @param all in the order of their addresses
 */
export async function listPeople(all: AsyncIterable<PersonSummary>, wanted: PeopleQuery) {
  const people: PersonSummary[] = []
  let hasMore = false
  const counts = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, 0])) as Record<Filter, number>
  for await (const summary of all) {
    const fits = matchingFilters(summary, wanted)
    if (fits === undefined) continue
    for (const filter of FILTER_NAMES) if (fits(filter)) counts[filter]++
    if (summary.person.email <= wanted.after || !fits(wanted.filter)) continue
    if (people.length < PEOPLE_A_PAGE) people.push(summary)
    else hasMore = true
  }
  return { people, hasMore, total: counts[wanted.filter], counts }
}

/** How far a person is, and since when. */
export function latestStage(summary: PersonSummary) {
  const { signedInAt, openedAt, leftAt, unknownAt } = summary.person
  const stages = [
    { stage: 'gone', at: leftAt ?? unknownAt },
    { stage: 'fellBack', at: fellBackAt(summary) },
    { stage: 'finished', at: CRITERIA.finished(summary) ? summary.finishedAt : undefined },
    { stage: 'nothing', at: CRITERIA.nothing(summary) ? summary.checkedAt : undefined },
    { stage: 'signedIn', at: signedInAt },
    { stage: 'opened', at: openedAt },
    { stage: 'invited', at: summary.invitedAt },
  ] as const
  return stages.find(({ at }) => at !== undefined) ?? ({ stage: 'known', at: undefined } as const)
}
