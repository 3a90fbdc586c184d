// The names of apps on pages and in emails for admins and owners, the same everywhere. Pure.
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import type { KeepState } from '../people/keep-state.ts'

/**
 * The company's names for admins and owners, unique among all apps, because the history also names hidden ones. A
 * replacement has the name of the app that it replaces.
 * @param more apps that the last run may not have known
 */
export function uniqueNames(
  { apps = [], massDisconnects, delistedApps = [] }: KeepState,
  more: readonly { instance: string; name: string }[],
  { displayName, activeReplacements }: Pick<Company, 'displayName' | 'activeReplacements'>,
  lang: string,
) {
  const allApps = [...massDisconnects, ...delistedApps, ...apps, ...more]
  const current = allApps.filter(({ instance }) => !activeReplacements.has(instance))
  const unique = withUniqueNames(current.map((app) => ({ ...app, name: displayName(app, lang) })))
  const byInstance = new Map(unique.map(({ instance, name }) => [instance, name]))
  return (app: { instance: string; name: string }): string =>
    byInstance.get(app.instance) ?? displayName(app, lang)
}
