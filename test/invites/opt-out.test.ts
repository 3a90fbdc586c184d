// Opt-out links: a page for people, and one click for mail programs.
import express from 'express'
import request from 'supertest'
import { beforeEach, expect, it } from 'vitest'
import { createOptOutRoutes } from '../../src/invites/opt-out.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { invite, run } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() => run())

beforeEach(() => running.sandbox.reset())

const issue = (email: string, days = 14, at = Date.now()) => invite(running, { email, days, at })

const optOut = () => `${running.url}/invite/${issue('carol@acme.example')}/opt-out`

it('a POST stops reminders, and a GET only shows the page', async () => {
  const url = optOut()
  const browser = new TestBrowser()

  for (let times = 0; times < 5; times++) {
    await browser.open(url, { method: 'HEAD', follow: false })
    await browser.open(url)
    expect(browser.text).toContain('Stop reminders')
  }

  await browser.submit('/invite/')
  expect(browser.text).toContain('You won’t get any more reminders')
  expect(browser.text).toContain('c••@acme.example')
  expect(browser.text).not.toContain('carol@')

  await browser.post(url, { undo: 'yes' })
  expect(browser.text).toContain('Reminders are back on')
  expect(browser.text).toContain('Stop reminders')

  await browser.open(url)
  expect(browser.text).not.toContain('again')
})

it('the opt-out page has the language that the person chooses there', async () => {
  const browser = new TestBrowser()
  await browser.open(`${optOut()}?lang=de`)
  expect(browser.page.body).toContain('<html lang="de"')
  await browser.open(`${running.url}/deprecations`)
  expect(browser.page.body).toContain('<html lang="de"')
})

it('the one-click unsubscribe of a mail program stops reminders without a cookie', async () => {
  const url = optOut()

  for (let times = 0; times < 3; times++) {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
      body: 'List-Unsubscribe=One-Click',
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('set-cookie')).toBeNull()
  }

  const multipart = new FormData()
  multipart.set('List-Unsubscribe', 'One-Click')
  const response = await fetch(url, { method: 'POST', redirect: 'manual', body: multipart })
  expect(response.status).toBe(200)

  const browser = new TestBrowser()
  await browser.open(url)
  expect(browser.text).toContain('You won’t get any more reminders')
})

it('the opt-out page never claims a resubscription that didn’t happen', async () => {
  const url = `${running.url}/invite/${issue('frank@acme.example')}/opt-out`
  const browser = new TestBrowser()
  await browser.post(url, { stop: 'yes' })
  await browser.open(`${url}?undone=yes`)
  expect(browser.text).toContain('You won’t get any more reminders')
})

it('an expired link stops reminders', async () => {
  const old = issue('dan@acme.example', 1, Date.now() - 400 * 86_400_000)
  const browser = new TestBrowser()
  await browser.open(`${running.url}/invite/${old}/opt-out`)
  await browser.submit('/invite/')
  expect(browser.text).toContain('You won’t get any more reminders')
  await browser.open(`${running.url}/invite/${old}`)
  expect(browser.text).toContain('This link doesn’t work')
})

it('a forged link doesn’t stop reminders', async () => {
  const url = `${running.url}/invite/a.b.c/opt-out`
  const browser = new TestBrowser()
  await browser.open(url)
  expect(browser.text).toContain('This unsubscribe link isn’t valid')
  const before = running.log.length
  const page = await browser.post(url, { stop: 'yes' })
  expect(page.status).toBe(404)
  const refusal = { code: 'not_found', status: 404, method: 'POST', route: '/invite/:token/opt-out' }
  const lines = running.log.slice(before).map((line) => JSON.parse(line) as object)
  expect(lines).toEqual([expect.objectContaining(refusal)])
  expect(browser.text).toContain('This unsubscribe link isn’t valid')
  const program = await fetch(url, { method: 'POST', headers: { accept: 'application/json' } })
  expect(program.status).toBe(404)
  expect(program.headers.get('content-type')).toContain('application/problem+json')
})

it('an opt-out that can’t be stored isn’t audited', async () => {
  const audited: object[] = []
  const invitation = { email: 'ada@acme.example', datasources: [], sentAt: 0 }
  const people = {
    addressAt: (email: string) => Promise.resolve(email),
    get: () => Promise.resolve(undefined),
    change: () => Promise.reject(new StoreUnavailable(new Error('full'))),
  }
  const app = express().use(
    createOptOutRoutes({
      invitations: { readIgnoringExpiry: () => Promise.resolve(invitation) },
      people,
      limit() {},
      sendPage() {},
      audit: (event) => void audited.push(event),
      log: { info() {} },
      now: Date.now,
    }),
  )
  await request(app).post('/invite/token/opt-out').expect(503)
  expect(audited).toEqual([])
})
