// The states of the overview, each reached as a person reaches it.
import { connectAll, connectNext, open, slack, type State } from './ways.ts'

export const overviewStates: State[] = [
  {
    name: 'first visit',
    title: '0 of 5 connected - Connect your apps to search',
    like: 'ada',
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
    title: 'Checking Slack… - 0 of 5 connected',
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
    title: '0 of 4 connected - Connect your apps to search',
    like: 'frank',
    reach: open(),
  },
  {
    name: 'many, filtered',
    title: '11 apps match “wiki 1” - 0 of 5 connected',
    like: 'grace',
    async reach(visitor) {
      await visitor.open()
      await visitor.page.getByText('The other 35 can wait', { exact: true }).click()
      await visitor.page.getByLabel('Find an app').fill('wiki 1')
      await visitor.page.getByRole('button', { name: 'Find' }).click()
      await visitor.page.waitForURL(/q=wiki/)
    },
  },
  { name: 'many', title: '0 of 5 connected - Connect your apps to search', like: 'grace', reach: open() },
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
    name: 'finished',
    title: 'You’re all set - 2 of 2 connected',
    like: 'bob',
    async reach(visitor) {
      await visitor.open()
      await connectAll(visitor)
    },
  },
  {
    name: 'access ended after the finish',
    title: '3 of 5 connected - Search lost access to 2 apps',
    like: 'ada',
    async reach(visitor) {
      await visitor.open()
      await connectAll(visitor)
      for (const instance of ['github_1', 'jira_1'])
        visitor.running.sandbox.unauthorize(visitor.person, instance)
      await visitor.open()
    },
  },
  {
    name: 'switched off alone',
    title: 'This app is turned off',
    like: [{ ...slack, authStatus: 'DISABLED' }],
    reach: open(),
  },
]
