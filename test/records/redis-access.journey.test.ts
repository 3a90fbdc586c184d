// The documented ACL is sufficient and minimal: the whole product on a Redis user with these rights, limited to keys
// below REDIS_PREFIX. Redis logs refused commands (ACL LOG).
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { redisAclRules } from '../../src/records/redis-records.ts'
import { runCommand } from '../cli/run-command.ts'
import { newSecret } from '../doctor/setup.ts'
import { expectSignedIn, expectSignedOut } from '../helpers/signed-in.ts'
import { answerConsent } from '../helpers/journey.ts'
import { statusOf, until } from '../helpers/processes.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

/** Starts onramp with this Redis user. */
async function runAsUser(redis: RedisServer, database: number, prefix: string): Promise<Running> {
  const password = newSecret()
  const url = `${redis.url.replace('//', `//onramp:${password}@`)}/${database}`
  const rules = redisAclRules(prefix, 'standalone', url)
  await redis.ask('ACL', 'SETUSER', 'onramp', 'on', `>${password}`, ...rules)
  const running = await run({ settings: { REDIS_URL: url, REDIS_PREFIX: prefix }, sandbox: { mailPort: 0 } })
  await until(async () => (await statusOf(`${running.url}/readyz`)) === 200, 'readiness')
  return running
}

/** Commands that Redis refused, except the client library's CLIENT SETINFO. */
async function refusals(redis: RedisServer): Promise<string[]> {
  const log = (await redis.ask('ACL', 'LOG')) as string[][]
  const refused = log.map((entry) => String(entry[entry.indexOf('object') + 1]))
  return refused.filter((command) => !command.startsWith('client'))
}

/** The number of calls of each Redis command since the start. */
async function calls(redis: RedisServer): Promise<Map<string, number>> {
  const stats = String(await redis.ask('INFO', 'commandstats'))
  return new Map(
    [...stats.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].map(([, name = '', count]) => [name, Number(count)]),
  )
}

describe.each([
  [0, 'onramp:'],
  [3, 'acme/'],
])('the documented rights (database %i, %s)', (database, prefix) => {
  const redis = shared(startRedis)
  const running = shared(() => runAsUser(redis, database, prefix))

  const command = (...args: string[]) =>
    runCommand(args, {
      ...running.env,
      SERVICE_GLOBAL_TOKEN: running.sandbox.serviceTokens.global,
      SMTP_URL: running.sandbox.mail?.url ?? '',
      MAIL_FROM: 'Search team <search@acme.example>',
    })

  it('the documented ACL is sufficient for a walk and for sign-outs', async () => {
    const browser = await signIn(running, 'ada')
    await browser.click('/onboarding/connect')
    await answerConsent(browser, 'allow')
    await browser.open(`${running.url}/onboarding`)

    await browser.submit('/onboarding/skip/')
    expect(browser.page.status).toBe(200)
    for (const path of ['/sessions', '/search?q=plans', '/api/status'])
      expect((await browser.open(running.url + path)).status, path).toBe(200)

    const other = await signIn(running, 'bob')
    await running.sandbox.endSessions('bob')
    expect(running.sandbox.logouts().at(-1)?.status).toBe(200)
    await expectSignedOut(running, other)
    await expectSignedIn(running, browser)

    await browser.open(`${running.url}/onboarding`)
    await browser.submit('/sign-out')
    await expectSignedOut(running, browser)
    expect(await refusals(redis)).toEqual([])
  })

  it('the documented ACL is sufficient for invitations, their report, and forgetting someone', async () => {
    const list = join(running.env['DATA_DIR'] ?? '', 'people.csv')
    writeFileSync(list, 'email,department\nbob@acme.example,Sales\ngrace@acme.example,Sales\n')
    const sent = await command('invite', 'send', list, '--rate', '50')
    expect(sent.exit, sent.err).toBe(0)
    expect(running.sandbox.mail?.emails.length).toBeGreaterThan(0)
    const report = await command('invite', 'report', '--json')
    expect(JSON.parse(report.out), report.err).toMatchObject({ people: 3 })
    const forgotten = await command('invite', 'forget', 'bob@acme.example')
    expect(forgotten.exit, forgotten.err).toBe(0)
    expect(await refusals(redis)).toEqual([])
  })

  it('the doctor accepts the documented ACL', async () => {
    const { out } = await command('doctor', '--json')
    const report = JSON.parse(out) as { findings: { check: string; status: string; says: string }[] }
    const failed = report.findings.filter(({ check, status }) => check === 'store.redis' && status === 'fail')
    expect(failed).toEqual([])
  })

  it('the documented ACL grants no unused command', async () => {
    const used = await calls(redis)
    const granted = redisAclRules(prefix).flatMap((rule) => (rule.startsWith('+') ? rule.slice(1) : []))
    expect(granted.filter((name) => !used.has(name))).toEqual([])
  })
})
