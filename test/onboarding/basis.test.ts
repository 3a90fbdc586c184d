// What each request knows when it changes a walk: whether the service was asked just then, and what was loaded before.
import { expect, it, vi } from 'vitest'
import { frontDoor } from './front-door.ts'

const CLICK = '/onboarding/connect/slack_1'

/** Of the requests so far: was the service asked, and was the walk at hand? */
function watchedDoor() {
  const door = frontDoor()
  const update = vi.spyOn(door.walks, 'update')
  const bases = () =>
    update.mock.calls.map(([, , { isAsked = false, from } = {}]) => ({
      isAsked,
      isLoaded: from !== undefined,
    }))
  return { ...door, bases }
}

const ASKED = { isAsked: true, isLoaded: true }

it('a page, a click and a return ask the service first', async () => {
  const { at, page, to, back, bases } = watchedDoor()
  await page('/onboarding')
  await to(CLICK)
  at.now += 10_000
  await to(back())
  expect(bases()).toEqual([ASKED, ASKED, ASKED])
})

it('the intranet’s question asks it too', async () => {
  const { get, bases } = watchedDoor()
  await get('/api/status')
  expect(bases()).toEqual([ASKED])
})

it('a page that is opened while the person is leaving does not', async () => {
  const { page, to, bases } = watchedDoor()
  await to(CLICK)
  await page('/onboarding')
  expect(bases()).toEqual([ASKED, { isAsked: false, isLoaded: true }])
})

it('what a person says is written down without asking', async () => {
  const { page, post, bases } = watchedDoor()
  await page('/onboarding')
  for (const path of ['skip', 'unskip', 'blocked', 'unblock']) await post(`/onboarding/${path}/slack_1`)
  expect(bases().slice(1)).toEqual(Array.from({ length: 4 }, () => ({ isAsked: false, isLoaded: false })))
})
