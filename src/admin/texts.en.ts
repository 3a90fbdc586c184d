// What administrators read, in English.

const inUtc = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`

export const adminTexts = {
  title: 'Rollout progress',
  made: (at: string, asOf: string | undefined) =>
    `Updated ${inUtc(at)} · ${asOf === undefined ? 'Not checked with search yet' : `Oldest data: ${inUtc(asOf)}`}`,
  people: (count: number) =>
    count === 1 ? '1 person is known' : `${count.toLocaleString('en')} people are known`,
  ready: (ready: string, people: string, share: string) =>
    `Ready to search: ${ready} of ${people} (${share})`,
  readyMeans:
    'People are ready when they connected everything or had nothing to connect. The share is of everyone known.',
  unread: (records: string) => `Not counted: ${records}. Reminders skip the people these may be about.`,
  funnel: {
    invited: 'Invited by email',
    reminded: 'Reminded',
    opened: 'Started from the invitation',
    signedIn: 'Signed in',
    ready: 'Ready to search',
    finished: 'Fully connected',
    nothing: 'Nothing to connect',
    skipped: 'Skipped at least one app',
    blocked: 'Waiting for an admin',
    optedOut: 'Opted out of reminders',
    deferred: 'Email delayed',
    failed: 'Email bounced',
    uncertain: 'Delivery unknown',
  },
  ofInvited: (part: string, invited: string, share: string) =>
    `of the ${invited} invited: ${part} (${share})`,
  funnelTitle: 'Summary',
  plotTitle: 'Progress over time',
  plot: { invited: 'Invited', signedIn: 'Signed in', finished: 'Fully connected' },
  plotTotal: (what: string, count: string) => `${what}: ${count}`,
  plotSpan: (from: string, to: string) => `From ${from} to ${to}.`,
  sourcesTitle: 'Apps',
  datasource: 'App',
  states: {
    waiting: 'Not connected',
    connected: 'Connected',
    skipped: 'Skipped',
    blocked: 'Waiting for admin',
    off: 'Turned off',
  },
  peopleTitle: 'People',
  email: 'Email',
  stage: 'Status',
  done: 'Connected',
  left: 'Still to connect',
  stages: {
    finished: 'Fully connected',
    nothing: 'Nothing to connect',
    signedIn: 'Signed in',
    opened: 'Started',
    invited: 'Invited',
    known: 'Not invited',
  },
  group: 'Department',
  groupsTitle: 'Departments',
  groupPeople: 'People',
  groupReady: 'Ready to search',
  groupShares:
    'Shares are of the people in the department. “Fully connected” is of those who had something to connect.',
  smallGroups: 'Departments with fewer than five people',
  search: 'Search by email or department',
  searchAction: 'Search',
  found: (count: number) => (count === 1 ? 'One person' : `${count.toLocaleString('en')} people`),
  firstPage: 'First page',
  nextPage: 'Next page',
  person: {
    deferred: 'email delayed',
    failed: 'email bounced',
    uncertain: 'delivery unknown',
    optedOut: 'opted out',
    done: (connected: number, total: number) => (total === 0 ? '' : `${connected} of ${total}`),
    more: (count: number) => `and ${count} more`,
    left: (name: string, state: string) =>
      state === 'blocked' ? `${name} (waiting for admin)` : `${name} (skipped)`,
  },
  asOf: 'Last checked (UTC)',
  filters: {
    all: 'Everyone',
    absent: 'Invited, not signed in',
    waiting: 'Apps left to connect',
    skipped: 'Skipped an app',
    blocked: 'Waiting for an admin',
    finished: 'Fully connected',
    nothing: 'Nothing to connect',
    undelivered: 'Email not delivered',
    uncertain: 'Delivery unknown',
    optedOut: 'Opted out',
  },
  none: 'No one matches these filters.',
  exportPeople: 'Export CSV',
  exportThese: 'Export filtered CSV',
}

export type AdminTexts = typeof adminTexts
