// The names of apps on pages and in emails for admins and owners, the same everywhere. Pure.
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { withReplacements } from '../people/keep-state.ts'
import type { KeepState } from '../people/keep-state.ts'
import type { Report } from './report.ts'

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

/**
 * Replaces names by {@link uniqueNames}. Drops hidden apps, and questions about replaced ones. A new app that replaces
 * another one has moved, also before a run knows it.
 */
export function withCompanyNames(
  report: Report,
  keepState: KeepState,
  company: Pick<Company, 'displayName' | 'activeReplacements' | 'isVisible' | 'datasourceOf'>,
  lang: string,
) {
  const successors = new Set(company.activeReplacements.values())
  const isShown = ({ instance }: { instance: string }) => company.datasourceOf(instance)?.isHidden !== true
  const massDisconnects = withReplacements(keepState.massDisconnects, company.activeReplacements).filter(
    isShown,
  )
  const delistedApps = (keepState.delistedApps ?? []).filter(
    (app) => app.markedRemovedAt !== undefined || company.isVisible(app),
  )
  const displayName = uniqueNames(keepState, report.datasources, company, lang)
  const withDisplayNames = <T extends { instance: string; name: string }>(apps: readonly T[]): T[] =>
    apps.map((app) => ({ ...app, name: displayName(app) }))
  const appEvents = (keepState.appEvents ?? []).filter((event) => event.what === 'hidden' || isShown(event))
  const state = {
    ...keepState,
    massDisconnects: withDisplayNames(massDisconnects),
    newApps: (keepState.newApps ?? []).map((app) =>
      successors.has(app.instance) ? { ...app, isMoved: true } : app,
    ),
    delistedApps: withDisplayNames(delistedApps),
    appEvents: withDisplayNames(appEvents),
  }
  return { report: { ...report, datasources: withDisplayNames(report.datasources) }, keepState: state }
}
