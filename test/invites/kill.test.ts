// Five thousand people, a process that is killed ten times in the middle, and nobody who notices.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, startCompany, type Company } from './command.ts'

const PEOPLE = 5_000
const KILLS = 10
const AT_ONCE = 8
const LIMIT = { perSecond: 800, burst: 800 }

let company: Company

beforeAll(async () => {
  company = await startCompany({ people: [], company: PEOPLE, switches: { rateLimit: LIMIT } })
})
afterAll(() => company.close())

it('sends every mail once, though the run is killed ten times', { timeout: 120_000 }, async () => {
  const { sandbox } = company
  const mails = sandbox.mail?.mails ?? []
  const list = company.list('people.csv', `email,name\n${people().join('\n')}\n`)
  const pace = ['--rate', '600', '--mail-rate', '2000', '--at-once', String(AT_ONCE)]
  const args = ['invite', 'send', list, ...pace, '--json']

  for (let kill = 0; kill < KILLS; kill++) {
    const child = company.start(args)
    const end = ended(child)
    const until = mails.length + 60 + Math.floor(Math.random() * 200)
    while (mails.length < until && child.exitCode === null) await sleep(5)
    await sleep(Math.random() * 30)
    child.kill('SIGKILL')
    expect((await end).stderr).toBe('')
  }
  const last = await company.run(args)

  const tally = JSON.parse(last.stdout) as Record<string, number>
  const times = new Map<string, number>()
  for (const { to } of mails) for (const address of to) times.set(address, (times.get(address) ?? 0) + 1)
  const expected = new Set(sandbox.people.filter(hasSomething).map(({ email }) => email))
  const left = [...expected].filter((email) => !times.has(email))

  expect([...times.values()].filter((count) => count > 1)).toEqual([])
  expect([...times.keys()].filter((email) => !expected.has(email))).toEqual([])
  expect(left.length).toBeLessThanOrEqual(tally['uncertain'] ?? 0)
  expect(tally['uncertain']).toBeLessThanOrEqual(KILLS * AT_ONCE)
  expect(last.code).toBe(tally['uncertain'] === 0 ? 0 : 3)
  expect(mails.length).toBeGreaterThan(2_000)
  expect(sandbox.rate()).toMatchObject({ refused: 0, tooEarly: 0 })

  const again = await company.run(args)
  expect(JSON.parse(again.stdout)).toMatchObject({ sent: 0, rows: PEOPLE, uncertain: tally['uncertain'] })
  expect(new Set(mails.map(({ to }) => to[0])).size).toBe(mails.length)
})

const people = () => company.sandbox.people.map(({ email, name }) => `${email},${name}`)

const hasSomething = ({ datasources }: Company['sandbox']['people'][number]) =>
  datasources.some(({ authorized, authStatus }) => authorized !== true && authStatus !== 'DISABLED')
