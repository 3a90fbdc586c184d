// The names of apps on pages and in emails for admins and owners, the same everywhere. Pure.
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import type { KeepState } from '../people/keep-state.ts'

type CompanyNames = Pick<Company, 'displayName'> & Partial<Pick<Company, 'isVisible' | 'datasourceOf'>>

/**
 * The company's names for admins and owners, unique among all visible apps. The number of a hidden app shows that
 * another instance of it was not hidden.
 * @param more apps that the last run may not have known
 */
export function uniqueNames(
  { apps = [], massDisconnects, delistedApps = [] }: KeepState,
  more: readonly { instance: string; name: string }[],
  { displayName, isVisible = () => true }: CompanyNames,
  lang: string,
) {
  const all = [...massDisconnects, ...delistedApps, ...apps, ...more]
  const namesAmong = (some: typeof all) => {
    const unique = withUniqueNames(some.map((app) => ({ ...app, name: displayName(app, lang) })))
    return new Map(unique.map(({ instance, name }) => [instance, name]))
  }
  const byInstance = new Map([...namesAmong(all), ...namesAmong(all.filter(isVisible))])
  return (app: { instance: string; name: string }): string =>
    byInstance.get(app.instance) ?? displayName(app, lang)
}
