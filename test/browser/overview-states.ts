// The states of the overview, each reached as a person reaches it.
import { INTRANET, connectAll, connectNext, open, slack, type State } from './ways.ts'

export const overviewStates: State[] = [
  {
    name: 'first visit',
    title: '0 of 5 connected - Connect your apps to search',
    like: 'ada',
    reach: open(),
  },
  {
    name: 'one waiting',
    title: '0 of 1 connected - Connect your apps to search',
    like: [slack],
    reach: open(),
  },
  {
    name: 'middle of the walk',
    title: 'GitHub connected - 2 of 5 connected',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await connectNext(visitor)
      await connectNext(visitor)
    },
  },
  {
    name: 'waiting for a slow consent',
    title: 'Checking your Slack connection… - 0 of 5 connected',
    like: 'ada',
    switches: { consentDelaySeconds: 600 },
    async reach(visitor) {
      await visitor.open()
      await visitor.goOn()
      await visitor.answer('Allow')
      await visitor.page.getByRole('link', { name: 'Stop checking' }).click()
      await visitor.page.waitForURL(/still=yes/)
    },
  },
  {
    name: 'not confirmed',
    title: 'Slack isn’t connected yet - 0 of 5 connected',
    like: 'ada',
    confirmSeconds: 0,
    async reach(visitor) {
      await visitor.open()
      await visitor.goOn()
      await visitor.answer('Deny')
      await visitor.page.locator('.step.attend').waitFor()
    },
  },
  {
    name: 'skipped',
    title: 'Slack skipped - 0 of 5 connected',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await visitor.skip('slack_1')
    },
  },
  {
    name: 'started elsewhere',
    title: '0 of 5 connected - Connect your apps to search',
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
  {
    name: 'odd statuses',
    title: '0 of 5 connected - Connect your apps to search',
    like: 'frank',
    reach: open(),
  },
  {
    name: 'names that bite',
    title: '0 of 5 connected - Connect your apps to search',
    like: 'eve',
    reach: open(),
  },
  {
    name: 'many, filtered',
    title: '11 apps match “wiki 1” - 0 of 40 connected',
    like: 'grace',
    async reach(visitor) {
      await visitor.open()
      await visitor.page.getByLabel('Find an app').fill('wiki 1')
      await visitor.page.getByRole('button', { name: 'Find' }).click()
      await visitor.page.waitForURL(/q=wiki/)
    },
  },
  { name: 'many', title: '0 of 40 connected - Connect your apps to search', like: 'grace', reach: open() },
  {
    name: 'two instances of one',
    title: '0 of 3 connected - Connect your apps to search',
    like: 'dan',
    reach: open(),
  },
  { name: 'nothing waiting', title: 'You have nothing to connect', like: 'carol', reach: open() },
  {
    name: 'narrowed',
    title: '0 of 1 connected - Connect your apps to search',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await visitor.open('/onboarding?datasource=slack')
    },
  },
  {
    name: 'narrowed to nothing',
    title: 'Nothing to connect from this link',
    like: 'ada',
    reach: open('/onboarding?datasource=nothing'),
  },
  {
    name: 'a way back',
    title: '0 of 5 connected - Connect your apps to search',
    like: 'ada',
    reach: open(`/onboarding?return_to=${encodeURIComponent(`${INTRANET}/welcome`)}`),
  },
  {
    name: 'finished',
    title: 'You’re all set - 2 of 2 connected',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await connectAll(visitor)
    },
  },
  {
    name: 'finished, with a way back',
    title: 'You’re all set - 2 of 2 connected',
    like: 'bob',
    async reach(visitor) {
      await visitor.open(`/onboarding?return_to=${encodeURIComponent(`${INTRANET}/welcome`)}`)
      await connectAll(visitor)
    },
  },
  {
    name: 'switched off alone',
    title: 'There’s nothing you can connect',
    like: [{ ...slack, authStatus: 'DISABLED' }],
    reach: open(),
  },
  {
    name: 'all put off',
    title: 'Slack skipped - 0 of 1 connected',
    like: [slack],
    async reach(visitor) {
      await visitor.open()
      await visitor.skip('slack_1')
    },
  },
  {
    name: 'narrowed and done',
    title: 'This app is connected - 1 of 1 connected',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await visitor.open('/onboarding?datasource=slack')
      await connectNext(visitor)
    },
  },
  {
    name: 'done for now',
    title: 'Google Drive skipped - 1 of 2 connected',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await connectNext(visitor)
      await visitor.skip('gdrive_1')
    },
  },
]
