import { describe, expect, it } from 'vitest'
import { plotOf } from '../../src/admin/plot.ts'
import type { Day } from '../../src/admin/report.ts'

const day = (date: string, invited: number, signedIn = 0, finished = 0): Day => ({
  day: date,
  invited,
  signedIn,
  finished,
  fellBack: 0,
  reopened: 0,
  reminded: 0,
  repaired: 0,
})

const pointsOf = (plot: ReturnType<typeof plotOf>, what: string) =>
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
    expect(plot).toMatchObject({ from: Date.parse('2026-11-01'), to: Date.parse('2026-11-02T12:00:00Z') })
    expect(plot?.isOneDay).toBe(false)
    // Nothing lies between noon and midnight of today: a day and a half is the whole width.
    expect(pointsOf(plot, 'invited')).toEqual([
      [0, 200],
      [426.7, 100],
      [426.7, 100],
      [640, 0],
      [640, 0],
    ])
  })

  it('is a rise from midnight to now on the first day', () => {
    const plot = plotOf([day('2026-11-02', 3, 1)], Date.parse('2026-11-02T09:30:00Z'))
    expect(plot?.isOneDay).toBe(true)
    expect(plot?.marks.map(({ count }) => count)).toEqual([4, 2, 0])
    expect(plot?.lines.map(({ what, total }) => [what, total])).toEqual([
      ['invited', 3],
      ['signedIn', 1],
      ['ready', 0],
    ])
    expect(pointsOf(plot, 'ready')?.every(([, y]) => y === 200)).toBe(true)
  })

  it('counts people who had nothing to connect as ready from the first day', () => {
    const plot = plotOf([day('2026-11-01', 0, 0, 6)], Date.parse('2026-11-03'), { nothing: 4 })
    expect(pointsOf(plot, 'ready')).toEqual([
      [0, 120],
      [320, 0],
      [640, 0],
    ])
    expect(plot?.lines.find(({ what }) => what === 'ready')?.total).toBe(10)
  })

  it('goes on to the target date, where everyone is ready', () => {
    const target = { endsAt: Date.parse('2026-11-05'), people: 20 }
    const plot = plotOf([day('2026-11-01', 10, 0, 5)], Date.parse('2026-11-03'), { nothing: 5, target })
    expect(plot?.needed).toEqual({ x1: 320, y1: 100, x2: 640, y2: 0 })
    expect(pointsOf(plot, 'ready')?.at(-1)).toEqual([320, 100])
    expect(new Date(plot?.to ?? 0).toISOString()).toMatch(/^2026-11-04T23:59/)
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
