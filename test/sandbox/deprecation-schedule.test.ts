// The sandbox has its own copy of the schedule. That both say the same is the one thing this test knows of both.
import { expect, it } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { operationOf, type Entry } from '../../packages/deprecations/src/schedule/schedule.ts'
import { deprecationSchedule, type Deprecated } from '../../packages/sandbox/src/service/contract.ts'

const fromSandbox = ({
  operation,
  field,
  within,
  topLevel,
  replacement,
  announced,
  removal,
}: Deprecated) => ({
  operation,
  field,
  place: within && { in: within, depth: topLevel ? 'top' : 'any' },
  replacement,
  announced,
  removal,
})

const fromProduct = (entry: Entry) => ({
  operation: operationOf(entry),
  field: entry.kind === 'field' ? entry.field : undefined,
  place: entry.kind === 'field' ? { in: entry.place.in, depth: entry.place.depth } : undefined,
  replacement: entry.replacement,
  announced: entry.announced,
  removal: entry.removal,
})

it('the schedule of the sandbox and that of the product say the same, row by row', () => {
  expect(deprecationSchedule.map(fromSandbox)).toEqual(publishedSchedule.map(fromProduct))
  expect(deprecationSchedule).toHaveLength(28)
})

it('what the sandbox remarks on a row, the product says too', () => {
  const remarks = deprecationSchedule.map(({ remark = '' }) => remark)
  publishedSchedule.forEach(({ advice, reason }, index) =>
    expect(`${advice}; ${reason}`).toContain(remarks[index]),
  )
  expect(remarks.filter(Boolean)).toHaveLength(3)
})
