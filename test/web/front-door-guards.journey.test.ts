// Where a sign-in may lead, as a stranger meets it at the front door.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

describe('a sign-in', () => {
  let running: Running
  beforeAll(async () => {
    running = await run({ settings: { RETURN_TO_ORIGINS: 'https://intranet.acme.example' } })
  })
  afterAll(() => running.close())

  it.each([
    'https://evil-intranet.acme.example/',
    'https://evilintranet.acme.example/',
    'https://sub.intranet.acme.example/',
    'https://intranet.acme.example.evil.example/',
    'https://acme.example/',
    'https://evil.example/?https://intranet.acme.example',
  ])('leads to our own pages, and never to %s', async (target) => {
    const browser = await signIn(running, 'ada', `/onboarding?return_to=${encodeURIComponent(target)}`)
    expect(browser.page.body).not.toContain(`//${new URL(target).host}`)
    const begun = new TestBrowser()
    await begun.open(`${running.url}/sign-in?return_to=${encodeURIComponent(target)}`)
    await begun.post(begun.page.url, { person: 'ada' })
    expect(new URL(begun.page.url).origin).toBe(running.url)
  })

  it('leads back to an allowed origin', async () => {
    const target = 'https://intranet.acme.example/tools'
    const browser = await signIn(running, 'ada', `/onboarding?return_to=${encodeURIComponent(target)}`)
    expect(browser.page.body).toContain(target)
  })
})
