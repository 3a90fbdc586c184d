// What the report keeps of an app that the company hides, for a while or for good.
import { describe, expect, it } from 'vitest'
import { reached } from '../../src/people/person.ts'
import { companyOf } from '../../src/company/company.ts'
import { observe, skip } from '../../src/onboarding/walk.ts'
import { ada, jira, MINUTE, office } from './counted-office.ts'
import { CONFIRM, NOW, slack } from './seen.ts'

describe('an app that the company hides', () => {
  const hiding = companyOf({ datasources: { slack: { hidden: true } } }, new Map())

  it.each(['page', 'campaign'] as const)(
    'is left out of the report, and never told as connected: by a %s',
    async (tell) => {
      const { started, pass, report } = office()
      await started().page([slack, jira])
      pass(MINUTE)
      await started({ company: hiding })[tell]([slack, jira])
      expect(await report(hiding)).toEqual({
        apps: ['jira_1 waiting'],
        isFinished: false,
        outbox: ['person.signed_in'],
      })
      pass(MINUTE)
      await started({ company: hiding })[tell]([slack])
      expect(await report(hiding)).toEqual({
        apps: ['jira_1 connected'],
        isFinished: true,
        outbox: ['person.signed_in', 'app.connected jira_1', 'person.finished'],
      })
    },
  )

  it('keeps nobody from being finished, also before they come again', async () => {
    const { started, pass, report } = office()
    await started().page([slack, jira])
    pass(MINUTE)
    await started().page([slack])
    expect(await report()).toMatchObject({ isFinished: false })
    expect(await report(hiding)).toMatchObject({ apps: ['jira_1 connected'], isFinished: true })
  })

  it('counts again as what it was when it is hidden no longer, whatever was written meanwhile', async () => {
    const { started, pass, report } = office()
    await started().page([slack, jira])
    pass(MINUTE)
    await started().page([jira])
    await started({ company: hiding }).page([])
    expect(await report(hiding)).toMatchObject({ apps: ['jira_1 connected'], isFinished: true })
    expect(await report()).toMatchObject({ apps: ['jira_1 connected', 'slack_1 connected'] })
  })

  it('keeps what the person said of it, where it is all that they have', async () => {
    const { started, pass, report } = office()
    await started().page([slack], (walk) => skip(observe(walk, [slack], NOW, CONFIRM), 'slack_1', NOW))
    pass(MINUTE)
    await started({ company: hiding }).page([slack])
    expect(await report(hiding)).toMatchObject({ apps: [] })
    const walk = await started().page([slack])
    expect(walk.known).toMatchObject([{ instance: 'slack_1', skippedAt: NOW }])
    expect(await report()).toMatchObject({ apps: ['slack_1 skipped'], isFinished: false })
  })

  it('is connected where it was connected elsewhere while it was hidden, and not before that is known', async () => {
    const { started, pass, report } = office()
    await started().page([slack, jira])
    pass(MINUTE)
    await started({ company: hiding }).page([slack])
    pass(MINUTE)
    const { say, page } = started()
    await say((walk) => skip(walk, 'jira_1', NOW))
    expect((await report()).apps).toEqual(['jira_1 connected', 'slack_1 waiting'])
    await page([])
    expect(await report()).toEqual({
      apps: ['jira_1 connected', 'slack_1 connected'],
      isFinished: true,
      // The first time without it.
      outbox: [
        'person.signed_in',
        'app.connected jira_1',
        'person.finished',
        'app.connected slack_1',
        'person.finished',
      ],
    })
  })

  it('leaves someone finished who was, though it was all that they had and something was written meanwhile', async () => {
    const { started, pass, report } = office()
    await started().page([slack])
    pass(MINUTE)
    await started().page([])
    pass(MINUTE)
    await started({ company: hiding }).people.change(ada.email, (before) => reached(before, 'openedAt', NOW))
    expect(await report(hiding)).toMatchObject({ apps: [], isFinished: false })
    expect(await report()).toMatchObject({ isFinished: true })
    await started().campaign([])
    const { outbox } = await report()
    expect(outbox.filter((type) => type === 'person.finished')).toHaveLength(1)
  })

  it('is told of by processes with and without it, in turns, as what it is', async () => {
    const { started, pass, report } = office()
    const [shows, hides] = [started(), started({ company: hiding })]
    for (let times = 0; times < 3; times++) {
      await shows.page([slack, jira])
      pass(MINUTE)
      await hides.page([slack, jira])
      pass(MINUTE)
    }
    expect((await report()).outbox).toEqual(['person.signed_in'])
  })
})
