// Every page and state that people can meet, each reached as a person reaches it, by a person of its own.
import { defaultPeople, type Person } from '../../packages/sandbox/src/people.ts'
import type { Switches } from '../../packages/sandbox/src/switches.ts'
import { invite } from '../helpers/running.ts'
import { overviewStates } from './overview-states.ts'
import type { Visitor } from './visitor.ts'
import { github, hold, open, slack, type State } from './ways.ts'

const failing = (status: number, headers: Record<string, string> = {}): Partial<Switches> => ({
  answers: { checkdatasourceauth: { status, headers, body: 'no' } },
})

const goTo =
  (behind = '', email = 'somebody@acme.example') =>
  async ({ page, running }: Visitor) =>
    void (await page.goto(`${running.url}/invite/${await invite(running, { email })}${behind}`))

const invitations: State[] = [
  { name: 'an invitation', title: 'Connect your apps to search', like: 'ada', reach: goTo() },
  {
    name: 'an invitation for somebody else',
    title: 'This invitation is for another account',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await goTo()(visitor)
    },
  },
  {
    name: 'reminders that can be stopped',
    title: 'Stop reminder emails?',
    like: 'ada',
    reach: goTo('/opt-out'),
  },
  {
    name: 'reminders that were stopped',
    title: 'You won’t get any more reminders',
    like: 'ada',
    async reach(visitor) {
      await goTo('/opt-out', 'stopped@acme.example')(visitor)
      await visitor.page.getByRole('button', { name: 'Stop reminders' }).click()
      await visitor.reads('You won’t get any more reminders')
    },
  },
  {
    name: 'reminders of nobody',
    title: 'This unsubscribe link isn’t valid',
    like: 'ada',
    reach: open('/invite/a.b.c/opt-out'),
  },
]

export const otherStates: State[] = [
  { name: 'search, empty', title: 'Search your apps', like: 'carol', reach: open('/search') },
  {
    name: 'search, results',
    title: '2 results for “roadmap”',
    like: 'carol',
    async reach(visitor) {
      await visitor.open('/search')
      await visitor.search('roadmap')
    },
  },
  { name: 'no such page', title: 'Page not found', like: 'carol', reach: open('/nowhere') },
  {
    name: 'deprecations',
    title: 'Deprecated endpoints and fields',
    like: 'carol',
    reach: open('/deprecations'),
  },
  {
    name: 'cannot be started',
    title: 'We can’t connect Slack right now',
    like: [{ ...slack, withoutPath: true }, github],
    async reach(visitor) {
      await visitor.open()
      // No page offers it: its link is of an earlier page.
      await visitor.page.evaluate(`location.href = '/onboarding/connect/slack_1'`)
      await visitor.page.getByRole('heading', { name: 'We can’t connect Slack right now' }).waitFor()
    },
  },
  {
    name: 'service busy',
    title: 'Search is busy right now',
    like: 'carol',
    switches: failing(429, { 'retry-after': '40' }),
    reach: open(),
  },
  {
    name: 'sign-in canceled',
    title: 'Sign-in canceled',
    like: 'carol',
    async reach(visitor) {
      await visitor.page.goto(`${visitor.running.url}/onboarding`)
      await visitor.page.getByRole('button', { name: 'Cancel' }).click()
    },
  },
  {
    name: 'sign-in without our cookie',
    title: 'Turn on cookies to sign in',
    like: 'carol',
    async reach(visitor) {
      // A sign-in that has started over once: the first time could have been another tab's doing.
      await visitor.page.goto(`${visitor.running.url}/sign-in?return_to=%2Fonboarding&again=1`)
      await visitor.context.clearCookies({ name: /^onramp/ })
      await visitor.chooseAccount()
    },
  },
  {
    name: 'sign-in not verified',
    title: 'We couldn’t verify your sign-in',
    like: 'carol',
    switches: { faults: { idToken: 'wrongNonce' } },
    reach: open(),
  },
  {
    name: 'same account',
    title: 'You’re still signed in with the same account',
    like: 'carol',
    switches: { faults: { prompt: 'ignored' } },
    async reach(visitor) {
      await visitor.open()
      await visitor.choose('link', 'Switch account')
      await visitor.page.waitForURL(/\/same-account/)
    },
  },
  {
    name: 'signed out here only',
    title: 'You’re signed out of this site',
    like: 'carol',
    reach: open('/signed-out'),
  },
  {
    name: 'back from a confirmation',
    title: 'Sign in to continue',
    like: 'carol',
    reach: open('/sign-in/callback?admin_consent=True&tenant=acme'),
  },
  {
    name: 'signing out',
    title: 'Signing you out',
    like: 'carol',
    async reach(visitor) {
      await visitor.open()
      await hold(visitor)
      await visitor.choose('button', 'Sign out')
    },
  },
  {
    name: 'signed out',
    title: 'You’re signed out',
    like: 'carol',
    async reach(visitor) {
      await visitor.open()
      await visitor.choose('button', 'Sign out')
      await visitor.page.waitForURL(/\/signed-out/)
    },
  },
]

export const allStates = [...overviewStates, ...invitations, ...otherStates]

const idOf = (state: State) => state.name.replaceAll(/\W+/g, '-')

/** A person for each state, so that no state changes another's. */
export const peopleOf = (states: readonly State[]): Person[] =>
  states.map((state, at) => {
    const model = defaultPeople.find((person) => person.id === state.like)
    const id = idOf(state)
    return {
      id,
      name: model?.name ?? 'Ada Lovelace',
      // Of their own: one address's events would show at another.
      email: `${model?.id ?? 'ada'}${at}@acme.example`,
      datasources: Array.isArray(state.like) ? state.like : (model?.datasources ?? []),
    }
  })

export const personOf = idOf
