// Watches onramp's calls of the service for deprecated operations and fields, which are logged and counted.
import { createWatch, publishedSchedule } from '@onramp/deprecations'
import type { Log } from '../web/log.ts'
import type { Metrics } from '../web/metrics.ts'

export const watchOwnCalls = (log: Log, metrics: Pick<Metrics, 'countDeprecation'>, now: () => number) =>
  createWatch(publishedSchedule, {
    log: (notice) => log.warn({ deprecation: notice.item, by: notice.by }, notice.message),
    count: metrics.countDeprecation,
    now,
  })
