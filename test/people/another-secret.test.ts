// A server with a secret of its own on the same store, as a staging server on production's Redis: production goes on,
// says what it could not read, and mails nobody who may have asked for no mails there.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, reached } from '../../src/people/person.ts'
import { settle } from '../helpers/crowd.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import { sendHere, startCompany, type Company } from '../campaigns/command.ts'

const STAGING = randomBytes(32).toString('base64url')
const now = Date.now()
const optedOut = (email: string) => reached(newPerson(email, now), 'optedOutAt', now)

describe('the page of administrators, beside a server with another secret', () => {
  let running: Running
  beforeAll(async () => {
    running = await run({ settings: { ADMIN_EMAILS: 'grace@acme.example' } })
    await settle(running, [reached(newPerson('eve@acme.example', now), 'openedAt', now)])
    const staging = { ...running, env: { ...running.env, SESSION_SECRET: STAGING } }
    await settle(staging, [optedOut('ada@acme.example'), optedOut('bob@acme.example')])
  })
  afterAll(() => running.close())

  it('counts everybody who can be read, and says how many records cannot, why, and what to do', async () => {
    const grace = await signIn(running, 'grace', '/admin')
    expect(grace.page.status).toBe(200)
    expect(grace.text).toContain('2 people on record')
    expect(grace.text).toContain('Not counted: 2 records (sealed under another secret).')
    expect(grace.text).toContain('add the earlier INVITE_SECRET (or SESSION_SECRET) back')
    expect(grace.text).toContain('REDIS_PREFIX')
    for (const list of ['/admin/people', '/admin/people/emails']) {
      await grace.open(`${running.url}${list}`)
      expect(grace.text, list).toContain('Not counted: 2 records (sealed under another secret).')
    }
  })

  it('exports the same', async () => {
    const grace = await signIn(running, 'grace', '/admin')
    const csv = await grace.open(`${running.url}/admin/people.csv`)
    expect(csv.body).toContain('eve@acme.example')
    const json = await grace.open(`${running.url}/admin/report.json`)
    expect(JSON.parse(json.body)).toMatchObject({
      people: 2,
      unread: { otherSecret: 2, damaged: 0, newer: 0 },
    })
  })
})

describe('the commands, beside a server with another secret', () => {
  let company: Company
  beforeAll(async () => {
    company = await startCompany()
    const staging = { ...company.env, SESSION_SECRET: STAGING }
    await settle({ env: staging }, [optedOut('ada@acme.example')])
    await settle(company, [reached(newPerson('eve@acme.example', now), 'openedAt', now)])
  })
  afterAll(() => company.close())

  it('report what can be read, and what cannot beside it', async () => {
    const json = await company.run(['invite', 'report', '--json'])
    expect(json.code).toBe(0)
    expect(JSON.parse(json.stdout)).toMatchObject({ people: 1, unread: { otherSecret: 1 } })
    const csv = await company.run(['invite', 'report', '--csv'])
    expect(csv.stdout).toContain('eve@acme.example')
    for (const { code, stderr } of [json, csv, await company.run(['invite', 'report'])]) {
      expect(code).toBe(0)
      expect(stderr).toContain('not included: one record (sealed under another secret)')
      expect(stderr).toContain('add the earlier INVITE_SECRET (or SESSION_SECRET) back')
    }
  })

  it('mail nobody who may have asked for no mails there, and everybody else', async () => {
    const list = company.list('people.csv', 'email\nada@acme.example\ngrace@acme.example\n')
    const { code, stderr } = await sendHere(company, [list, '--yes'])
    expect(code).toBe(3)
    expect(stderr).toContain('ada@acme.example: not emailed: the data stored about this person can')
    expect(company.sandbox.mail?.mails.map(({ to }) => to.join())).toEqual(['grace@acme.example'])
  })

  it('forget somebody without reading, and still mail nobody in doubt', async () => {
    const forgotten = await company.run(['invite', 'forget', 'ada@acme.example'])
    expect(forgotten).toMatchObject({ code: 0, stdout: 'Deleted all data for ada@acme.example\n' })
    expect(forgotten.stderr).toContain('One record (sealed under another secret) deleted unread')
    const report = await company.run(['invite', 'report', '--json'])
    expect(JSON.parse(report.stdout)).toMatchObject({ unread: { otherSecret: 0 } })
    const list = company.list('again.csv', 'email\nada@acme.example\n')
    const cautious = await sendHere(company, [list, '--yes'])
    expect(cautious.code).toBe(3)
    expect(company.sandbox.mail?.mails).toHaveLength(1)
  })
})
