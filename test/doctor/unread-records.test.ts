import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, reached } from '../../src/people/person.ts'
import { settle } from '../helpers/crowd.ts'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { examined, setUp, type SetUp } from './set-up.ts'

const now = Date.now()
const ada = reached(newPerson('ada@acme.example', now), 'optedOutAt', now)
const other = randomBytes(32).toString('base64url')

describe('what the doctor says of what is written down about people', () => {
  let set: SetUp
  let redis: RedisServer
  beforeAll(async () => {
    set = await setUp()
    redis = await startRedis()
  })
  afterAll(async () => {
    await set.close()
    await redis.close()
  })

  const findings = async (env: Record<string, string>) => {
    const report = await examined(env)
    return report.findings.filter(({ check }) => check === 'store.records')
  }

  it('is nothing before anything is there, and it makes no store', async () => {
    expect(await findings(set.env)).toMatchObject([{ status: 'skip' }])
    expect(existsSync(join(set.folder, 'onramp.sqlite'))).toBe(false)
  })

  it.each(['SQLite', 'Redis'])(
    'in %s is that all of it can be read, or how much cannot, why, and what to do',
    async (kind) => {
      const env: Record<string, string> = {
        ...set.env,
        ...(kind === 'Redis' ? { REDIS_URL: redis.url } : {}),
      }
      await settle({ env }, [ada])
      expect(await findings(env)).toMatchObject([{ status: 'ok' }])
      expect(await findings({ ...env, SESSION_SECRET: `${other},${env['SESSION_SECRET']}` })).toMatchObject([
        { status: 'ok' },
      ])
      const [found] = await findings({ ...env, SESSION_SECRET: other })
      expect(found).toMatchObject({
        status: 'warn',
        settings: ['INVITE_SECRET', 'SESSION_SECRET', 'REDIS_PREFIX'],
      })
      expect(found?.says).toContain('one record (sealed under another secret)')
      expect(found?.fix).toContain('add the earlier INVITE_SECRET (or SESSION_SECRET) back')
    },
  )

  it('is left out while the store cannot be reached', async () => {
    expect(await findings({ ...set.env, REDIS_URL: 'redis://127.0.0.1:9' })).toMatchObject([
      { status: 'skip' },
    ])
  })
})
