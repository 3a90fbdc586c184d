// Texts about apps that many people lost, or whose lists lost them, for /admin, emails and runs. Pure.
import { likelySuccessorOf, unansweredDelistings } from '../people/keep-state.ts'
import type { KeepState, MassDisconnect } from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import { peopleWithApp, type Report } from './report.ts'

type LostApp = Pick<MassDisconnect, 'instance' | 'name' | 'since' | 'movedTo' | 'likelySuccessor'>

/** @returns how many lists lost the app, and how many still have it */
export const delistedCounts = ({ delistedApps }: Report, app: string) =>
  delistedApps.find(({ instance }) => instance === app) ?? { count: 0, listed: 0 }

type KnownApps = Pick<KeepState, 'newApps' | 'massDisconnects' | 'delistedApps'>

/** Says that the app has moved, or suggests `entry` of the company file if it may have. */
function describeMove(former: LostApp, known: KnownApps & Pick<Report, 'datasources'>, t: Texts) {
  const instance = former.movedTo ?? former.likelySuccessor ?? likelySuccessorOf(former, known)
  if (instance === former.instance)
    return { texts: [t('admin.need.hasMoved', { app: former.name, instance })] }
  const successor = known.datasources.find((app) => app.instance === instance)
  if (instance === undefined || successor === undefined) return { texts: [] }
  const entry = `${instance}: { replaces: ${former.instance} }`
  // Emails about the new instance wait that long for an answer (campaigns/episodes.ts).
  const hasDeadline = unansweredDelistings(known).some((app) => app.instance === former.instance)
  const texts = [
    t('admin.need.movedTo', { count: peopleWithApp(successor), instance, entry }),
    ...(hasDeadline ? [t('admin.need.movedDeadline', { instance })] : []),
  ]
  return { texts, entry }
}

/**
 * Says of an app that many lost that many had lost it before it left their lists, and where it may have moved.
 * @returns `entry`: of the company file, if it may have moved
 */
export function describeLostApp(
  app: LostApp,
  state: KnownApps,
  { datasources }: Pick<Report, 'datasources'>,
  t: Texts,
) {
  const stateAndApps = { ...state, datasources }
  const loss = stateAndApps.massDisconnects.find((one) => one.instance === app.instance && one.isDelisted)
  const values = loss && { app: app.name, lapsed: loss.lapsed, had: loss.had, day: t.day(loss.noticedAt) }
  const { texts, entry } = describeMove(app, stateAndApps, t)
  return { texts: [...(values ? [t('admin.need.lostBefore', values)] : []), ...texts], entry }
}
