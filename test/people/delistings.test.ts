// Pages know within a minute which apps left many lists or were called removed, and whether runs check everyone.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createDelistings } from '../../src/people/delistings.ts'
import { newKeepState } from '../helpers/people.ts'

function setUp() {
  const setup = { now: 1_000_000, removed: ['jira_1'], isDown: false, reads: 0 }
  const load = () => {
    setup.reads++
    if (setup.isDown) return Promise.reject(new Error('down'))
    const question = { name: '', noticedAt: 1, since: 1, people: 9 }
    const marked = setup.removed.map((instance) => ({ ...question, instance, markedRemovedAt: 2 }))
    const delistedApps = [...marked, { ...question, instance: 'figma_1' }]
    return Promise.resolve({ ...newKeepState(), delistedApps })
  }
  const { isRemoved, instances } = createDelistings({ load }, () => setup.now)
  /** The answer after the read that a first question causes. */
  const ask = async (instance: string) => {
    isRemoved(instance)
    await nextTurn()
    return isRemoved(instance)
  }
  return { setup, ask, instances }
}

it('only an app that was called removed counts as removed, not one in question', async () => {
  const { ask } = setUp()
  expect([await ask('jira_1'), await ask('figma_1'), await ask('slack_1')]).toEqual([true, false, false])
})

it.each([
  ['is used for a minute', 59_999, 1, true],
  ['is read again after a minute', 60_000, 2, false],
  ['is read again by a clock set back by a minute', -60_000, 2, false],
])('the answer about an app %s', async (_title, later, reads, isStillRemoved) => {
  const { setup, ask } = setUp()
  await ask('jira_1')
  setup.removed = []
  setup.now += later
  expect(await ask('jira_1')).toBe(isStillRemoved)
  expect(setup.reads).toBe(reads)
})

it('the last answer is used while the store is down', async () => {
  const { setup, ask } = setUp()
  await ask('jira_1')
  setup.isDown = true
  setup.now += 60_000
  expect(await ask('jira_1')).toBe(true)
})

it('also after an idle night, a page knows the apps in question or removed', async () => {
  const { setup, instances } = setUp()
  expect(await instances()).toEqual(new Set(['jira_1', 'figma_1']))
  setup.removed = []
  setup.now += 60_000
  expect(await Promise.all([instances(), instances()])).toEqual([new Set(['figma_1']), new Set(['figma_1'])])
  expect(setup.reads).toBe(2)
})

const HALF_DAY = 12 * 3_600_000

it.each([
  ['no check', {}, false],
  ['a check begun less than half a day ago', { sweep: { beganAt: 1 } }, true],
  ['no check begun half a day ago', { sweep: { beganAt: 0 } }, false],
  ['no check of a clock that is half a day ahead', { sweep: { beganAt: 2 * HALF_DAY } }, false],
])('pages rely on %s of everyone', async (_title, sweep, isRelied) => {
  const load = () => Promise.resolve({ ...newKeepState(), ...sweep })
  expect(await createDelistings({ load }, () => HALF_DAY).isEveryoneChecked()).toBe(isRelied)
})
