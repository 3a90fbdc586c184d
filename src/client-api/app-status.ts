// What the service says of an app that is not connected, and what each word means. Answers, walk, pages, report, campaigns
// and `onramp status` all derive from this table; how people read it is in languages/. Pure; imports nothing.

type AppStatusMeaning = {
  /** The service's words for it; none: we conclude it from the rest of the entry. */
  authStatus: readonly string[]
  /** Does the walk lead to it, or never, because the person can do nothing about it? */
  priority: 'first' | 'never'
  /** How `onramp status` shows it. */
  terminal: { text: string; colour: 'yellow' | 'red' | 'dim' }
}

export const APP_STATUSES = {
  /** Still to authorize, as everything on the list (contract 2.1), whatever its authStatus says. */
  awaiting: { authStatus: [], priority: 'first', terminal: { text: 'to connect', colour: 'yellow' } },
  /** Was authorized, has to be again. */
  stale: {
    authStatus: ['STALE_OAUTH'],
    priority: 'first',
    terminal: { text: 'to connect again', colour: 'yellow' },
  },
  /** The contract doesn't show this word: it is taken to mean that search has turned the app off. */
  disabled: {
    authStatus: ['DISABLED'],
    priority: 'never',
    terminal: { text: "search says it's turned off", colour: 'dim' },
  },
  /** It comes without an address that a consent could start from: the operator has to fix it. */
  attention: {
    authStatus: [],
    priority: 'never',
    terminal: { text: "can't be connected: no usable link", colour: 'red' },
  },
} as const satisfies Record<string, AppStatusMeaning>

export type AppStatus = keyof typeof APP_STATUSES

/** Those that the person can do nothing about. */
export type UnavailableStatus = {
  [S in AppStatus]: (typeof APP_STATUSES)[S]['priority'] extends 'never' ? S : never
}[AppStatus]

const APP_STATUS_NAMES = Object.keys(APP_STATUSES) as AppStatus[]

const off: ReadonlySet<string> = new Set(
  APP_STATUS_NAMES.filter((name) => APP_STATUSES[name].priority === 'never'),
)

export const isUnavailable = (status: string): status is UnavailableStatus => off.has(status)

const byAuthStatus = new Map<unknown, AppStatus>(
  APP_STATUS_NAMES.flatMap((name) => APP_STATUSES[name].authStatus.map((word) => [word, name] as const)),
)

/** @param authStatus the service's word, any value @param isStartable its path is one that a consent can start from */
export function appStatusOf(authStatus: unknown, isStartable: boolean): AppStatus {
  const status = byAuthStatus.get(authStatus) ?? 'awaiting'
  return isStartable || isUnavailable(status) ? status : 'attention'
}
