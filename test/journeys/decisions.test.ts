// LOG_LEVEL=debug: an operator can follow what the walk decided, and still learns no path, no token and no address.
import { expect, it, onTestFinished } from 'vitest'
import { answerConsent, letRefresh, openWorld } from '../helpers/journey.ts'

/** The debug lines of the walk, without what every line has. */
const decisionsIn = (log: string[]) =>
  log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => String(msg).startsWith('walk: '))
    .map(({ level, time: _time, requestId: _requestId, ...rest }) => ({ ...rest, isDebug: level === 20 }))

it('a debug log tells each decision of a walk, by instance and outcome alone', async () => {
  const store = async () => ({ settings: { LOG_LEVEL: 'debug' }, close: () => Promise.resolve() })
  const world = await openWorld(store)
  onTestFinished(() => world.close())
  const { browser, person } = await world.begin(2)

  await browser.submit('/onboarding/skip/slack_1')
  await browser.submit('/onboarding/unskip/slack_1')
  await browser.click('/onboarding/connect/slack_1')
  await answerConsent(browser, 'deny')
  await letRefresh(browser)
  await browser.click('/onboarding/connect/slack_1')
  await answerConsent(browser, 'allow')
  await answerConsent(browser, 'allow')

  const lines = decisionsIn(world.log)
  const told = lines.map((line) => ({ ...line, msg: undefined, waiting: undefined, isDebug: undefined }))
  for (const decision of [
    { next: 'connect', instance: 'slack_1' },
    { change: 'skip', instance: 'slack_1' },
    { change: 'unskip', instance: 'slack_1' },
    { return: 'slack_1', looks: 0 },
    { transition: 'leave', instance: 'slack_1' },
    { transition: 'page', from: 'slack_1' },
    { next: 'wait', instance: 'slack_1' },
    { transition: 'leave', instance: 'github_1' },
    { transition: 'page', from: 'github_1' },
    { next: 'done' },
  ])
    expect(told).toContainEqual(decision)
  expect(lines).toContainEqual({
    isAsked: true,
    waiting: ['slack_1 awaiting', 'github_1 awaiting'],
    msg: 'walk: what the service says',
    isDebug: true,
  })
  expect(lines.every(({ isDebug }) => isDebug)).toBe(true)

  const text = JSON.stringify(lines)
  expect(text).not.toMatch(/auth\/datasource|token|step=|@/)
  expect(text).not.toContain(person)
  const values = browser.hops
    .flatMap(({ location, url }) => [...new URL(location ?? '/', url).searchParams.values()])
    .filter((value) => value.length >= 16)
  expect(values.length).toBeGreaterThan(0)
  for (const value of values) expect(text).not.toContain(value)
})
