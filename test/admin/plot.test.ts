import { describe, expect, it } from 'vitest'
import { plotOf, type Plot } from '../../src/admin/plot.ts'
import type { Day } from '../../src/admin/report.ts'

const day = (date: string, invited: number, signedIn = 0, finished = 0): Day => ({
  day: date,
  invited,
  signedIn,
  finished,
})

const pointsOf = (plot: Plot | undefined, what: string) =>
  plot?.lines
    .find((line) => line.what === what)
    ?.points.split(' ')
    .map((point) => point.split(',').map(Number))

describe('progress over time', () => {
  it('is nothing before anything happened', () => {
    expect(plotOf([], Date.parse('2026-11-02T12:00:00Z'))).toBeUndefined()
  })

  it('ends now, however much of the day is left', () => {
    const days = [day('2026-11-01', 10), day('2026-11-02', 10)]
    const plot = plotOf(days, Date.parse('2026-11-02T12:00:00Z'))
    expect(plot).toMatchObject({ from: '2026-11-01', to: '2026-11-02' })
    // Nothing lies between noon and midnight of today: a day and a half is the whole width.
    expect(pointsOf(plot, 'invited')).toEqual([
      [0, 200],
      [426.7, 100],
      [426.7, 100],
      [640, 0],
      [640, 0],
    ])
  })

  it('rises on the days on which something happened and on no other', () => {
    const days = [day('2026-11-01', 10), day('2026-11-09', 10)]
    const plot = plotOf(days, Date.parse('2026-11-11T00:00:00Z'))
    expect(pointsOf(plot, 'invited')).toEqual([
      [0, 200],
      [64, 100],
      [512, 100],
      [576, 0],
      [640, 0],
    ])
  })

  it('is a rise from midnight to now on the first day', () => {
    const plot = plotOf([day('2026-11-02', 3, 1)], Date.parse('2026-11-02T09:30:00Z'))
    expect(plot).toMatchObject({ from: '00:00', to: '2026-11-02 09:30 UTC' })
    expect(plot?.marks.map(({ count }) => count)).toEqual([4, 2, 0])
    expect(plot?.lines.map(({ what, total }) => [what, total])).toEqual([
      ['invited', 3],
      ['signedIn', 1],
      ['finished', 0],
    ])
    expect(pointsOf(plot, 'finished')?.every(([, y]) => y === 200)).toBe(true)
  })

  it.each([1, 7, 10, 11, 99, 100, 101, 49_999])('marks round numbers above %i', (count) => {
    const plot = plotOf([day('2026-11-02', count)], Date.parse('2026-11-02T00:00:00Z'))
    const [top, half] = plot?.marks ?? []
    expect(top?.count).toBeGreaterThanOrEqual(count)
    expect(top?.count).toBeLessThanOrEqual(Math.max(2, 2 * count))
    expect(Number.isInteger(half?.count)).toBe(true)
    expect(JSON.stringify(plot)).not.toMatch(/NaN|null/)
  })
})
