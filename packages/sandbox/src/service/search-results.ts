// A few documents for every datasource, so that a first search finds something.
// The contract does not show what is in a result; these four fields are the sandbox's own.
import type { Datasource } from '../people.ts'

const documents = [
  ['Onboarding checklist', 'Laptop, accounts, first week: what to do when you start at Acme.'],
  ['Quarterly roadmap', 'What we build this quarter, who does it, and what we decided not to do.'],
  ['Travel and expenses policy', 'What the company pays for, how to book, and how to hand in receipts.'],
  ['Incident review: search latency', 'What happened, why, and the five things that we changed after it.'],
  ['Holiday calendar', 'Public holidays and company days off for every office.'],
] as const

/** The documents of these datasources that contain any word of the query; all of them for an empty query. */
export function searchResults(datasources: Datasource[], query: string) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return datasources
    .flatMap(({ instance, displayName = instance }) =>
      documents.map(([title, snippet]) => {
        const slug = title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
        const url = `https://${encodeURIComponent(instance.split('_')[0] ?? '')}.acme.example/${slug}`
        return { title: `${title} (${displayName})`, url, snippet, datasource: instance }
      }),
    )
    .filter(({ title, snippet, datasource }) => {
      const text = `${title} ${snippet} ${datasource}`.toLowerCase()
      return words.length === 0 || words.some((word) => text.includes(word))
    })
}
