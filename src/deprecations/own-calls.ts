// Looks at onramp's own calls of the service for what the service will remove, and tells the log and the metrics. The
// watch itself is the library's; it sees each call and its answer, and changes neither.
import { createWatch, publishedSchedule } from '@onramp/deprecations'
import type { Log } from '../web/log.ts'
import type { Metrics } from '../web/metrics/metrics.ts'

/** @param now milliseconds since 1970 */
export const watchOwnCalls = (log: Log, metrics: Pick<Metrics, 'countDeprecation'>, now: () => number) =>
  createWatch(publishedSchedule, {
    log: (notice) => log.warn({ deprecation: notice.item, by: notice.by }, notice.message),
    count: metrics.countDeprecation,
    now,
  })
