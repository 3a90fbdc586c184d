// Every page and state, each reached by the steps of a separate person.
import { defaultPeople, type Person } from '../../packages/sandbox/src/people.ts'
import type { Switches } from '../../packages/sandbox/src/switches.ts'
import { invite } from '../helpers/running.ts'
import { overviewStates } from './overview-states.ts'
import type { Visitor } from './visitor.ts'
import { choose, comeTo, github, hold, open, slack, type State } from './ways.ts'

const failing = (status: number, headers: Record<string, string> = {}): Partial<Switches> => ({
  answers: { checkdatasourceauth: { status, headers, body: 'no' } },
})

const goTo =
  (behind = '', email = 'invitee@acme.example') =>
  async ({ page, running }: Visitor) =>
    void (await page.goto(`${running.url}/invite/${invite(running, { email })}${behind}`))

const LONG = 'Quarterly planning, reporting and forecasting app'

// prettier-ignore
const invitations: State[] = [
  { name: 'an invitation', title: 'Connect your apps to search', like: 'ada', reach: [goTo()] },
  { name: 'an invitation for another person', title: 'This invitation is for another account', like: 'bob', reach: [open(), goTo()] },
  { name: 'unsubscribing from reminders', title: 'Stop reminder emails?', like: 'ada', reach: [goTo('/opt-out')] },
  {
    name: 'unsubscribed from reminders',
    title: 'You won’t get any more reminders',
    like: 'ada',
    reach: [
      goTo('/opt-out', 'stopped@acme.example'),
      choose('button', 'Stop reminders'),
      (visitor) => visitor.reads('You won’t get any more reminders'),
    ],
  },
  { name: 'an invalid unsubscribe link', title: 'This unsubscribe link isn’t valid', like: 'ada', reach: [open('/invite/a.b.c/opt-out')] },
]

// prettier-ignore
const otherStates: State[] = [
  { name: 'search without a query', title: 'Search your apps', like: 'carol', reach: [open('/search')] },
  { name: 'search results', title: '2 results for “roadmap”', like: 'carol', reach: [open('/search'), (visitor) => visitor.search('roadmap')] },
  { name: 'page not found', title: 'Page not found', like: 'carol', reach: [open('/nowhere')] },
  { name: 'deprecations', title: 'Deprecated endpoints and fields', like: 'carol', reach: [open('/deprecations')] },
  {
    name: 'an app that cannot be started',
    title: 'We can’t connect Quarterly planning… right now',
    like: [{ ...slack, displayName: LONG, withoutPath: true }, github],
    reach: [
      open(),
      // No current page has this link, only an earlier one.
      ({ page }) => page.evaluate(`location.href = '/onboarding/connect/slack_1'`),
      ({ page }) => page.getByRole('heading', { name: 'We can’t connect' }).waitFor(),
    ],
  },
  { name: 'service busy', title: 'Search is busy right now', like: 'carol', switches: failing(429, { 'retry-after': '40' }), reach: [open()] },
  {
    name: 'sign-in canceled',
    title: 'Sign-in canceled',
    like: 'carol',
    reach: [({ page, running }) => page.goto(`${running.url}/onboarding`), choose('button', 'Cancel')],
  },
  {
    name: 'sign-in without our cookie',
    title: 'Turn on cookies to sign in',
    like: 'carol',
    reach: [
      // A sign-in that has started over once, because the first time may be due to another tab.
      ({ page, running }) => page.goto(`${running.url}/sign-in?return_to=%2Fonboarding&again=1`),
      ({ context }) => context.clearCookies({ name: /^onramp/ }),
      (visitor) => visitor.chooseAccount(),
    ],
  },
  {
    name: 'sign-in not verified',
    title: 'We couldn’t verify your sign-in',
    like: 'carol',
    switches: { faults: { idToken: 'wrongNonce' } },
    reach: [open()],
  },
  {
    name: 'account not switched',
    title: 'You’re still signed in with the same account',
    like: 'carol',
    switches: { faults: { prompt: 'ignored' } },
    reach: [open(), choose('link', 'Switch account'), comeTo(/\/same-account/)],
  },
  { name: 'signed out here only', title: 'You’re signed out of this site', like: 'carol', reach: [open('/signed-out')] },
  {
    name: 'return from an admin consent',
    title: 'Sign in to continue',
    like: 'carol',
    reach: [open('/sign-in/callback?admin_consent=True&tenant=acme')],
  },
  { name: 'signing out', title: 'Signing you out', like: 'carol', reach: [open(), hold, choose('button', 'Sign out')] },
  { name: 'signed out', title: 'You’re signed out', like: 'carol', reach: [open(), choose('button', 'Sign out'), comeTo(/\/signed-out/)] },
]

export const allStates = [...overviewStates, ...invitations, ...otherStates]

export const personOf = (state: State) => state.name.replaceAll(/\W+/g, '-')

/** A person for each state, so that no state changes another's. */
export const peopleOf = (states: readonly State[]): Person[] =>
  states.map((state, at) => {
    const model = defaultPeople.find((person) => person.id === state.like)
    const id = personOf(state)
    return {
      id,
      name: model?.name ?? 'Ada Lovelace',
      // A separate person, because events of one address would appear at another.
      email: `${model?.id ?? 'ada'}${at}@acme.example`,
      datasources: Array.isArray(state.like) ? state.like : (model?.datasources ?? []),
    }
  })
