// Computes the coordinates of the trend's three lines, of which only "ready" can fall. The view draws the SVG. Pure.
import type { DailyCounts } from '../people/keep-state.ts'
import { DAY_MS, utcDay, type Report } from './report.ts'

const WIDTH = 640
const HEIGHT = 200

type PlottedReport = Pick<Report, 'days' | 'finished'>

/** Finished people at the end of each day: `keep`'s count, else the day before plus the newly finished. */
function doneByDay(
  { days, finished: finishedNow }: PlottedReport,
  rows: readonly DailyCounts[],
  now: number,
) {
  const doneCounts = rows.flatMap(({ day, ready, nothing }) =>
    nothing === undefined ? [] : [[day, ready - nothing] as const],
  )
  const counts = new Map(doneCounts).set(utcDay(now), finishedNow)
  const newByDay = new Map(days.map((day) => [day.day, day.finished]))
  let count = 0
  return [...new Set([...newByDay.keys(), ...counts.keys()])]
    .toSorted()
    .map((day): [string, number] => [day, (count = counts.get(day) ?? count + (newByDay.get(day) ?? 0))])
}

/** A round number that no line exceeds. Even, because its half is marked, too. */
function roundUp(max: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, max))))
  return Math.max(step, Math.ceil(max / step) * step)
}

/** @param rows of `onramp keep` @param now milliseconds since 1970 @returns undefined if there is no day to draw */
export function createPlot(report: PlottedReport, rows: readonly DailyCounts[], now: number) {
  const { days } = report
  const [first] = days
  if (first === undefined) return undefined
  const start = Date.parse(first.day)
  const end = Math.max(now, start)
  const span = Math.max(1, end - start)
  const countedAs = (what: 'invited' | 'signedIn') => {
    let count = 0
    return { what, counts: days.map((day): [string, number] => [day.day, (count += day[what])]) }
  }
  const series = [
    countedAs('invited'),
    countedAs('signedIn'),
    { what: 'ready', counts: doneByDay(report, rows, now) },
  ]
  const allCounts = series.flatMap(({ counts }) => counts.map(([, count]) => count))
  const top = roundUp(Math.max(...allCounts))
  const x = (at: number) => Number((Math.min(1, Math.max(0, (at - start) / span)) * WIDTH).toFixed(1))
  const y = (count: number) => Number((HEIGHT - (count / top) * HEIGHT).toFixed(1))

  /** A day's rise is drawn from its beginning to its end, today's to the present. */
  const lineOf = ({ what, counts }: (typeof series)[number]) => {
    const points = counts.flatMap(([day, count], index) => {
      const begins = Date.parse(day)
      return [
        `${x(begins)},${y(counts[index - 1]?.[1] ?? 0)}`,
        `${x(Math.min(begins + DAY_MS, now))},${y(count)}`,
      ]
    })
    const total = counts.at(-1)?.[1] ?? 0
    const last = { x: x(now), y: y(total) }
    return { what, points: [...points, `${last.x},${last.y}`].join(' '), end: last, total }
  }
  return {
    width: WIDTH,
    height: HEIGHT,
    /** In drawing order, so that coinciding lines stay visible. */
    lines: series.map(lineOf),
    ticks: [top, top / 2, 0].map((count) => ({ count, y: y(count) })),
    from: start,
    to: end,
  }
}
