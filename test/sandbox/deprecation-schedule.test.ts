// The sandbox has its own copy of the schedule, which must equal the product's.
import { expect, it } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { operationOf } from '../../packages/deprecations/src/schedule/schedule.ts'
import { deprecationSchedule } from '../../packages/sandbox/src/service/contract.ts'

it('the sandbox and the product have the same schedule, row by row', () => {
  const own = deprecationSchedule.map(({ within, topLevel, remark: _remark, ...row }) => {
    return { ...row, place: within && { in: within, depth: topLevel ? 'top' : 'any' } }
  })
  const published = publishedSchedule.map((entry) => ({
    operation: operationOf(entry),
    field: entry.kind === 'field' ? entry.field : undefined,
    place: entry.kind === 'field' ? entry.place : undefined,
    replacement: entry.replacement,
    announced: entry.announced,
    removal: entry.removal,
  }))
  expect(own).toHaveLength(28)
  own.forEach((row, index) => expect(published[index]).toMatchObject(row))
  expect(published).toHaveLength(28)
})
