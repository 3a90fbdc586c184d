// `invite send` to hundreds of people, killed several times: no one gets two emails, and no one gets none.
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { MAX_CONCURRENT } from '../../src/campaigns/throttle.ts'
import { waitForEnd, startCompany, type Company } from './command.ts'

const LIMIT = { perSecond: 800, burst: 800 }

/** Allowed output of a run that resumes after a killed one. */
const EXPECTED =
  /^(Columns: email, name\. Ignored: none\.$|No saved progress|\S+@acme\.example: delivery unknown$|\d+% · .*$|$)/

/** Kills it a moment after fifteen to forty more emails. @returns its stderr */
async function killAtRandom(child: ReturnType<Company['start']>, count: () => number): Promise<string> {
  const end = waitForEnd(child)
  const until = count() + 15 + Math.floor(Math.random() * 25)
  while (count() < until && child.exitCode === null) await sleep(5)
  await sleep(Math.random() * 30)
  child.kill('SIGKILL')
  return (await end).stderr
}

const uncertainIn = (csv: string): string[] =>
  (parse(csv, { columns: true, bom: true }) as Record<string, string>[])
    .filter(({ uncertain }) => uncertain === 'yes')
    .map(({ email = '' }) => email)

const hasSomething = ({ datasources }: Company['sandbox']['people'][number]) =>
  datasources.some(({ authorized, authStatus }) => authorized !== true && authStatus !== 'DISABLED')

describe.each([
  { store: 'the embedded store', people: 240, kills: 3 },
  { store: 'Redis', people: 160, kills: 2 },
])('killed runs on $store', ({ store, people, kills }) => {
  let company: Company
  let redis: RedisServer | undefined
  let env: Record<string, string> = {}

  beforeAll(async () => {
    redis = store === 'Redis' ? await startRedis() : undefined
    env = redis === undefined ? {} : { REDIS_URL: redis.url }
    company = await startCompany({ people: [], company: people, switches: { rateLimit: LIMIT } })
  })
  afterAll(async () => {
    await company.close()
    await redis?.close()
  })

  it(
    `invite send emails ${people} people once, though it is killed ${kills} times`,
    { timeout: 180_000 },
    async () => {
      const { sandbox } = company
      const received = sandbox.mail?.emails ?? []
      const rows = sandbox.people.map(({ email, name }) => `${email},${name}\n`).join('')
      const list = company.list('people.csv', `email,name\n${rows}`)
      const args = ['invite', 'send', list, '--rate', '600', '--json']

      for (let kill = 0; kill < kills; kill++) {
        const stderr = await killAtRandom(company.start(args, env), () => received.length)
        expect(stderr.split('\n').filter((line) => !EXPECTED.test(line))).toEqual([])
      }
      const last = await company.run(args, { env })

      const tally = JSON.parse(last.stdout) as Record<string, number>
      const recipients = received.flatMap(({ to }) => to)
      const reached = new Set(recipients)
      const expected = new Set(sandbox.people.filter(hasSomething).map(({ email }) => email))
      const unsent = [...expected].filter((email) => !reached.has(email))
      const report = await company.run(['invite', 'report', '--csv'], { env })
      const uncertain = uncertainIn(report.stdout)

      expect(recipients).toHaveLength(reached.size)
      expect([...reached].filter((email) => !expected.has(email))).toEqual([])
      expect(unsent.filter((email) => !uncertain.includes(email))).toEqual([])
      expect(uncertain).toHaveLength(tally['uncertain'] ?? 0)
      expect(uncertain.length).toBeLessThanOrEqual(kills * MAX_CONCURRENT)
      expect(last.code).toBe(uncertain.length === 0 ? 0 : 3)
      expect(received.length).toBeGreaterThan(people * 0.4)
      expect(sandbox.rate()).toMatchObject({ refused: 0, tooEarly: 0 })

      const again = await company.run(args, { env })
      expect(JSON.parse(again.stdout)).toMatchObject({ sent: 0, rows: people, uncertain: uncertain.length })
      expect(new Set(received.map(({ to }) => to[0])).size).toBe(received.length)
    },
  )
})
