// Every page and state in real Chromium passes the checks of examine.ts.
import { afterEach, expect, it } from 'vitest'
import type { Response } from 'playwright-core'
import { findingsOf } from './examine.ts'
import { allStates, peopleOf, personOf } from './states.ts'
import { INTRANET, type State } from './ways.ts'
import { useSite, type Visitor } from './visitor.ts'

const siteThatConfirmsFor = (seconds: 0 | 90) =>
  useSite(() => ({
    settings: { ADVANCE: 'confirm', CONFIRM_SECONDS: String(seconds), RETURN_TO_ORIGINS: INTRANET },
    sandbox: { people: peopleOf(allStates) },
  }))
const [patientSite, impatientSite] = [siteThatConfirmsFor(90), siteThatConfirmsFor(0)]
afterEach(() => patientSite.running.sandbox.switches.reset())

async function arriveAt(state: State): Promise<{ visitor: Visitor; html: string }> {
  const site = state.confirmSeconds === 0 ? impatientSite : patientSite
  const { sandbox, url } = site.running
  if (state.switches !== undefined) sandbox.switches.set(state.switches)
  const visitor = await site.arrive({ person: personOf(state) })
  let shown: Response | undefined
  visitor.context.on('response', (response) => {
    const isOurs = response.request().isNavigationRequest() && response.url().startsWith(url)
    if (isOurs && response.headers()['content-type']?.startsWith('text/html')) shown = response
  })
  for (const act of state.reach) await act(visitor)
  await expect
    .poll(() => visitor.page.title(), { timeout: 150_000 })
    .toBeOneOf([`${state.title} - Search setup`, state.title])
  await visitor.page.waitForLoadState('load')
  return { visitor, html: (await shown?.text()) ?? '' }
}

it.each(allStates)('every page is accessible and valid: $name', async (state) => {
  const { visitor, html } = await arriveAt(state)
  const { page } = visitor

  expect(await findingsOf(page, html)).toEqual([])
  expect(await page.locator('main a, main button').count()).toBeGreaterThan(0)
  expect(visitor.complaints).toEqual([])
  const ours = Object.values(visitor.running.sandbox.urls).concat(visitor.running.url)
  const requested = visitor.requests.map((request) => request.url())
  expect(requested.filter((url) => !ours.some((known) => url.startsWith(known)))).toEqual([])
})
