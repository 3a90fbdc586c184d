// Apps without a usable address: logged once an hour each, however many the service invents.
import { expect, it } from 'vitest'
import { createUnstartableAppWarning } from '../../src/client-api/unstartable-apps.ts'

const HOUR = 3_600_000
const app = (instance: string, status = 'attention', authUrlRelativePath?: string) =>
  ({ instance, name: instance, status, authUrlRelativePath }) as never

function setUpWatch() {
  const clock = { now: 5 * HOUR }
  const unusable = { count: 0 }
  const lines: object[] = []
  const warn = createUnstartableAppWarning(
    { warn: (fields) => void lines.push(fields) },
    () => unusable.count++,
    () => clock.now,
  )
  return { clock, unusable, lines, warn }
}

it('an app without a usable address is logged hourly without its path', () => {
  const { clock, unusable, lines, warn } = setUpWatch()
  const code = 'datasource_cannot_start'
  warn([app('slack_1', 'awaiting', '/auth/datasource/slack_1?token=planted'), app('jira_1', 'disabled')])
  expect(lines).toEqual([])
  expect(unusable.count).toBe(0)

  warn([app('evil_1', 'attention', '//evil.example/planted'), app('box_1')])
  expect(lines).toEqual([
    { code, datasource: 'evil_1', authUrlRelativePath: 'leads elsewhere' },
    { code, datasource: 'box_1', authUrlRelativePath: 'missing' },
  ])

  clock.now += HOUR - 1
  warn([app('box_1'), app('new_1')])
  expect(lines).toHaveLength(3)
  expect(unusable.count).toBe(2)

  clock.now += 1
  warn([app('box_1')])
  expect(lines).toHaveLength(4)
})

it('invented names can’t fill the memory or the log', () => {
  const { lines, warn } = setUpWatch()
  for (let times = 0; times < 3; times++)
    warn(Array.from({ length: 1_500 }, (_, index) => app(`made_up_${times}_${index}`)))
  expect(lines).toHaveLength(1_000)
})
