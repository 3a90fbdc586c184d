// Every page and state that people can meet, each reached as a person reaches it, by a person of its own.
import type { Datasource, Person } from '../../src/sandbox/people.ts'
import { defaultPeople } from '../../src/sandbox/people.ts'
import type { Switches } from '../../src/sandbox/switches.ts'
import type { Visitor } from './visitor.ts'

export type State = {
  name: string
  /** Whose datasources: somebody of the sandbox, or named here. */
  like: string | Datasource[]
  switches?: Partial<Switches>
  /** What `CONFIRM_SECONDS` has to be. */
  confirmSeconds?: 0 | 90
  reach: (visitor: Visitor) => Promise<void>
}

/** RETURN_TO_ORIGINS of the tests. */
export const INTRANET = 'https://intranet.acme.example'

const slack: Datasource = { instance: 'slack_1', displayName: 'Slack' }
const github: Datasource = { instance: 'github_1', displayName: 'GitHub' }

const open =
  (path = '/onboarding') =>
  (visitor: Visitor) =>
    visitor.open(path)

async function connectAll(visitor: Visitor): Promise<void> {
  while ((await visitor.page.locator('.step .button').count()) > 0) await connectNext(visitor)
}

async function connectNext(visitor: Visitor): Promise<void> {
  await visitor.goOn()
  await visitor.answer('Allow')
}

/** Stays on a page that looks again by itself. */
async function hold(visitor: Visitor): Promise<void> {
  await visitor.page.route(/\/(onboarding\/callback|sign-out\/continue)/, (route) =>
    route.fulfill({ status: 204 }),
  )
}

const failing = (status: number, headers: Record<string, string> = {}): Partial<Switches> => ({
  answers: { checkdatasourceauth: { status, headers, body: 'no' } },
})

export const overviewStates: State[] = [
  { name: 'first visit', like: 'ada', reach: open() },
  { name: 'one waiting', like: [slack], reach: open() },
  {
    name: 'middle of the walk',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await connectNext(visitor)
      await connectNext(visitor)
    },
  },
  {
    name: 'waiting for a slow consent',
    like: 'ada',
    switches: { consentDelaySeconds: 600 },
    async reach(visitor) {
      await visitor.open()
      await visitor.goOn()
      await visitor.page.route(/\/onboarding\/callback/, async (route) => {
        await visitor.page.unroute(/\/onboarding\/callback/)
        await route.continue()
      })
      await visitor.answer('Allow')
      await hold(visitor)
    },
  },
  {
    name: 'not confirmed',
    like: 'ada',
    confirmSeconds: 0,
    async reach(visitor) {
      await visitor.open()
      await visitor.goOn()
      await visitor.answer('Deny')
      await visitor.page.waitForURL(/from=/)
    },
  },
  {
    name: 'skipped',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await visitor.skip('slack_1')
    },
  },
  {
    name: 'started elsewhere',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await visitor.goOn()
      const other = await visitor.context.newPage()
      await visitor.page.close()
      visitor.page = other
      await visitor.open()
    },
  },
  { name: 'odd statuses', like: 'frank', reach: open() },
  { name: 'names that bite', like: 'eve', reach: open() },
  { name: 'many', like: 'grace', reach: open() },
  { name: 'two instances of one', like: 'dan', reach: open() },
  { name: 'nothing waiting', like: 'carol', reach: open() },
  {
    name: 'narrowed',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await visitor.open('/onboarding?datasource=slack')
    },
  },
  { name: 'narrowed to nothing', like: 'ada', reach: open('/onboarding?datasource=nothing') },
  {
    name: 'a way back',
    like: 'ada',
    reach: open(`/onboarding?return_to=${encodeURIComponent(`${INTRANET}/welcome`)}`),
  },
  {
    name: 'finished',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await connectAll(visitor)
    },
  },
  {
    name: 'finished, with a way back',
    like: 'bob',
    async reach(visitor) {
      await visitor.open(`/onboarding?return_to=${encodeURIComponent(`${INTRANET}/welcome`)}`)
      await connectAll(visitor)
    },
  },
  {
    name: 'done for now',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await connectNext(visitor)
      await visitor.skip('gdrive_1')
    },
  },
]

export const otherStates: State[] = [
  { name: 'search, empty', like: 'carol', reach: open('/search') },
  { name: 'search, results', like: 'carol', reach: open('/search?q=roadmap') },
  { name: 'search, nothing', like: 'carol', reach: open('/search?q=zebra') },
  { name: 'no such page', like: 'carol', reach: open('/nowhere') },
  {
    name: 'cannot be started',
    like: [{ ...slack, withoutPath: true }, github],
    async reach(visitor) {
      await visitor.open()
      await visitor.connect('slack_1')
    },
  },
  { name: 'service busy', like: 'carol', switches: failing(429, { 'retry-after': '40' }), reach: open() },
  { name: 'service down', like: 'carol', switches: failing(500), reach: open() },
  { name: 'no access', like: 'carol', switches: failing(403), reach: open() },
  { name: 'misconfigured', like: 'carol', switches: failing(404), reach: open() },
  {
    name: 'sign-in cancelled',
    like: 'carol',
    async reach(visitor) {
      await visitor.page.goto(`${visitor.running.url}/onboarding`)
      await visitor.page.getByRole('button', { name: 'Cancel' }).click()
    },
  },
  {
    name: 'sign-in without our cookie',
    like: 'carol',
    async reach(visitor) {
      await visitor.page.goto(`${visitor.running.url}/onboarding`)
      await visitor.context.clearCookies({ name: 'onramp' })
      await visitor.chooseAccount()
    },
  },
  {
    name: 'sign-in not verified',
    like: 'carol',
    switches: { faults: { idToken: 'wrongNonce' } },
    reach: open(),
  },
  {
    name: 'signing out',
    like: 'carol',
    async reach(visitor) {
      await visitor.open()
      await hold(visitor)
      await visitor.page.getByRole('button', { name: 'Sign out' }).click()
    },
  },
  {
    name: 'signed out',
    like: 'carol',
    async reach(visitor) {
      await visitor.open()
      await visitor.page.getByRole('button', { name: 'Sign out' }).click()
      await visitor.page.waitForURL(/\/signed-out/)
    },
  },
]

export const allStates = [...overviewStates, ...otherStates]

const idOf = (state: State) => state.name.replaceAll(/\W+/g, '-')

/** Somebody for each state, so that no state changes another's. */
export const peopleOf = (states: readonly State[]): Person[] =>
  states.map((state) => {
    const model = defaultPeople.find((person) => person.id === state.like)
    const id = idOf(state)
    return {
      id,
      name: model?.name ?? 'Ada Lovelace',
      email: `${model?.id ?? 'ada'}@acme.example`,
      datasources: Array.isArray(state.like) ? state.like : (model?.datasources ?? []),
    }
  })

export const personOf = idOf
