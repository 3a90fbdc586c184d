// The trend on the admins' page: its days, its end and its scale.
import { expect, it } from 'vitest'
import { createPlot } from '../../src/admin/plot.ts'
import { CHANGES, zeros, type Report } from '../../src/admin/report.ts'
import type { DailyCounts } from '../../src/people/keep-state.ts'

const day = (date: string, invited: number, signedIn = 0, finished = 0) => ({
  ...zeros([...CHANGES, 'acted'] as const),
  day: date,
  invited,
  signedIn,
  finished,
})

const counted = (days: Report['days'][number][]) => ({
  days,
  finished: days.reduce((sum, { finished }) => sum + finished, 0),
})

const counts = { people: 9, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, gone: 0 }
const rowOf = (date: string, ready: number): DailyCounts => ({ ...counts, day: date, ready, nothing: 0 })

const pointsOf = (plot: ReturnType<typeof createPlot>, what: string) =>
  plot?.lines
    .find((line) => line.what === what)
    ?.points.split(' ')
    .map((point) => point.split(',').map(Number))

it('the trend is empty without any events', () => {
  expect(createPlot(counted([]), [], Date.parse('2026-11-02T12:00:00Z'))).toBeUndefined()
})

it('the trend ends now, however much of the day is left', () => {
  const days = [day('2026-11-01', 10), day('2026-11-02', 10)]
  const plot = createPlot(counted(days), [], Date.parse('2026-11-02T12:00:00Z'))
  expect(plot).toMatchObject({ from: Date.parse('2026-11-01'), to: Date.parse('2026-11-02T12:00:00Z') })
  // Nothing lies between noon and midnight of today: a day and a half is the whole width.
  expect(pointsOf(plot, 'invited')).toEqual([
    [0, 200],
    [426.7, 100],
    [426.7, 100],
    [640, 0],
    [640, 0],
  ])
})

it('the trend rises from midnight to now on the first day', () => {
  const plot = createPlot(counted([day('2026-11-02', 3, 1)]), [], Date.parse('2026-11-02T09:30:00Z'))
  expect(plot?.ticks.map(({ count }) => count)).toEqual([4, 2, 0])
  expect(plot?.lines.map(({ what, total }) => [what, total])).toEqual([
    ['invited', 3],
    ['signedIn', 1],
    ['ready', 0],
  ])
  expect(pointsOf(plot, 'ready')?.every(([, y]) => y === 200)).toBe(true)
})

it('the trend excludes people with nothing to connect', () => {
  const days = [day('2026-11-01', 0, 0, 6)]
  const rows = [{ ...rowOf('2026-11-02', 9), nothing: 3 }]
  const plot = createPlot(counted(days), rows, Date.parse('2026-11-03'))
  expect(pointsOf(plot, 'ready')?.map(([, y]) => y)).toEqual([200, 0, 0, 0, 0, 0, 0])
  expect(plot?.lines.find(({ what }) => what === 'ready')?.total).toBe(6)
})

it('the trend falls on the day of a lower count, and ends with today’s', () => {
  const rows = [rowOf('2026-11-03', 2)]
  const report = { ...counted([day('2026-11-01', 0, 0, 8), day('2026-11-04', 0, 0, 1)]), finished: 4 }
  expect(pointsOf(createPlot(report, rows, Date.parse('2026-11-05')), 'ready')?.join(' ')).toBe(
    [
      '0,200 160,0', // 8 on the 1st
      '320,0 480,150', // 2 at the end of the 3rd
      '480,150 640,125', // one more on the 4th
      '640,125 640,100 640,100', // 4 now
    ].join(' '),
  )
})

it('the trend shows no false fall after rows of earlier versions', () => {
  const rows = [2, 40, 10].map((ready, index) => {
    const { nothing: _nothing, ...row } = rowOf(`2026-11-0${1 + index}`, ready)
    return row
  })
  const early = counted([day('2026-11-01', 9, 0, 1)])
  const late = counted([day('2026-10-20', 9, 0, 1), day('2026-10-25', 0, 0, 1)])
  for (const report of [early, late]) {
    const ys = pointsOf(createPlot(report, rows, Date.parse('2026-11-05')), 'ready')?.map(([, y]) => y)
    expect(ys?.length).toBeGreaterThan(3)
    expect(ys).toEqual(ys?.toSorted((one = 0, other = 0) => other - one))
  }
})

it.each([1, 7, 10, 11, 99, 100, 101, 49_999])('the trend has ticks at round numbers above %i', (count) => {
  const plot = createPlot(counted([day('2026-11-02', count)]), [], Date.parse('2026-11-02T00:00:00Z'))
  const [top, half] = plot?.ticks ?? []
  expect(top?.count).toBeGreaterThanOrEqual(count)
  expect(top?.count).toBeLessThanOrEqual(Math.max(2, 2 * count))
  expect(Number.isInteger(half?.count)).toBe(true)
  expect(JSON.stringify(plot)).not.toMatch(/NaN|null/)
})
