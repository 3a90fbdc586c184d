// Firefox's bounce-tracking protection deletes cookies of sites without interaction, here without its hour of grace. It
// deletes none of ours.
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOnThreeSites } from '../../helpers/chromium.ts'
import { invite, type Running } from '../../helpers/running.ts'
import { missing, type Engine } from './engine.ts'
import { Person } from './person.ts'
import { firefoxNeeds, openFirefox } from './puppeteer.ts'

const lacks = missing(firefoxNeeds) ?? ''
const SECONDS_BETWEEN_PURGES = 1

const PREFERENCES = {
  'privacy.bounceTrackingProtection.mode': 1,
  'privacy.bounceTrackingProtection.bounceTrackingGracePeriodSec': 0,
  'privacy.bounceTrackingProtection.bounceTrackingPurgeTimerPeriodSec': SECONDS_BETWEEN_PURGES,
  // Milliseconds after the load during which a script may redirect, before the visit is classified.
  'privacy.bounceTrackingProtection.clientBounceDetectionTimerPeriodMS': 500,
}

let firefox: Engine
let running: Running
/** A tracker: sets a cookie and redirects to `?to`. */
let tracker: Server
let intranet: Server

async function serve(host: string, answer: (to: string | null) => { cookie?: string; html?: string }) {
  const server = createServer((req, res) => {
    const to = new URL(req.url ?? '/', 'http://x').searchParams.get('to')
    const { cookie, html } = answer(to)
    if (cookie !== undefined && req.headers.cookie === undefined) res.setHeader('Set-Cookie', cookie)
    res.writeHead(to === null ? 200 : 303, { 'content-type': 'text/html', ...(to && { location: to }) })
    res.end(html ?? `<p>cookie: ${req.headers.cookie ?? 'none'}</p>`)
  })
  server.listen(0, host)
  await once(server, 'listening')
  return server
}

const addressOf = (server: Server) => {
  const { address, port } = server.address() as AddressInfo
  return `http://${address}:${port}/`
}

beforeAll(async () => {
  if (lacks !== '') return
  ;[firefox, running] = await Promise.all([openFirefox(PREFERENCES), runOnThreeSites()])
  tracker = await serve('127.0.0.4', () => ({ cookie: 'followed=yes; Path=/' }))
  intranet = await serve('127.0.0.5', () => ({
    html: `<a id="ours" href="${running.url}/onboarding">Connect</a>
      <a id="theirs" href="${addressOf(tracker)}?to=${running.url}/signed-out">Win</a>`,
  }))
})
afterAll(async () => {
  if (lacks !== '') return
  await firefox.close()
  await running.close()
  for (const server of [tracker, intranet]) server.close()
})

const purge = () => sleep((SECONDS_BETWEEN_PURGES * 2 + 1) * 1000)

/** The page of a person who returns after a walk with purges in the middle and at the end. */
async function walkPurged(ada: Person): Promise<string> {
  await ada.press('.step .button[href^="/onboarding/connect/"]')
  await ada.answer('Slack', 'allow')
  await ada.reads('content you can access in GitHub.')
  await purge()
  for (const app of ['GitHub', 'Google Drive', 'Jira', 'Confluence']) await ada.answer(app, 'allow')
  await ada.reads('All 5 apps are connected.')
  await ada.tab.open(addressOf(intranet))
  await purge()
  await ada.tab.open(`${running.url}/onboarding`)
  return await ada.sees()
}

describe.skipIf(lacks !== '')(`Firefox’s bounce-tracking protection ${lacks}`, () => {
  it('Firefox deletes the cookie of a site that only redirects', async () => {
    const ada = await Person.arrive(firefox, running, 'ada')
    await ada.tab.open(addressOf(intranet))
    await ada.press('#theirs')
    await ada.reads('You’re signed out')
    await ada.tab.open(addressOf(intranet))
    await purge()
    await ada.tab.open(addressOf(tracker))
    expect(await ada.sees()).toContain('cookie: none')
    await ada.leave()
  })

  it('a walk from the intranet loses nothing to bounce-tracking protection', async () => {
    const ada = await Person.arrive(firefox, running, 'ada')
    await ada.tab.open(addressOf(intranet))
    await ada.press('#ours')
    await ada.chooseAccount()
    expect(await walkPurged(ada)).toContain('All 5 apps are connected.')
    await ada.leave()
  })

  it('a walk from an email loses nothing to bounce-tracking protection', async () => {
    running.sandbox.reset()
    const ada = await Person.arrive(firefox, running, 'ada')
    const token = invite(running)
    await ada.tab.open(`${running.url}/invite/${token}`)
    await ada.press(`a[href="/invite/${token}/start"]`)
    await ada.reads('Choose an account')
    await purge()
    await ada.chooseAccount()
    expect(await walkPurged(ada)).toContain('All 5 apps are connected.')
    await ada.leave()
  })
})
