// Warns once an hour of each app that the service lists without a usable path, which only an operator can fix. Bounded,
// because the service may list ever new names.
import { isUnstartable } from './app-status.ts'
import type { ListedApp } from './responses.ts'

const EVERY_MS = 3_600_000
const MAX_APPS = 1_000

/** @param count called for each response with such an app @param now milliseconds since 1970 */
export function createUnstartableAppWarning(
  log: { warn(fields: object, message: string): void },
  count: () => void,
  now: () => number,
): (apps: readonly ListedApp[]) => void {
  const loggedInstances = new Set<string>()
  let since = -Infinity
  return (apps) => {
    const unstartable = apps.filter(({ status }) => isUnstartable(status))
    if (unstartable.length === 0) return
    count()
    if (Math.abs(now() - since) >= EVERY_MS) {
      loggedInstances.clear()
      since = now()
    }
    for (const { instance, authUrlRelativePath } of unstartable) {
      if (loggedInstances.has(instance) || loggedInstances.size >= MAX_APPS) continue
      loggedInstances.add(instance)
      const fault = authUrlRelativePath === undefined ? 'missing' : 'leads elsewhere'
      const fields = { code: 'datasource_cannot_start', datasource: instance, authUrlRelativePath: fault }
      log.warn(fields, "people can't connect an app: the service lists no usable link for it")
    }
  }
}
