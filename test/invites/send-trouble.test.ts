// What can go wrong while invitations are sent, and what does not come of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, describe, it } from 'vitest'
import { sendHere, startCompany, type Company, type SendOptions } from './command.ts'

let company: Company
let names = 0

beforeAll(async () => {
  company = await startCompany()
})
afterAll(() => company.close())
beforeEach(() => {
  company.sandbox.reset()
  company.sandbox.mail?.behave({})
})

const mails = () => company.sandbox.mail?.mails ?? []
const recipients = () => mails().map(({ to }) => to.join())

const send = (args: string[], options?: SendOptions) => sendHere(company, args, options)

const fresh = () => ['--campaign', `test-${names++}`]
const list = (content: string) => company.list(`list-${names++}.csv`, content)

const EVERYBODY = 'email,name\nada@acme.example,Ada\nbob@acme.example,Bob\ncarol@acme.example,Carol\n'

describe('the mail server', () => {
  it('that refuses for now is tried again by the next run, one that refuses for good is not', async () => {
    const campaign = fresh()
    company.sandbox.mail?.behave({ refuse: { code: 451, message: 'greylisted' } })
    expect((await send([list('ada@acme.example\n'), ...campaign])).stderr).toContain('1  put off')
    company.sandbox.mail?.behave({ refuse: { code: 550, message: 'no such user' } })
    expect((await send([list('ada@acme.example\n'), ...campaign])).stderr).toContain('1  refused')
    company.sandbox.mail?.behave({})
    expect(await send([list('ada@acme.example\n'), ...campaign])).toMatchObject({ code: 3 })
    expect(mails()).toHaveLength(0)
  })

  it('that cannot be reached stops nobody from getting their mail later', async () => {
    const campaign = fresh()
    const gone = { env: { SMTP_URL: 'smtp://127.0.0.1:1' } }
    const { code, stderr } = await send([list('ada@acme.example\n'), ...campaign], gone)
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be reached')
    expect(await send([list('ada@acme.example\n'), ...campaign])).toMatchObject({ code: 0 })
    expect(recipients()).toEqual(['ada@acme.example'])
  })
})

describe('the service', () => {
  it.each([false, true])('that says 429 is waited for as it says (a date: %s)', async (retryAfterDate) => {
    company.sandbox.switches.set({ rateLimit: { perSecond: 20, burst: 5 }, retryAfterDate })
    const people = 'email\nada@acme.example\nbob@acme.example\ndan@acme.example\ngrace@acme.example\n'
    const more = 'carol@acme.example\neve@acme.example\nfrank@acme.example\n'
    const { code } = await send([list(people + more), ...fresh(), '--at-once', '7'])
    expect(code).toBe(0)
    expect(recipients()).toHaveLength(6)
    const { refused, tooEarly } = company.sandbox.rate()
    expect(refused).toBeGreaterThan(0)
    // Those that were on their way when the first refusal came.
    expect(tooEarly).toBeLessThanOrEqual(6)
  })

  it('that refuses the token ends the run at once with what to look at', async () => {
    const { code, stderr } = await send([list(EVERYBODY), ...fresh()], {
      env: { SERVICE_GLOBAL_TOKEN: 'wrong' },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('SERVICE_GLOBAL_TOKEN')
    expect(stderr).not.toContain('wrong')
    expect(mails()).toHaveLength(0)
  })
})

describe('two runs of one campaign', () => {
  it('exclude each other; another campaign goes its own way', async () => {
    company.sandbox.switches.set({ latencyMs: { checkdatasourceauth: 6_000 } })
    const campaign = fresh()
    const first = send([list('ada@acme.example\n'), ...campaign])
    await sleep(300)
    const second = await send([list('bob@acme.example\n'), ...campaign])
    expect(second.code).toBe(4)
    expect(second.stderr).toContain('another run of the campaign')
    expect((await first).code).toBe(0)
    expect(recipients()).toEqual(['ada@acme.example'])
  })
})

describe('wrong usage', () => {
  it.each([
    [[], 'takes one list'],
    [['nowhere.csv'], 'there is no file'],
    [['-', '--days', '91'], '--days takes a whole number from 1 to 90'],
    [['-', '--on-invalid', 'ignore'], 'stop or skip'],
    [['-', '--campaign', '../x'], 'letters, digits'],
    [['-', '--what'], '--what'],
  ])('is told: %j', async (args, message) => {
    const { code, stderr } = await send(args)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
