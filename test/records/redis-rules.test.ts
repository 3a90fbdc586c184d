// The rights of a Redis user for each topology; redis-access.journey.test.ts walks with such a user.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { redisAclRules } from '../../src/records/redis-records.ts'

const RECORDS = '+get +set +del +eval +scan +ping'

it.each([
  ['by default', 'onramp:', undefined, undefined, `~onramp:* ${RECORDS} +info`],
  ['with a prefix of its own', 'acme/', 'standalone', 'redis://a', `~acme/* ${RECORDS} +info`],
  ['of database 0', 'onramp:', 'standalone', 'redis://a/0', `~onramp:* ${RECORDS} +info`],
  ['of database 3', 'onramp:', 'standalone', 'redis://a/3', `~onramp:* ${RECORDS} +select +info`],
  ['behind sentinels', 'onramp:', 'sentinel', 'redis://a/3', `~onramp:* ${RECORDS} +role +select +info`],
  ['of a cluster', 'onramp:', 'cluster', 'redis://a', `~onramp:* ${RECORDS} +cluster|slots +info`],
] as const)(
  'a Redis user %s has only the rights that onramp uses',
  (_title, prefix, topology, url, rules) => {
    expect(redisAclRules(prefix, topology, url).join(' ')).toBe(rules)
  },
)

it('the runbook has the rights of the code', () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  expect(text).toContain(`ACL SETUSER onramp on >PASSWORD ${redisAclRules('onramp:').join(' ')}`)
})
