// Walks and the report together, as several processes keep both: the report says what the walk says, also after what may
// go wrong between the two.
import { describe, expect, it, vi } from 'vitest'
import { createArrivals } from '../../src/arrivals/arrivals.ts'
import { createFollow } from '../../src/arrivals/follow.ts'
import { withNews } from '../../src/arrivals/news.ts'
import { withLeft } from '../../src/arrivals/sources.ts'
import { companyOf, neutralCompany } from '../../src/company/company.ts'
import { skip } from '../../src/onboarding/set-aside.ts'
import { observe, type Waiting, type Walk } from '../../src/onboarding/walk.ts'
import { createWalks } from '../../src/onboarding/walks.ts'
import { watchWalks } from '../../src/onboarding/watched-walks.ts'
import { createSealer } from '../../src/session/seal.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { CONFIRM, NOW, slack, waits } from './seen.ts'

const jira = waits('jira_1', 'Jira')
const ada = {
  issuer: 'https://as.example',
  subject: 'ada',
  email: 'ada@acme.example',
  emailVerified: true,
} as const
const MINUTE = 60_000

/** One store, any number of processes. */
function office() {
  const { records, values } = memoryRecords()
  let time = NOW
  let isAway = false
  const sealer = createSealer(['a secret of thirty-two characters'])

  /** @param skew how far its clock is ahead, in milliseconds */
  function started({ skew = 0, company = neutralCompany } = {}) {
    const now = () => time + skew
    const arrange = <T extends { instance: string }>(apps: T[]) => company.arrange(apps)
    const people = withNews(createArrivals({ records, sealer, now, retentionDays: 90, arrange }), now)
    const follow = createFollow({
      arrivals: {
        change: (email, change) =>
          isAway ? Promise.reject(new Error('away')) : people.change(email, change),
      },
      log: { warn() {} },
      now,
      waits: [20],
    })
    const kept = createWalks({
      records,
      sealer,
      checkReturnTo: () => undefined,
      arrange,
      log: { warn() {} },
      now,
    })
    const walks = watchWalks(kept, follow.walked, now)
    return {
      people,
      page: (listed: Waiting[], change = (walk: Walk) => walk) =>
        walks.update(ada, (walk) => observe(change(walk), arrange(listed), now(), CONFIRM)),
      say: (change: (walk: Walk) => Walk) => walks.update(ada, change),
      /** What `invite send` writes down. */
      campaign: (listed: Waiting[]) =>
        people.change(ada.email, (before) => withLeft(before, arrange(listed), now(), now())),
    }
  }

  const loseWalks = () => {
    for (const key of values.keys()) if (key.startsWith('walk:')) values.delete(key)
  }

  async function report(company = neutralCompany) {
    const arrival = await started({ company }).people.get(ada.email)
    return {
      apps: arrival?.sources.map(({ instance, state }) => `${instance} ${state}`).toSorted(),
      isFinished: arrival?.finishedAt !== undefined,
      news: arrival?.news?.map(({ type, app }) => [type, app?.instance].join(' ').trim()) ?? [],
    }
  }

  const pass = (milliseconds: number) => void (time += milliseconds)
  const away = (is: boolean) => void (isAway = is)
  return { started, pass, away, loseWalks, report }
}

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
      news: ['person.signed_in', 'app.connected slack_1', 'app.connected jira_1'],
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
      news: ['person.signed_in', 'app.connected slack_1', 'person.finished'],
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
        news: ['person.signed_in'],
      })
      pass(MINUTE)
      await started({ company: hiding })[tell]([slack])
      expect(await report(hiding)).toEqual({
        apps: ['jira_1 connected'],
        isFinished: true,
        news: ['person.signed_in', 'app.connected jira_1', 'person.finished'],
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

  it('is told of by processes with and without it, in turns, as what it is', async () => {
    const { started, pass, report } = office()
    const [shows, hides] = [started(), started({ company: hiding })]
    for (let times = 0; times < 3; times++) {
      await shows.page([slack, jira])
      pass(MINUTE)
      await hides.page([slack, jira])
      pass(MINUTE)
    }
    expect((await report()).news).toEqual(['person.signed_in'])
  })
})

it('someone who was forgotten and is known again does not get back what was to be counted before', async () => {
  const { started, pass, report, away, loseWalks } = office()
  const { page, people, campaign } = started()
  await page([slack])
  away(true)
  await page([slack], (walk) => skip(walk, 'slack_1', NOW))
  away(false)
  loseWalks()
  await people.forget(ada.email)
  pass(1)
  const change = vi.spyOn(people, 'change')
  await campaign([slack])
  await vi.waitFor(() => expect(change).toHaveBeenCalledTimes(2))
  expect(await report()).toEqual({ apps: ['slack_1 waiting'], isFinished: false, news: [] })
  expect((await people.get(ada.email))?.signedInAt).toBeUndefined()
})
