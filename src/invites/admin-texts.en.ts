// What administrators read, in English.

export const adminTexts = {
  title: 'How far everybody is',
  made: (at: string, asOf: string | undefined) =>
    `Made ${at.slice(0, 16).replace('T', ' ')} UTC` +
    (asOf === undefined
      ? '; the service was not asked about anybody yet.'
      : `; the oldest answer of the service in it is of ${asOf.slice(0, 16).replace('T', ' ')} UTC.`),
  people: (count: number) => `${count.toLocaleString('en')} people`,
  funnel: {
    invited: 'Invited by mail',
    opened: 'Pressed Start in the invitation',
    signedIn: 'Signed in',
    finished: 'Have nothing left to connect',
    skipped: 'Put something off (“not now”)',
    blocked: 'Wait for an administrator',
    optedOut: 'Want no reminders',
    uncertain: 'May or may not have got a mail',
  },
  funnelTitle: 'People',
  plotTitle: 'Over time',
  plot: { invited: 'Invited', signedIn: 'Signed in', finished: 'Nothing left to connect' },
  sourcesTitle: 'Datasources',
  datasource: 'Datasource',
  states: {
    connected: 'Connected',
    waiting: 'Waiting',
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
    finished: 'Nothing left',
    signedIn: 'Signed in',
    opened: 'Pressed Start',
    invited: 'Invited',
    known: 'Not invited',
  },
  groupsTitle: 'Groups',
  groupPeople: 'People',
  smallGroups: 'Groups of fewer than five',
  search: 'Part of an address, or a group',
  searchAction: 'Find',
  found: (count: number) => (count === 1 ? 'One person' : `${count.toLocaleString('en')} people`),
  firstPage: 'Back to the first',
  nextPage: 'More',
  person: {
    uncertain: 'may not have got the mail',
    optedOut: 'wants no reminders',
    done: (connected: number, total: number) => (total === 0 ? 'nothing to do' : `${connected} of ${total}`),
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
    finished: 'Nothing left',
    uncertain: 'May not have got the mail',
    optedOut: 'Wants no reminders',
  },
  none: 'Nobody.',
  exportPeople: 'Export everybody as CSV',
}

export type AdminTexts = typeof adminTexts
