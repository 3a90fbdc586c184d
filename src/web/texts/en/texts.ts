// Every text of a page, in English; the other files of the folder are parts of it. Another language is another folder.
// What varies comes as an argument, so that word order is each language's own.
import { adminTexts } from './admin.ts'
import { inviteTexts } from './invites.ts'
import { overviewTexts } from './overview.ts'
import { problems } from './problems.ts'

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

export const en = {
  lang: 'en',
  dir: 'ltr',
  product: 'Onramp',
  tagline: 'Make your work searchable',
  problems,
  /** A day in UTC, because no one's time zone is known. @param milliseconds since 1970 */
  day: (milliseconds: number) => days.format(milliseconds),
  number: (count: number) => count.toLocaleString('en'),
  reference: (reference: string) => `Reference: ${reference}`,
  frame: {
    skipLink: 'Skip to the content',
    signedInAs: 'Signed in as',
    signedIn: 'You are signed in',
    somebodyElse: 'Not you?',
    signOut: 'Sign out',
    admin: 'Rollout progress',
    helpTitle: 'Need help?',
    help: 'If you are stuck, ask the people who look after search in your company.',
    helpLink: 'Get help',
    privacyTitle: 'What search may see',
    privacy:
      'Connecting an app lets search find what you can already open there yourself. No one else sees more than before.',
  },
  problem: {
    tryAgain: 'Try again',
    signIn: 'Sign in',
    home: 'Go to your apps',
  },
  signingOut: {
    title: 'Signing you out',
    lead: 'You are signed out here. In a moment we send you to the sign-in service, which signs you out there too.',
    ifNot:
      'If it shows an error, it keeps you signed in there, and other sites may sign you in without a question. Here you are signed out in any case.',
    action: 'Sign out there too',
  },
  signedOut: {
    title: 'You are signed out',
    titleHere: 'You are signed out here',
    lead: 'What you have connected stays connected. Come back whenever you like.',
    leadHere:
      'The sign-in service may still know you in this browser, and other sites may then sign you in without a question. On a device that others use too, sign out there as well, or close all windows of this browser.',
    action: 'Sign in again',
    leadAgain:
      'Perhaps you signed in again in another window after you signed out. If you want to leave, sign out here.',
  },
  sameAccount: {
    title: 'You are still signed in with the same account',
    lead: 'You asked for another account, and the sign-in service brought the same one back. It has not let you choose.',
    signedInAs: 'You are signed in as',
    how: 'To use another account, sign out at the sign-in service itself first, or open this site in a private window and sign in there.',
    goOn: 'Go on with this account',
    signOut: 'Sign out',
  },
  sessions: {
    title: 'Where you are signed in',
    lead: 'Every browser in which you signed in here. End those that you do not know or no longer use: before you are signed in there again, we ask the sign-in service to check who it is.',
    unknownDevice: 'A browser',
    since: 'Signed in on',
    when: (since: Date) => `${moments.format(since)} UTC`,
    here: 'This browser',
    end: 'Sign out there',
    back: 'Your apps',
  },
  ...overviewTexts,
  admin: adminTexts,
  invites: inviteTexts,
  search: {
    title: 'Search your apps',
    label: 'Search everything that is connected',
    action: 'Search',
    results: (count: number, query: string) =>
      count === 0
        ? `Nothing found for “${query}”`
        : count === 1
          ? `One result for “${query}”`
          : `${count} results for “${query}”`,
    nothing:
      'Try other words. After an app was connected, it may take a while until its things can be found.',
    untitled: 'Without a title',
    back: 'Back to your apps',
  },
}
