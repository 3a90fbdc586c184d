// Two installations on one Redis: what every key begins with keeps them apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '../helpers/redis.ts'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

describe('REDIS_PREFIX', () => {
  let redis: RedisServer
  let production: Running
  let staging: Running
  beforeAll(async () => {
    redis = await startRedis()
    const options = (prefix: string) => ({
      settings: {
        REDIS_URL: redis.url,
        REDIS_PREFIX: prefix,
        ADMIN_EMAILS: 'grace@acme.example',
        OIDC_CLIENT_ID: '',
        OIDC_CLIENT_SECRET: '',
      },
    })
    production = await run(options('acme-production/'))
    staging = await run(options('acme-staging/'))
  })
  afterAll(async () => {
    await production.close()
    await staging.close()
    await redis.close()
  })

  it('is what every key begins with, each with a time to end, so that two installations don’t meet', async () => {
    for (const running of [production, staging]) {
      const grace = await signIn(running, 'grace')
      await grace.open(`${running.url}/admin`)
      await new TestBrowser().open(`${running.url}/sign-in`)
    }
    const lives = await redis.lives()
    expect(Math.min(...lives.values())).toBeGreaterThan(0)
    const keys = [...lives.keys()]
    expect(keys.filter((key) => !/^acme-(production|staging)\//.test(key))).toEqual([])
    const kinds = new Set(keys.map((key) => key.split('/')[1]?.split(':')[0]))
    expect([...kinds]).toEqual(expect.arrayContaining(['installation', 'session', 'walk', 'client']))
    const grace = await signIn(production, 'grace', '/admin')
    expect(grace.text).toContain('1 person on record')
  })
})
