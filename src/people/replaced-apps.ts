// One history for an app that replaces another (`replaces` in the company file). Pure.
import type { AppRecord } from './person.ts'

/** @returns also the record of the app that was replaced under the other one's name; `movedFrom` if it was connected */
export function withSuccessors(apps: AppRecord[], replacedBy: ReadonlyMap<string, string>): AppRecord[] {
  const all = new Map(apps.map((app) => [app.instance, app]))
  for (const former of apps) {
    const instance = replacedBy.get(former.instance)
    // If only a run saw it disappear, it was replaced while unconnected.
    if (instance === undefined || former.vanishedAt !== undefined) continue
    const movedFrom = former.status === 'connected' && { movedFrom: former.instance }
    const known = all.get(instance)
    if (known === undefined) all.set(instance, { ...former, instance, ...movedFrom })
    else if (known.newAt !== undefined) all.set(instance, { ...known, ...movedFrom })
  }
  return [...all.values()]
}
