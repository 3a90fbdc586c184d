// Progress over time as a drawing: three lines that only rise, up to now. Numbers in, coordinates out; the words and the
// SVG itself are the view's. Pure.
import type { Day } from './report.ts'

export type Line = {
  what: 'invited' | 'signedIn' | 'finished'
  points: string
  /** Now. */
  end: { x: number; y: number }
  total: number
}

export type Plot = {
  width: number
  height: number
  /** In the order to draw them, so that lines that coincide can all be seen. */
  lines: Line[]
  /** Horizontal marks from the highest to nothing, evenly. */
  marks: { count: number; y: number }[]
  from: string
  to: string
}

const WIDTH = 640
const HEIGHT = 200
const DAY_MS = 86_400_000

/** A round number that no line exceeds. It is even, because half of it is marked too. */
function roundedUp(most: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, most))))
  return Math.max(step, Math.ceil(most / step) * step)
}

/** @param now milliseconds since 1970, the end of the axis. Undefined while there is nothing to draw. */
export function plotOf(days: readonly Day[], now: number): Plot | undefined {
  const [first] = days
  if (first === undefined) return undefined
  const start = Date.parse(first.day)
  const span = Math.max(1, now - start)
  const total = (what: Line['what']) => days.reduce((sum, day) => sum + day[what], 0)
  const top = roundedUp(Math.max(total('invited'), total('signedIn'), total('finished')))
  const x = (at: number) => Number((Math.min(1, Math.max(0, (at - start) / span)) * WIDTH).toFixed(1))
  const y = (count: number) => Number((HEIGHT - (count / top) * HEIGHT).toFixed(1))

  /** Each day's rise lies between its beginning and its end, today's between its beginning and now. */
  const lineOf = (what: Line['what']): Line => {
    let count = 0
    const points: string[] = []
    for (const { day, [what]: more } of days) {
      const begins = Date.parse(day)
      points.push(`${x(begins)},${y(count)}`)
      count += more
      points.push(`${x(begins + DAY_MS)},${y(count)}`)
    }
    const end = { x: WIDTH, y: y(count) }
    return { what, points: [...points, `${end.x},${end.y}`].join(' '), end, total: count }
  }
  const minute = new Date(Math.max(now, start)).toISOString().slice(0, 16)
  const isOneDay = minute.startsWith(first.day)
  return {
    width: WIDTH,
    height: HEIGHT,
    lines: [lineOf('invited'), lineOf('signedIn'), lineOf('finished')],
    marks: [top, top / 2, 0].map((count) => ({ count, y: y(count) })),
    from: isOneDay ? '00:00' : first.day,
    to: isOneDay ? `${minute.replace('T', ' ')} UTC` : minute.slice(0, 10),
  }
}
