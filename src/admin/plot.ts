// Progress over time as a drawing: three lines up to now, of which only "ready" can fall, and one from there to the
// target. Numbers in, coordinates out; the words and the SVG itself are the view's. Pure.
import type { DayRow } from '../people/upkeep.ts'
import { readyByDay, type Counted } from './trend.ts'

const WIDTH = 640
const HEIGHT = 200
const DAY_MS = 86_400_000

/** A round number that no line exceeds. It is even, because half of it is marked too. */
function roundedUp(most: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, most))))
  return Math.max(step, Math.ceil(most / step) * step)
}

/**
 * @param rows what `onramp keep` counted on each day
 * @param now milliseconds since 1970
 * @param target where the axis ends, behind now
 * @returns undefined while there is nothing to draw
 */
export function plotOf(report: Counted, rows: readonly DayRow[], now: number, target?: { endsAt: number }) {
  const { days, ready, people } = report
  const [first] = days
  if (first === undefined) return undefined
  const start = Date.parse(first.day)
  const end = Math.max(now, start, target?.endsAt ?? 0)
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
  const top = roundedUp(Math.max(...all, target === undefined ? 0 : people))
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
    /** Horizontal, from the highest to nothing, evenly. */
    marks: [top, top / 2, 0].map((count) => ({ count, y: y(count) })),
    /** From now to everyone on the target date. */
    needed: target && { x1: x(now), y1: y(ready), x2: WIDTH, y2: y(people) },
    from: start,
    // A target counts through its day.
    to: target === undefined ? end : end - 1,
    /** Times of day matter. */
    isOneDay: end - start < DAY_MS,
  }
}
