// What people read on the pages of invitations, in English. Another language is another file of this type.

export const inviteTexts = {
  landing: {
    title: 'Connect your apps to search',
    lead: 'Give search permission once per app, and find your messages, files and tickets in one place.',
    titleInvalid: 'This link doesn’t work',
    leadInvalid:
      'It has expired or is incomplete. No problem: you don’t need it. Sign in with your work account to see your apps.',
    points: [
      'Sign in with your work account, then allow access to each app. We’ll take you from one to the next.',
      'It takes about a minute per app. Stop any time; your progress is saved.',
      'Search only shows you content you already have access to. No one else gets access to your content.',
    ],
    start: 'Get started',
    otherWay: 'Prefer not to use the link? Go to',
    inApp:
      'You’re viewing this inside another app. If sign-in doesn’t work, open this address in your browser:',
  },
  mismatch: {
    title: 'This invitation is for another account',
    lead: 'You’re signed in with a different email address from the one we invited.',
    signedInAs: 'Signed in as',
    invited: 'Invitation sent to',
    choose: 'Apps are connected to the account you’re signed in with, so choose your work account.',
    switch: 'Switch account',
    goOn: 'Continue as this account',
  },
  optOut: {
    in: {
      title: 'Stop reminder emails?',
      lead: 'You can still connect your apps any time.',
    },
    out: {
      title: 'You won’t get any more reminders',
      lead: 'You can still connect your apps any time.',
    },
    undone: {
      title: 'Reminders are back on',
      lead: 'We’ll only email you while you have apps left to connect. You can turn reminders off here any time.',
    },
    unknown: {
      title: 'This unsubscribe link isn’t valid',
      lead: 'It may be incomplete. Try the link at the bottom of the email again, or reply to the sender.',
    },
    whose: 'Reminders for',
    action: 'Stop reminders',
    undo: 'Turn reminders back on',
    apps: 'Go to your apps',
  },
}
