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
  done: 'Connected',
  left: 'Left',
  person: {
    done: (connected: number, total: number) => (total === 0 ? 'nothing to do' : `${connected} of ${total}`),
    left: (name: string, state: string) =>
      state === 'blocked' ? `${name} (waits for an administrator)` : `${name} (not now)`,
  },
  asOf: 'As of (UTC)',
  most: (count: number) => `The first ${count} are shown; everybody is in the export.`,
  filters: {
    all: 'Everybody',
    blocked: 'Waits for an administrator',
    waiting: 'Something waits',
    skipped: 'Put something off',
    finished: 'Done',
  },
  none: 'Nobody.',
  exportPeople: 'Export everybody as CSV',
}

export type AdminTexts = typeof adminTexts
