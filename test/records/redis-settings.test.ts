// The settings that say where Redis is: what belongs together, and what excludes each other.
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../src/settings/settings.ts'
import { faultsIn } from '../helpers/settings-faults.ts'

const required = {
  PUBLIC_URL: 'https://onramp.example',
  SERVICE_BASE_URL: 'https://service.example',
  OIDC_ISSUER: 'https://as.example',
  SESSION_SECRET: 's'.repeat(40),
}

const faultsOf = (redis: Record<string, string>) => faultsIn({ ...required, ...redis })

const REDIS_URL = 'rediss://user:pass@redis.example:6380/2'
const REDIS_SENTINELS = 'one.example:26379,[::1]:26380'

describe('the settings of Redis', () => {
  it('take one server, Sentinels, or a cluster', () => {
    expect(faultsOf({ REDIS_URL })).toEqual([])
    expect(faultsOf({ REDIS_URL, REDIS_SENTINELS })).toEqual([])
    expect(faultsOf({ REDIS_URL: 'redis://node.example:6379/0', REDIS_CLUSTER: 'yes' })).toEqual([])
    for (const path of ['', '/', '/0', '/3'])
      expect(faultsOf({ REDIS_URL: `redis://node.example:6379${path}` }), path).toEqual([])
    expect(loadSettings({ ...required, REDIS_URL, REDIS_SENTINELS })).toMatchObject({
      REDIS_SENTINEL_NAME: 'mymaster',
      REDIS_SENTINELS: [
        { host: 'one.example', port: 26_379 },
        { host: '::1', port: 26_380 },
      ],
    })
  })

  it.each([
    ['Sentinels without an address', { REDIS_SENTINELS }, 'REDIS_URL is required with REDIS_SENTINELS'],
    ['a cluster without a URL', { REDIS_CLUSTER: 'yes' }, 'REDIS_URL is required with REDIS_CLUSTER=yes'],
    [
      'Sentinels and a cluster at once',
      { REDIS_URL: 'redis://a', REDIS_SENTINELS, REDIS_CLUSTER: 'yes' },
      'exclude each other',
    ],
    ['a database of a cluster', { REDIS_URL, REDIS_CLUSTER: 'yes' }, 'has only database 0'],
    ['a database without a number', { REDIS_URL: 'redis://u:pass@a/cache' }, 'the number of a database'],
    ['a database that is not in the path', { REDIS_URL: 'redis://a?db=3' }, 'the number of a database'],
    ['a fragment', { REDIS_URL: 'redis://a/3#x' }, 'the number of a database'],
    ['no name', { REDIS_URL: 'redis:///3' }, 'is not a Redis address'],
    ['Sentinels without a port', { REDIS_URL, REDIS_SENTINELS: 'one.example' }, 'REDIS_SENTINELS must hold'],
  ])('name %s as a fault, once, without the password', (_what, redis, words) => {
    const faults = faultsOf(redis)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(words)
    expect(faults[0]).not.toContain('pass@')
  })

  it.each(['a b', 'a\tb', 'on*', 'on?', '[on]', '{on}:', 'o\\n', '"on:"', "'on:'", 'ö:', 'x'.repeat(65)])(
    'refuse a prefix that is %j',
    (REDIS_PREFIX) => {
      expect(faultsOf({ REDIS_PREFIX })[0]).toMatch(/REDIS_PREFIX (must|is in quotes)/)
    },
  )
})
