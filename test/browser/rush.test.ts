// Datasources that agree without a page: browsers give up after some 20 redirects in a row.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Browser } from 'playwright-core'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { Running } from '../helpers/running.ts'
import { Visitor } from './visitor.ts'

let browser: Browser
let running: Running

beforeAll(async () => {
  ;[browser, running] = await Promise.all([
    openChromium(),
    runOnThreeSites({ sandbox: { switches: { autoConsent: true } } }),
  ])
})

afterAll(async () => {
  await browser.close()
  await running.close()
})

describe('somebody with forty datasources that all agree at once', () => {
  it('clicks once and ends with everything connected, without too many redirects in a row', async () => {
    const visitor = await Visitor.arrive(browser, running, { person: 'grace' })
    await visitor.open()
    await visitor.goOn()
    await visitor.page.getByRole('heading', { name: 'You’re all set' }).waitFor({ timeout: 30_000 })
    expect(Object.values(running.sandbox.state('grace'))).toEqual(
      Array.from({ length: 40 }, () => 'authorized'),
    )
    expect(visitor.complaints).toEqual([])
  })
})
