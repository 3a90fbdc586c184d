// Progress over time as a drawing: three lines that only rise. Numbers in, coordinates out; the words and the SVG itself
// are the view's. Pure.
import type { Day } from './report.ts'

export type Line = { what: 'invited' | 'signedIn' | 'finished'; points: string; total: number }

export type Plot = {
  width: number
  height: number
  lines: Line[]
  /** Horizontal marks: how many, and at which height. */
  marks: { count: number; y: number }[]
  from: string
  to: string
}

const WIDTH = 640
const HEIGHT = 220
const DAY_MS = 86_400_000

/** A round number that the highest line stays below. */
function roundedUp(most: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))))
  return Math.max(1, Math.ceil(most / step) * step)
}

/** Undefined while there is nothing to draw. */
export function plotOf(days: readonly Day[], now: number): Plot | undefined {
  const [first] = days
  if (first === undefined) return undefined
  const start = Date.parse(first.day)
  const end = Math.max(now, start + DAY_MS)
  const total = (what: Line['what']) => days.reduce((sum, day) => sum + day[what], 0)
  const top = roundedUp(Math.max(total('invited'), total('signedIn'), total('finished')))
  const x = (at: number) => (((at - start) / (end - start)) * WIDTH).toFixed(1)
  const y = (count: number) => Number((HEIGHT - (count / top) * HEIGHT).toFixed(1))

  const lineOf = (what: Line['what']): Line => {
    let count = 0
    const points = [`0,${HEIGHT}`]
    for (const day of days) {
      const at = Math.min(end, Date.parse(day.day) + DAY_MS)
      count += day[what]
      points.push(`${x(at)},${y(count)}`)
    }
    return { what, points: [...points, `${WIDTH},${y(count)}`].join(' '), total: count }
  }
  return {
    width: WIDTH,
    height: HEIGHT,
    lines: [lineOf('invited'), lineOf('signedIn'), lineOf('finished')],
    marks: [...new Set([top, Math.round(top / 2)])].map((count) => ({ count, y: y(count) })),
    from: first.day,
    to: new Date(end).toISOString().slice(0, 10),
  }
}
