// The trend: coordinates of three lines up to now, of which only "ready" can fall. The view draws the SVG. Pure.
import type { DailyCounts } from '../people/keep-state.ts'
import { utcDay, type Report } from './report.ts'

const WIDTH = 640
const HEIGHT = 200
const DAY_MS = 86_400_000

type Counted = Pick<Report, 'days' | 'nothing' | 'ready'>

/**
 * People ready at the end of each day: `keep`'s count, else the day before plus those who finished; `from` is the first value.
 */
function readyByDay({ days, nothing, ready: isNow }: Counted, rows: readonly DailyCounts[], now: number) {
  const counted = new Map(rows.map(({ day, ready }) => [day, ready])).set(utcDay(now), isNow)
  const finished = new Map(days.map((day) => [day.day, day.finished]))
  const [first] = rows
  const by = days
    .filter(({ day }) => first && day <= first.day)
    .reduce((sum, { finished: one }) => sum + one, 0)
  const from = first === undefined ? nothing : Math.max(0, Math.min(nothing, first.ready - by))
  let ready = from
  const all = [...new Set([...finished.keys(), ...counted.keys()])].toSorted()
  const counts = all.map((day): [string, number] => [
    day,
    (ready = counted.get(day) ?? ready + (finished.get(day) ?? 0)),
  ])
  return { from, counts }
}

/** A round number that no line exceeds. It is even, because half of it is marked too. */
function roundedUp(most: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, most))))
  return Math.max(step, Math.ceil(most / step) * step)
}

/** @param rows of `onramp keep` @param now milliseconds since 1970 @returns undefined without a day to draw */
export function createPlot(report: Counted, rows: readonly DailyCounts[], now: number) {
  const { days } = report
  const [first] = days
  if (first === undefined) return undefined
  const start = Date.parse(first.day)
  const end = Math.max(now, start)
  const span = Math.max(1, end - start)
  const countedAs = (what: 'invited' | 'signedIn') => {
    let count = 0
    return { what, from: 0, counts: days.map((day): [string, number] => [day.day, (count += day[what])]) }
  }
  const series = [
    countedAs('invited'),
    countedAs('signedIn'),
    { what: 'ready', ...readyByDay(report, rows, now) },
  ]
  const all = series.flatMap(({ counts }) => counts.map(([, count]) => count))
  const top = roundedUp(Math.max(...all))
  const x = (at: number) => Number((Math.min(1, Math.max(0, (at - start) / span)) * WIDTH).toFixed(1))
  const y = (count: number) => Number((HEIGHT - (count / top) * HEIGHT).toFixed(1))

  /** Each day's rise lies between its beginning and its end, today's between its beginning and now. */
  const lineOf = ({ what, from, counts }: (typeof series)[number]) => {
    const points = counts.flatMap(([day, count], index) => {
      const begins = Date.parse(day)
      return [
        `${x(begins)},${y(counts[index - 1]?.[1] ?? from)}`,
        `${x(Math.min(begins + DAY_MS, now))},${y(count)}`,
      ]
    })
    const total = counts.at(-1)?.[1] ?? from
    const last = { x: x(now), y: y(total) }
    return { what, points: [...points, `${last.x},${last.y}`].join(' '), end: last, total }
  }
  return {
    width: WIDTH,
    height: HEIGHT,
    /** In the order to draw them, so that lines that coincide can all be seen. */
    lines: series.map(lineOf),
    marks: [top, top / 2, 0].map((count) => ({ count, y: y(count) })),
    from: start,
    to: end,
    isOneDay: end - start < DAY_MS,
  }
}
