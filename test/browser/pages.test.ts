// Every page and state in real Chromium: nobody is kept out by how it is made, and it stays small.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Browser, Response } from 'playwright-core'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { Running } from '../helpers/running.ts'
import { findingsOf } from './examine.ts'
import { allStates, peopleOf, personOf } from './states.ts'
import { INTRANET, type State } from './ways.ts'
import { Visitor } from './visitor.ts'

let browser: Browser
let patient: Running
let impatient: Running

const worldOf = (state: State) => (state.confirmSeconds === 0 ? impatient : patient)

beforeAll(async () => {
  const world = (confirmSeconds: number) =>
    runOnThreeSites({
      settings: {
        ADVANCE: 'confirm',
        CONFIRM_SECONDS: String(confirmSeconds),
        RETURN_TO_ORIGINS: INTRANET,
      },
      sandbox: { people: peopleOf(allStates) },
    })
  ;[browser, patient, impatient] = await Promise.all([openChromium(), world(90), world(0)])
})

afterAll(async () => {
  await browser.close()
  await Promise.all([patient.close(), impatient.close()])
})

async function arriveAt(state: State): Promise<{ visitor: Visitor; html: string }> {
  const running = worldOf(state)
  if (state.switches !== undefined) running.sandbox.switches.set(state.switches)
  const visitor = await Visitor.arrive(browser, running, { person: personOf(state) })
  let shown: Response | undefined
  visitor.context.on('response', (response) => {
    const isOurs = response.request().isNavigationRequest() && response.url().startsWith(running.url)
    if (isOurs && response.headers()['content-type']?.startsWith('text/html')) shown = response
  })
  await state.reach(visitor)
  await visitor.page.waitForLoadState('load')
  return { visitor, html: (await shown?.text()) ?? '' }
}

afterEach(() => patient.sandbox.switches.reset())

it.each(allStates)('every page passes: $name', async (state) => {
  const { visitor, html } = await arriveAt(state)
  const { page } = visitor

  expect(await findingsOf(page, html)).toEqual([])
  expect(await page.title()).toBeOneOf([`${state.title} - Search setup`, state.title])
  expect(await page.locator('main a, main button').count()).toBeGreaterThan(0)
  expect(visitor.complaints).toEqual([])
  const ours = Object.values(visitor.running.sandbox.urls).concat(visitor.running.url)
  const strangers = visitor.requests
    .map((request) => request.url())
    .filter((url) => !ours.some((known) => url.startsWith(known)))
  expect(strangers).toEqual([])
  await visitor.leave()
})
