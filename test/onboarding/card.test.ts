// The card of the overview: all of its texts and actions.
import { expect, it } from 'vitest'
import { noDescription } from '../helpers/no-description.ts'
import { type Walk, withLapses } from '../../src/onboarding/walk.ts'
import { t } from '../helpers/texts.ts'
import {
  LATE,
  NOW,
  github,
  unconfirmedWalk,
  returnedWalk,
  overviewPage,
  checkedWalk,
  slack,
  unconnectedApp,
} from './overview-pages.ts'

const bareCard = {
  paragraphs: [],
  lines: [],
  details: undefined,
  explain: '',
  fixes: [],
  block: undefined,
  decline: undefined,
  control: undefined,
  hasFocus: false,
}
const card = {
  instance: 'slack_1',
  app: 'Slack',
  icon: { logo: undefined, initial: 'S' },
  skip: '/onboarding/skip/slack_1',
}
const jira = unconnectedApp('jira_1', 'Jira', 'attention')
const connect = '/onboarding/connect/slack_1'
const callbackPath = '/onboarding/callback?step=step-1'

const plainCard = {
  ...bareCard,
  ...card,
  kind: 'connect',
  title: 'Connect Slack',
  lines: [
    { kind: 'good', text: 'Search can only see what you can already open in Slack.' },
    { kind: 'account', text: 'Use your work account (ada@acme.example) if you’re asked to choose one.' },
  ],
  details: {
    title: 'What search can see',
    lines: [
      { kind: 'lock', text: 'No one else gets access to your content.' },
      { kind: 'clock', text: 'Stop any time; your progress is saved.' },
    ],
  },
  explain: 'Allow access in Slack, and you’re done.',
  main: { href: connect, label: 'Continue to Slack' },
}

const waitingCard = {
  ...bareCard,
  ...card,
  kind: 'confirming',
  title: 'Checking Slack…',
  paragraphs: ['This usually takes less than a minute.'],
  main: undefined,
  decline: { href: '/onboarding/declined/slack_1', label: 'I didn’t allow it' },
  control: { checkAgain: callbackPath, stop: '/onboarding?still=yes' },
}

// prettier-ignore
it.each<[string, Walk, object]>([
  ['the last app', checkedWalk([slack]), plainCard],
  ['the next app', checkedWalk([slack, github]), { ...plainCard, explain: 'Allow access in Slack and we’ll take you to the next app.' }],
  [
    'an expired consent, and the account to use',
    checkedWalk([unconnectedApp('slack_1', 'Slack', 'stale')]),
    {
      ...plainCard,
      title: 'Connect Slack again',
      paragraphs: ['Access has ended. Connect again so search can find your work there.'],
      lines: [plainCard.lines[0], { kind: 'account', text: 'Use the same account or workspace as before.' }],
      main: { href: connect, label: 'Connect Slack again' },
    },
  ],
  [
    'the day on which ended access was noticed',
    withLapses(checkedWalk([slack]), new Map([['slack_1', NOW]])),
    {
      ...plainCard,
      title: 'Connect Slack again',
      paragraphs: [
        'On November 21, 2026, we noticed that access had ended. Connect again so search can find your work there.',
      ],
      lines: [plainCard.lines[0], { kind: 'account', text: 'Use the same account or workspace as before.' }],
      main: { href: connect, label: 'Connect Slack again' },
    },
  ],
  ['the wait for a consent if no other app is left', returnedWalk([slack]), waitingCard],
  ['the wait for a consent if no other app can be started', returnedWalk([slack, jira]), waitingCard],
  [
    'advice if a consent isn’t confirmed',
    unconfirmedWalk([slack, github]),
    {
      ...bareCard,
      ...card,
      kind: 'unconfirmed',
      title: 'Slack isn’t connected yet',
      paragraphs: ['We couldn’t confirm the connection. Try this:'],
      fixes: ['Allow access in Slack.', 'Use your work account.'],
      main: { href: connect, label: 'Try Slack again' },
      block: { href: '/onboarding/blocked/slack_1', label: 'I need an admin to approve this' },
    },
  ],
])('the card shows %s', (_title, walk, words) => {
  expect(overviewPage(walk, { now: LATE }).card).toMatchObject(words)
})

it('the card is missing if no app is left', () => {
  expect(overviewPage(checkedWalk([], checkedWalk([slack]))).card).toBeUndefined()
})

it('the card has the company’s reason, the scope of search, the account and help', () => {
  const about = () => ({
    ...noDescription,
    reads: ['Channels', 'Files'],
    never: ['It can’t post.', 'No private messages.'],
    isRequired: true,
    why: 'Plans are kept there.',
    account: 'your acme.example account',
    help: 'Ask the help desk.',
  })

  expect(overviewPage(checkedWalk([slack]), { describe: about }).card).toMatchObject({
    paragraphs: [],
    lines: [
      { kind: 'notice', text: 'Ask the help desk.' },
      plainCard.lines[0],
      { kind: 'lock', text: 'It can’t post.' },
      { kind: 'account', text: 'Use your acme.example account.' },
    ],
    details: {
      lines: [
        { kind: 'good', text: 'Channels' },
        { kind: 'good', text: 'Files' },
        { kind: 'lock', text: 'No private messages.' },
        { kind: 'lock', text: 'No one else gets access to your content.' },
        { kind: 'notice', text: 'Plans are kept there.' },
        { kind: 'notice', text: 'Your company asks everyone to connect this app.' },
        { kind: 'clock', text: 'Stop any time; your progress is saved.' },
      ],
    },
  })

  const reconnectCard = overviewPage(checkedWalk([unconnectedApp('slack_1', 'Slack', 'stale')]), {
    describe: about,
  }).card
  expect(reconnectCard?.paragraphs).toEqual([t('next.explainStale')])
  expect(reconnectCard?.lines[0]?.text).toBe('Ask the help desk.')
})

it.each([
  ['has the focus after a return from its app', true, 'slack_1'],
  ['doesn’t have the focus after a return from another app', false, 'github_1'],
  ['doesn’t have the focus without a return', false, undefined],
])('the card %s', (_title, focus, from) => {
  expect(overviewPage(returnedWalk([slack]), { from }).card?.hasFocus).toBe(focus)
  const attending = overviewPage(unconfirmedWalk([slack, github]), { from, now: LATE })
  expect(attending).toMatchObject({ banner: undefined, card: { hasFocus: focus } })
  expect(overviewPage(returnedWalk([slack, github]), { from }).confirming?.hasFocus).toBe(focus)
})
