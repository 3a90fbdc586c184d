// Every text that people read, in English. Another language is another file of this type; what varies comes as an
// argument, so that word order is each language's own.
import type { ProblemCode } from '../problem.ts'

type Cause = { datasource?: string | undefined; retryAfter?: number | undefined }
type ProblemText = { title: string; advice: (cause: Cause) => string }

const inSeconds = (seconds: number | undefined) =>
  seconds === undefined || seconds < 2
    ? 'in a moment'
    : seconds < 90
      ? `in ${seconds} seconds`
      : `in ${Math.ceil(seconds / 60)} minutes`

const problems: Record<ProblemCode, ProblemText> = {
  bad_request: {
    title: 'This request could not be read',
    advice: () =>
      'Something in the address or the form is not as it should be. Go back to your apps and start from there.',
  },
  cookies_blocked: {
    title: 'Your browser did not bring back our cookie',
    advice: () =>
      'Signing in needs one small cookie, and it was missing when you came back. Perhaps you came back in another browser, or cookies are blocked. Allow cookies for this site, or open it in your usual browser, then sign in again.',
  },
  cross_site: {
    title: 'This was not started from our pages',
    advice: () =>
      'Another site asked for this in your name, so nothing was done. If it was you, do it from your apps page.',
  },
  datasource_cannot_start: {
    title: 'This connection cannot be started safely',
    advice: ({ datasource }) =>
      `The search service gave no address for ${datasource ?? 'this app'} that we may send you to, so we stopped here. Your other apps are not affected: go on with them, and tell your administrator the reference below.`,
  },
  datasource_unknown: {
    title: 'There is nothing to connect under this name',
    advice: () =>
      'The app is not on your list. It may have been connected already, or the link is an old one. Your list shows what still waits.',
  },
  internal: {
    title: 'Something went wrong on our side',
    advice: () =>
      'Nothing you did caused it, and what you have connected stays connected. Try again; if it happens again, tell your administrator the reference below.',
  },
  not_found: {
    title: 'This page does not exist',
    advice: () => 'The address may be mistyped or out of date. Your apps page is the place to go on from.',
  },
  service_busy: {
    title: 'Many people are connecting right now',
    advice: ({ retryAfter }) =>
      `The search service asks us to wait. Try again ${inSeconds(retryAfter)}; nothing you did is lost.`,
  },
  service_forbidden: {
    title: 'You do not have access yet',
    advice: () =>
      'The search service knows you, but does not let you connect apps yet. Ask your administrator to give you access, and tell them the reference below.',
  },
  service_misconfigured: {
    title: 'Connecting is not set up correctly',
    advice: () =>
      'The search service does not accept how we call it. You cannot mend this: tell your administrator the reference below. What you have connected stays connected.',
  },
  service_refused_sign_in: {
    title: 'The search service does not accept your sign-in',
    advice: () =>
      'You are signed in here, but the search service did not accept it. Sign out and in again; if that does not help, tell your administrator the reference below.',
  },
  service_unavailable: {
    title: 'We could not check your apps right now',
    advice: ({ retryAfter }) =>
      `The search service did not give a usable answer. What you have connected stays connected. Try again ${inSeconds(retryAfter)}.`,
  },
  sign_in_denied: {
    title: 'You were not signed in',
    advice: () =>
      'The sign-in was cancelled or refused. If you cancelled it, just sign in again; if not, ask your administrator whether your account may use this.',
  },
  sign_in_expired: {
    title: 'This sign-in is over',
    advice: () =>
      'It was finished already, took too long, or was started in another browser. Nothing is lost: sign in again to go on.',
  },
  sign_in_failed: {
    title: 'We could not verify your sign-in',
    advice: () =>
      'The answer of the sign-in service did not pass our checks, so we did not let it count. Sign in again; if it happens again, tell your administrator the reference below.',
  },
  sign_in_misconfigured: {
    title: 'Signing in is not set up correctly',
    advice: () =>
      'The sign-in service does not accept how we ask. You cannot mend this: tell your administrator the reference below.',
  },
  sign_in_unavailable: {
    title: 'Signing in is not possible right now',
    advice: ({ retryAfter }) =>
      `The sign-in service cannot be reached, or took too long. Try again ${inSeconds(retryAfter)}.`,
  },
  signed_out: {
    title: 'You are not signed in',
    advice: () => 'Sign in to go on.',
  },
  store_unavailable: {
    title: 'We will be right back',
    advice: ({ retryAfter }) =>
      `We cannot reach the place where your progress is kept. You stay signed in and nothing is lost. Try again ${inSeconds(retryAfter)}.`,
  },
  too_large: {
    title: 'This request is too large',
    advice: () => 'Go back to your apps and start from there.',
  },
  too_many: {
    title: 'That was a little fast',
    advice: ({ retryAfter }) =>
      `There were very many sign-ins from where you are within a minute. Try again ${inSeconds(retryAfter)}; nothing is lost.`,
  },
}

export const texts = {
  lang: 'en',
  dir: 'ltr',
  product: 'Onramp',
  tagline: 'Connect your apps to search',
  problems,
  reference: (reference: string) => `Reference: ${reference}`,
  frame: {
    skipLink: 'Skip to the content',
    signedInAs: 'Signed in as',
    somebodyElse: 'Not you?',
    signOut: 'Sign out',
    helpTitle: 'Need help?',
    help: 'If you are stuck, ask the people who look after search in your company.',
    helpLink: 'Get help',
    privacy:
      'Connecting an app lets search find what you can already open there yourself. Nobody else sees more than before.',
  },
  problem: {
    tryAgain: 'Try again',
    signIn: 'Sign in',
    home: 'Go to your apps',
  },
  signingOut: {
    title: 'Signing you out',
    lead: 'You are signed out here. One more step signs you out of the sign-in service too.',
    action: 'Sign out there too',
  },
  signedOut: {
    title: 'You are signed out',
    lead: 'What you have connected stays connected. Come back whenever you like.',
    action: 'Sign in again',
  },
  sessions: {
    title: 'Where you are signed in',
    lead: 'Every browser in which you signed in here. End those that you do not know or no longer use.',
    unknownDevice: 'A browser',
    since: 'Signed in on',
    when: (since: Date) =>
      `${new Intl.DateTimeFormat('en', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(since)} UTC`,
    here: 'This browser',
    end: 'Sign out there',
    back: 'Your apps',
  },
  overview: {
    title: 'Connect your apps',
    lead: (count: number) =>
      count === 1
        ? 'One app waits for your permission before search can find what you have in it.'
        : `${count} apps wait for your permission before search can find what you have in them.`,
    leadNarrowed: 'You were sent here for the apps below.',
    showAll: 'Show all your apps',
    nothingKnown: 'There is nothing for you to connect. Everything that needs your permission has it.',
    nothingUnderName: 'Nothing waits for you under the name in this link.',
    progress: (connected: number, total: number) => `${connected} of ${total} connected`,
    listTitle: 'Your apps',
    connect: (name: string) => `Connect ${name}`,
    reconnect: (name: string) => `Reconnect ${name}`,
    tryAgain: (name: string) => `Try ${name} again`,
    connectAnyway: (name: string) => `Connect ${name} after all`,
    tryToConnect: (name: string) => `Try to connect ${name}`,
    startOver: (name: string) => `Start ${name} again`,
    notNow: 'Not now',
    notNowFor: (name: string) => `Not now: ${name}`,
    block: 'I need my administrator for this',
    unblock: 'I do not need my administrator any more',
    goOn: 'Search now',
    backTo: (host: string) => `Back to ${host}`,
  },
  next: {
    title: (name: string) => `Next: ${name}`,
    titleStale: (name: string) => `${name} needs to be connected again`,
    explain: (name: string) =>
      `You will go to a page of ${name}, agree that search may read what you can already open there, and come straight back here.`,
    explainStale: (name: string) =>
      `The permission you gave ${name} has run out. Give it once more and search finds your things there again.`,
    duration: 'It takes about a minute.',
    several:
      'When you come back, we go straight on to the next one. You can stop at any time: what is done stays done.',
    account: (person: string) =>
      `If you are asked which account to use, take your work account. You are signed in here as ${person}.`,
  },
  wait: {
    title: (name: string) => `Waiting for ${name} to confirm`,
    explain: (name: string) =>
      `You are back from ${name}, and search does not see the permission yet. That can take a minute. This page looks again by itself.`,
    denied: (name: string) => `If you said no to ${name}, or closed its page, try again or choose “Not now”.`,
    lookAgain: 'Look again now',
  },
  attend: {
    title: (name: string) => `${name} is not connected yet`,
    explain: (name: string) =>
      `We looked several times, and the search service does not show a permission for ${name}. Common reasons:`,
    causes: [
      'The page was closed, or the answer was no.',
      'Another account was used than the one you work with.',
      'Your administrator has to approve it first.',
    ],
  },
  finished: {
    title: 'Everything is connected',
    lead: 'Search now finds what you have in all of your apps. It may take a few hours until older things show up.',
    titleSome: 'You are done for now',
    leadSome: (left: number) =>
      left === 1
        ? 'One app is left. You can connect it whenever you like; this page stays.'
        : `${left} apps are left. You can connect them whenever you like; this page stays.`,
    search: 'Try your first search',
  },
  banner: {
    connected: (name: string) => `${name} is connected`,
    connectedNext: (name: string) => `Thank you. Next comes ${name}.`,
    connectedLast: 'Thank you, that was the last one.',
    skipped: (name: string) => `${name}: not now`,
    skippedText: 'It stays on your list, and you can connect it whenever you like.',
    unconfirmed: (name: string) => `${name} is not connected yet`,
    blocked: (name: string) => `${name} waits for your administrator`,
    blockedText: 'We do not ask you about it any more, and your administrators see that it is waiting.',
  },
  status: {
    todo: 'To do',
    connected: 'Connected',
    waiting: 'Waiting to be confirmed',
    elsewhere: 'Started a moment ago',
    unconfirmed: 'Not connected yet',
    skipped: 'Not now',
    stale: 'Needs a new permission',
    attention: 'Needs attention',
    disabled: 'Switched off',
    blocked: 'Waits for your administrator',
  },
  note: {
    elsewhere: 'You left for it a moment ago, perhaps in another tab. Finish there, or start again here.',
    attention:
      'The search service reports something about it that we do not know. You can try; if it does not work, ask your administrator.',
    blocked: 'You said that only your administrator can do this. You can try again at any time.',
    disabled: 'Your administrator has switched it off. There is nothing for you to do.',
  },
  search: {
    title: 'Search',
    label: 'Search all your connected apps',
    action: 'Search',
    results: (count: number, query: string) =>
      count === 0
        ? `Nothing found for “${query}”`
        : count === 1
          ? `One result for “${query}”`
          : `${count} results for “${query}”`,
    nothing:
      'Try other words. An app that was connected just now may take a while until its things can be found.',
    untitled: 'Without a title',
    back: 'Your apps',
  },
}

export type Texts = typeof texts
