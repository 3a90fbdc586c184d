// Walks and the report together, as several processes keep both: the report says what the walk says, also after what may
// go wrong between the two.
import { describe, expect, it, vi } from 'vitest'
import { skip } from '../../src/onboarding/walk.ts'
import { ada, github, jira, MINUTE, office } from './counted-office.ts'
import { NOW, slack } from './seen.ts'

describe('the report agrees with the walk', () => {
  it('where an app is listed again, and the process before had a clock that is ahead', async () => {
    const { started, pass, report } = office()
    const [ahead, other] = [started({ skew: MINUTE }), started()]
    await ahead.page([slack, jira])
    pass(10_000)
    await ahead.page([jira])
    pass(10_000)
    await other.page([slack])
    expect(await report()).toEqual({
      apps: ['jira_1 connected', 'slack_1 waiting'],
      isFinished: false,
      outbox: ['person.signed_in', 'app.connected slack_1', 'app.connected jira_1'],
    })
  })

  it('where the walk was lost, and nothing is left to connect', async () => {
    const { started, pass, report, loseWalks } = office()
    const { page, say } = started()
    await page([slack])
    loseWalks()
    pass(MINUTE)
    // Nobody has asked the service yet.
    await say((walk) => ({ ...walk, visit: { only: ['slack'] } }))
    expect((await report()).apps).toEqual(['slack_1 waiting'])
    for (let times = 0; times < 3; times++) {
      await page([])
      pass(MINUTE)
    }
    expect(await report()).toEqual({
      apps: ['slack_1 connected'],
      isFinished: true,
      outbox: ['person.signed_in', 'app.connected slack_1', 'person.finished'],
    })
  })

  it('at the next page in another process, where one with a clock that is ahead died before it told', async () => {
    const { started, pass, report, away } = office()
    const [alive, dies] = [started(), started({ skew: 5 * MINUTE })]
    await alive.page([slack])
    away(true)
    await dies.page([slack], (walk) => skip(walk, 'slack_1', NOW))
    away(false)
    pass(5 * MINUTE)
    await alive.page([slack])
    expect((await report()).apps).toEqual(['slack_1 skipped'])
  })
})

it('what the person says counts at once, and tells nothing of apps that their page does not show yet', async () => {
  const { started, pass, report } = office()
  const { page, say, campaign } = started()
  await page([slack, jira])
  pass(1_000)
  await campaign([slack, jira, github])
  pass(1_000)
  await say((walk) => skip(walk, 'slack_1', NOW))
  expect(await report()).toEqual({
    apps: ['github_1 waiting', 'jira_1 waiting', 'slack_1 skipped'],
    isFinished: false,
    outbox: ['person.signed_in'],
  })
  await page([slack, github])
  expect((await report()).apps).toEqual(['github_1 waiting', 'jira_1 connected', 'slack_1 skipped'])
})

it('someone who was forgotten and is known again does not get back what was to be counted before', async () => {
  const { started, pass, report, away, loseWalks } = office()
  const { page, people, campaign } = started()
  const change = vi.spyOn(people, 'change')
  await page([slack])
  away(true)
  await page([slack], (walk) => skip(walk, 'slack_1', NOW))
  away(false)
  loseWalks()
  await people.forget(ada.email)
  pass(1)
  await campaign([slack])
  await vi.waitFor(() => expect(change).toHaveBeenCalledTimes(3))
  expect(await report()).toEqual({ apps: ['slack_1 waiting'], isFinished: false, outbox: [] })
  expect((await people.get(ada.email))?.signedInAt).toBeUndefined()
})
