// Onramp's own deprecated calls are logged and counted as use or possible use.
import { expect, it } from 'vitest'
import { watchOwnCalls } from '../../src/deprecations/own-calls.ts'
import type { Log } from '../../src/web/log.ts'

it('onramp’s own calls are logged and counted as use or possible use', () => {
  const logged: unknown[] = []
  const counted: unknown[] = []
  const log = { warn: (fields: object) => logged.push(fields) } as unknown as Log
  const countDeprecation = ({ item, by }: { item: string; by: string }) => counted.push([item, by])
  const watch = watchOwnCalls(log, { countDeprecation }, () => Date.parse('2026-11-21T12:00:00Z'))
  const call = { method: 'POST', url: '/rest/api/v1/chat', status: 200, headers: {}, response: '{}' }
  watch.observe({ ...call, request: '{"citations":1}' })
  watch.observe({ ...call, request: '{"a":{"citations":1}}' })

  expect(logged).toEqual([
    { deprecation: 'chat.citations', by: 'use' },
    { deprecation: 'chat.citations', by: 'possible' },
  ])
  expect(counted).toEqual([
    ['chat.citations', 'use'],
    ['chat.citations', 'possible'],
  ])
})
