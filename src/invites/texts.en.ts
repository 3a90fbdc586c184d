// What people read on the pages of invitations, in English. Another language is another
// file of this type.

export const inviteTexts = {
  landing: {
    title: 'Let search find your things',
    lead: 'Your company’s search can look into the apps you work with, once you allow it for each of them.',
    titleInvalid: 'This link does not work any more',
    leadInvalid:
      'It is too old or not complete. That does no harm: press Start, sign in with your work account, and you find the same apps there.',
    points: [
      'You sign in with your work account, then agree once for each app. We lead you from one to the next.',
      'It takes about a minute for each app. You can stop at any time, and what is done stays done.',
      'Search only shows you what you can already open yourself. Nobody else sees more than before.',
    ],
    start: 'Start',
    otherWay: 'You do not need this link: you can also open',
    inApp:
      'This page was opened inside another app, where signing in may not work. If it does not, open this in your browser:',
  },
  mismatch: {
    title: 'This invitation is for another account',
    lead: 'Nothing is wrong. You are signed in with a different address than the one the invitation was sent to.',
    signedInAs: 'You are signed in as',
    invited: 'The invitation is for',
    choose:
      'Whatever you connect is connected for the account that you are signed in with, so choose the one you work with.',
    switch: 'Use another account',
    goOn: 'Go on with this account',
  },
  optOut: {
    in: {
      title: 'Reminders about connecting your apps',
      lead: 'You can stop the reminders. Connecting your apps stays possible whenever you like.',
    },
    out: {
      title: 'You get no more reminders',
      lead: 'You can still connect your apps whenever you like.',
    },
    undone: {
      title: 'You get reminders again',
      lead: 'They come only while an app waits for you, and you can stop them here at any time.',
    },
    unknown: {
      title: 'We do not know whose reminders to stop',
      lead: 'This link is not complete, or not one of ours. Open the one at the end of the mail once more, or tell whoever sent it.',
    },
    whose: 'Reminders to',
    action: 'Stop reminders',
    undo: 'Send me reminders again',
    apps: 'Your apps',
  },
}
