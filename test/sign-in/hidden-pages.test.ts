// What a browser keeps in memory of a person's pages after they have signed out.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await run()
})
afterAll(() => running.close())

it('a sign-out changes a cookie, so that Chromium shows no page from memory to those who press back', async () => {
  const changes = new Set<string>()
  for (let times = 0; times < 2; times++) {
    const browser = await signIn(running, 'ada')
    const { headers } = await browser.submit('/sign-out', { follow: false })
    expect(headers['set-cookie']).toMatch(/onramp-left=[\w-]{8};.*HttpOnly/)
    changes.add(headers['set-cookie'] ?? '')
  }
  expect(changes.size).toBe(2)
})
