// Defines the statuses of an unconnected app for responses, walk, pages, report, campaigns and `onramp status`. The
// texts for people are in languages/. Pure; imports nothing.

/** `authStatus`: the service's values for this status. `priority`: `never` if the person can't act on it. */
export const APP_STATUSES = {
  /** The default (contract 2.1). The state is `unconnected`; the bucket `pending` also has apps being confirmed. */
  awaiting: { authStatus: [], priority: 'first', terminal: { text: 'to connect', color: 'yellow' } },
  stale: {
    authStatus: ['STALE_OAUTH'],
    priority: 'first',
    terminal: { text: 'to connect again', color: 'yellow' },
  },
  /** The contract doesn't have this status. We assume that search has turned the app off. */
  disabled: {
    authStatus: ['DISABLED'],
    priority: 'never',
    terminal: { text: "search says it's turned off", color: 'dim' },
  },
  /**
   * Unstartable: the app has no usable path for a consent, which an operator has to fix. Its name in stored records.
   * Filters and report.json call it `noAddress`, the log and problems `datasource_cannot_start`.
   */
  attention: {
    authStatus: [],
    priority: 'never',
    terminal: { text: "can't be connected: no usable link", color: 'red' },
  },
} as const

export type AppStatus = keyof typeof APP_STATUSES

type UnavailableStatus = {
  [S in AppStatus]: (typeof APP_STATUSES)[S]['priority'] extends 'never' ? S : never
}[AppStatus]

const NAMES = Object.keys(APP_STATUSES) as AppStatus[]

const UNAVAILABLE: readonly string[] = NAMES.filter((name) => APP_STATUSES[name].priority === 'never')

export const isUnavailable = (status: string): status is UnavailableStatus => UNAVAILABLE.includes(status)

export const isUnstartable = (status: string): boolean => status === 'attention'

/** "connected" and "off" for pages, the report and emails. @param status of a walk's or a person's app */
export const availabilityOf = (status: AppStatus | 'connected'): 'connected' | 'off' | 'unconnected' =>
  status === 'connected' ? 'connected' : isUnavailable(status) ? 'off' : 'unconnected'

/** @param authStatus the service's value @param isStartable true if a consent can start from its path */
export function appStatusOf(authStatus: unknown, isStartable: boolean): AppStatus {
  const hasAuthStatus = (name: AppStatus) =>
    (APP_STATUSES[name].authStatus as readonly unknown[]).includes(authStatus)
  const status = NAMES.find(hasAuthStatus) ?? 'awaiting'
  return isStartable || isUnavailable(status) ? status : 'attention'
}
