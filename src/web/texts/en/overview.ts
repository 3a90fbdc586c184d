// The English texts of the overview: the list, what comes first, and what came of it. Part of texts.ts.

/** `one` for one, otherwise `many` with the figure in it. */
const counted = (count: number, one: string, many: (count: number) => string) =>
  count === 0 ? [] : [count === 1 ? one : many(count)]

/** Words for apps that the person can do nothing about, by status: a status of client-api/app-status.ts needs its own. */
const off = {
  disabled: {
    banner: (name: string) => `${name} is switched off`,
    counted: (count: number) =>
      counted(
        count,
        'One app is switched off by your administrator.',
        (many) => `${many} apps are switched off by your administrator.`,
      ),
    /** All that there is. */
    lead: (count: number) =>
      count === 1
        ? 'The app below is switched off by your administrator, so search cannot find what you have in it.'
        : `All ${count} apps below are switched off by your administrator, so search cannot find what you have in them.`,
  },
}

type Left = { skipped: number; blocked: number; offBy: Partial<Record<keyof typeof off, number>> }
const OFF = Object.keys(off) as (keyof typeof off)[]

/** Why apps are not connected, a sentence for each reason. */
const reasons = ({ skipped, blocked, offBy }: Left) =>
  [
    ...counted(
      skipped,
      'You chose “Not now” for one app. You can connect it whenever you like; this page stays.',
      (count) =>
        `You chose “Not now” for ${count} apps. You can connect them whenever you like; this page stays.`,
    ),
    ...counted(
      blocked,
      'One app waits for your administrator.',
      (count) => `${count} apps wait for your administrator.`,
    ),
    ...OFF.flatMap((status) => off[status].counted(offBy[status] ?? 0)),
  ].join(' ')

const tryAgain = (name: string) => `Try ${name} again`

export const overviewTexts = {
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
    notNow: 'Not now',
    notNowFor: (name: string) => `Not now: ${name}`,
    undo: 'Undo',
    undoFor: (name: string) => `Undo “Not now” for ${name}`,
    block: 'I need my administrator for this',
    unblock: 'I do not need my administrator any more',
    backTo: (host: string) => `Back to ${host}`,
    goOnWith: (name: string) => `Go on with ${name}`,
    goOn: 'Go on to where you were going',
  },
  /** What the link of an app says. What has no words here has no link. */
  start: {
    todo: (name: string) => `Connect ${name}`,
    stale: (name: string) => `Reconnect ${name}`,
    attention: (name: string) => `Try to connect ${name}`,
    waiting: tryAgain,
    unconfirmed: tryAgain,
    blocked: tryAgain,
    elsewhere: (name: string) => `Start ${name} again`,
    skipped: (name: string) => `Connect ${name} after all`,
  },
  off,
  next: {
    title: (name: string) => `Next: ${name}`,
    titleStale: (name: string) => `${name} needs to be connected again`,
    explain: (name: string) =>
      `You will go to a page of ${name}, agree that search may read what you can already open there, and come straight back here.`,
    explainStale: (name: string) =>
      `The permission you gave ${name} has run out. Give it once more and search finds your things there again.`,
    duration: 'It takes about a minute.',
    several: 'Then we go straight on to the next one. Stop whenever you like: what is done stays done.',
    stepByStep: 'Then you see the next one here. Stop whenever you like: what is done stays done.',
    account: (person: string) => `If you are asked which account to use, take your work account (${person}).`,
  },
  wait: {
    title: (name: string) => `Waiting for ${name} to confirm`,
    explain: (name: string) =>
      `You are back from ${name}, and search does not see the permission yet. That can take a minute.`,
    denied: (name: string) =>
      `You need not wait here. If you said no to ${name}, or closed its page, try again or choose “Not now”.`,
    lookAgain: 'Look again now',
    byItself: 'This page looks again by itself.',
    stop: 'Stop looking by itself',
    stopped: 'This page does not look again by itself now. “Look again now” starts it again.',
  },
  attend: {
    title: (name: string) => `${name} is not connected yet`,
    explain: (name: string) =>
      `The search service still shows no permission for ${name}, so it cannot find your things there yet. Common reasons:`,
    causes: [
      'The page was closed, or the answer was no.',
      'Another account was used than the one you work with.',
      'Your administrator has to approve it first.',
    ],
  },
  finished: {
    title: 'Everything is connected',
    lead: 'Search now finds what you have in all of your apps. It may take a few hours until older things show up.',
    titleNothing: 'Nothing waits for you',
    titleButOff: 'Everything you can connect is connected',
    leadButOff: (offBy: Left['offBy']) =>
      `Search now finds what you have in your connected apps. ${reasons({ skipped: 0, blocked: 0, offBy })}`,
    titleThese: 'These apps are connected',
    leadThese: (others: number) =>
      others === 1
        ? 'Search now finds what you have in them. One other app of yours is not connected.'
        : `Search now finds what you have in them. ${others} other apps of yours are not connected.`,
    titleSome: 'You are done for now',
    titleSomeOfThese: 'Some of these apps are connected',
    leadSome: (left: Left) => `Search finds what you have in the connected apps. ${reasons(left)}`,
    titleNone: 'Nothing is connected yet',
    titleNoneOfThese: 'These apps are not connected yet',
    leadNone: (left: Left) => `Search cannot find what you have in these apps. ${reasons(left)}`,
    titleOff: 'There is nothing you can connect',
    titleTheseOff: 'These apps are switched off',
    leadOff: (left: Left) => {
      const [status, ...others] = OFF.filter((one) => left.offBy[one])
      return status !== undefined && others.length === 0
        ? off[status].lead(left.offBy[status] ?? 0)
        : `Search cannot find what you have in these apps. ${reasons(left)}`
    },
    lookAgain: 'Look again',
    search: 'Try your first search',
  },
  banner: {
    connected: (name: string) => `${name} is connected`,
    connectedNext: (name: string) => `Thank you. Next comes ${name}.`,
    connectedLast: 'Thank you, that was the last one.',
    skipped: (name: string) => `${name}: not now`,
    skippedText: 'It stays on your list, and you can connect it whenever you like.',
    unconfirmed: (name: string) => `${name} is not connected yet`,
    unconfirmedText: 'You can try it again from your list.',
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
      'The search service gives no address for it at the moment. You can try; if it does not work, ask your administrator.',
    blocked: 'You said that only your administrator can do this. You can try again at any time.',
    disabled: 'Your administrator has switched it off. There is nothing for you to do.',
    isNew: 'New on your list.',
    connectedOn: (date: string) => `Since ${date}`,
  },
}
