// What administrators read, in English.

export const adminTexts = {
  title: 'How far everybody is',
  made: (at: string, asOf: string | undefined) =>
    `Made ${at.slice(0, 16).replace('T', ' ')} UTC` +
    (asOf === undefined
      ? '; the service was not asked about anybody yet.'
      : `; the oldest answer of the service in it is of ${asOf.slice(0, 16).replace('T', ' ')} UTC.`),
  people: (count: number) =>
    count === 1 ? '1 person is known' : `${count.toLocaleString('en')} people are known`,
  ready: (ready: string, people: string, share: string) =>
    `Ready to search: ${ready} of ${people} (${share})`,
  readyMeans: 'Ready is who connected everything, or had nothing to connect; counted over everyone known.',
  unread: (records: string) => `Not counted: ${records}. Reminders leave out the people these may be about.`,
  funnel: {
    invited: 'Invited by mail',
    reminded: 'Reminded',
    opened: 'Pressed Start in the invitation',
    signedIn: 'Signed in',
    ready: 'Ready to search',
    finished: 'Connected everything',
    nothing: 'Had nothing to connect',
    skipped: 'Put something off (“not now”)',
    blocked: 'Wait for an administrator',
    optedOut: 'Want no reminders',
    deferred: 'Mail put off by the mail server for now',
    failed: 'Mail refused by the mail server',
    uncertain: 'May or may not have got a mail',
  },
  ofInvited: (part: string, invited: string, share: string) =>
    `of the ${invited} invited: ${part} (${share})`,
  funnelTitle: 'People',
  plotTitle: 'Over time',
  plot: { invited: 'Invited', signedIn: 'Signed in', finished: 'Connected everything' },
  plotTotal: (what: string, count: string) => `${what}: ${count}`,
  plotSpan: (from: string, to: string) => `From ${from} to ${to}.`,
  sourcesTitle: 'Datasources',
  datasource: 'Datasource',
  states: {
    waiting: 'Waiting',
    connected: 'Connected',
    skipped: 'Not now',
    blocked: 'Waits for an administrator',
    off: 'Switched off',
  },
  peopleTitle: 'One by one',
  email: 'Address',
  group: 'Group',
  stage: 'How far',
  done: 'Connected',
  left: 'Left',
  stages: {
    finished: 'Connected everything',
    nothing: 'Had nothing to connect',
    signedIn: 'Signed in',
    opened: 'Pressed Start',
    invited: 'Invited',
    known: 'Not invited',
  },
  groupsTitle: 'Groups',
  groupPeople: 'People',
  groupReady: 'Ready to search',
  /** Behind a count, of those in the group who had something to connect. */
  groupShares:
    'Shares are of the people in the group; “Connected everything” is of those who had something to connect.',
  smallGroups: 'Groups of fewer than five',
  search: 'Part of an address, or a group',
  searchAction: 'Find',
  found: (count: number) => (count === 1 ? 'One person' : `${count.toLocaleString('en')} people`),
  firstPage: 'Back to the first',
  nextPage: 'More',
  person: {
    deferred: 'mail put off for now',
    failed: 'mail refused',
    uncertain: 'may not have got the mail',
    optedOut: 'wants no reminders',
    done: (connected: number, total: number) => (total === 0 ? '' : `${connected} of ${total}`),
    more: (count: number) => `and ${count} more`,
    left: (name: string, state: string) =>
      state === 'blocked' ? `${name} (waits for an administrator)` : `${name} (not now)`,
  },
  asOf: 'As of (UTC)',
  filters: {
    all: 'Everybody',
    absent: 'Invited, not signed in',
    waiting: 'Something waits',
    skipped: 'Put something off',
    blocked: 'Waits for an administrator',
    finished: 'Connected everything',
    nothing: 'Had nothing to connect',
    undelivered: 'Mail put off or refused',
    uncertain: 'May not have got the mail',
    optedOut: 'Wants no reminders',
  },
  none: 'Nobody.',
  exportPeople: 'Export everybody as CSV',
  exportThese: 'Export these as CSV',
}

export type AdminTexts = typeof adminTexts
