// What needs the person who runs the rollout: each with the people it is about. Pure.
import { stuckAt, type App } from './apps.ts'
import { queryOf } from './filters.ts'
import type { Report } from './report.ts'

export type Need = {
  kind: 'app' | 'otherApps' | 'notStarted' | 'failed' | 'deferred' | 'uncertain' | 'unconfirmed'
  /** People. */
  count: number
  app?: App
  /** Where they are listed, or where their emails are prepared. */
  href: string
}

/** Further apps are named together. */
const MAX_APPS = 3

const people = (query: Parameters<typeof queryOf>[0]) => `/admin/people?${queryOf(query)}`
const emails = (query: Parameters<typeof queryOf>[0]) => `/admin/people/emails?${queryOf(query)}`

/** The ones that hold most people up come first; what is about emails comes last. */
export function needsOf(report: Report): Need[] {
  const blocked = report.datasources
    .filter(({ counts }) => counts.blocked > 0)
    .toSorted((one, other) => other.counts.blocked - one.counts.blocked)
  const named = blocked.length === MAX_APPS + 1 ? blocked : blocked.slice(0, MAX_APPS)
  const needs: Need[] = named.map((app) => ({
    kind: 'app',
    count: app.counts.blocked,
    app,
    href: people({ filter: 'blocked', app: app.instance }),
  }))
  const others: Need[] = [
    { kind: 'otherApps', count: blocked.length - named.length, href: '/admin/apps?sort=stuck' },
    { kind: 'unconfirmed', count: report.unconfirmed, href: people({ filter: 'unconfirmed' }) },
    { kind: 'notStarted', count: report.due, href: emails({ filter: 'notStarted' }) },
    { kind: 'failed', count: report.failed, href: people({ filter: 'failed' }) },
    { kind: 'deferred', count: report.deferred, href: people({ filter: 'deferred' }) },
    { kind: 'uncertain', count: report.uncertain, href: people({ filter: 'uncertain' }) },
  ]
  return [...needs, ...others.filter(({ count }) => count > 0)]
}

/** The app that at least half of those who are stuck are stuck at, if there is one. */
export function mostlyAt({ datasources, stuck }: Report): App | undefined {
  const [first] = datasources.toSorted((one, other) => stuckAt(other) - stuckAt(one))
  return first !== undefined && stuckAt(first) > 0 && stuckAt(first) * 2 >= stuck ? first : undefined
}
