// The states of the overview, each reached as a person reaches it.
import { answer, choose, comeTo, connectAll, connectNext, goOn, open, skip, slack } from './ways.ts'
import type { State } from './ways.ts'
import type { Visitor } from './visitor.ts'

const BEGINNING = '0 of 5 connected - Connect your apps to search'

// prettier-ignore
export const overviewStates: State[] = [
  { name: 'first visit', title: BEGINNING, like: 'ada', reach: [open()] },
  { name: 'middle of the walk', title: 'GitHub connected - 2 of 5 connected', like: 'ada', reach: [open(), connectNext, connectNext] },
  {
    name: 'an app being confirmed',
    title: 'Checking Slack… - 0 of 5 connected',
    like: 'ada',
    switches: { consentDelaySeconds: 600 },
    reach: [open(), goOn, answer('Allow'), choose('link', 'Stop checking'), comeTo(/still=yes/)],
  },
  {
    name: 'an app not confirmed',
    title: 'Slack isn’t connected yet - 0 of 5 connected',
    like: 'ada',
    confirmSeconds: 0,
    reach: [open(), goOn, answer('Deny'), ({ page }) => page.locator('.step.unconfirmed').waitFor()],
  },
  { name: 'an app skipped', title: 'Slack skipped - 0 of 5 connected', like: 'ada', reach: [open(), skip('slack_1')] },
  { name: 'an app open in another tab', title: BEGINNING, like: 'ada', reach: [open(), goOn, anotherTab, open()] },
  { name: 'unusual statuses', title: '0 of 4 connected - Connect your apps to search', like: 'frank', reach: [open()] },
  { name: 'many apps, filtered', title: '11 apps match “wiki 1” - 0 of 5 connected', like: 'grace', reach: [open(), find('wiki 1')] },
  { name: 'many apps', title: BEGINNING, like: 'grace', reach: [open()] },
  {
    name: 'a visit narrowed to some apps',
    title: '0 of 1 connected - Connect your apps to search',
    like: 'ada',
    reach: [open(), open('/onboarding?datasource=slack')],
  },
  { name: 'a visit narrowed to no apps', title: 'Nothing to connect from this link', like: 'ada', reach: [open('/onboarding?datasource=nothing')] },
  { name: 'everything connected', title: 'You’re all set - 2 of 2 connected', like: 'bob', reach: [open(), connectAll] },
  {
    name: 'an app lapsed after the finish',
    title: '3 of 5 connected - Search lost access to 2 apps',
    like: 'ada',
    reach: [open(), connectAll, lose('github_1'), lose('jira_1'), open()],
  },
  { name: 'only a disabled app', title: 'This app is turned off', like: [{ ...slack, authStatus: 'DISABLED' }], reach: [open()] },
]

async function anotherTab(visitor: Visitor): Promise<void> {
  const other = await visitor.context.newPage()
  await visitor.page.close()
  visitor.page = other
}

function lose(instance: string) {
  return async ({ person, running }: Visitor) => running.sandbox.unauthorize(person, instance)
}

function find(words: string) {
  return async ({ page }: Visitor) => {
    await page.getByText('The other 35 can wait', { exact: true }).click()
    await page.getByLabel('Find an app').fill(words)
    await page.getByRole('button', { name: 'Find' }).click()
    await page.waitForURL(/q=wiki/)
  }
}
