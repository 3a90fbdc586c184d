// Progress over time as a drawing: three lines up to now, of which only "ready" can fall, and one from there to the target. Numbers in,
// coordinates out; the words and the SVG itself are the view's. Pure.
import type { Day } from './report.ts'

const WIDTH = 640
const HEIGHT = 200
const DAY_MS = 86_400_000

/** A round number that no line exceeds. It is even, because half of it is marked too. */
function roundedUp(most: number): number {
  const step = Math.max(2, 10 ** Math.floor(Math.log10(Math.max(1, most))))
  return Math.max(step, Math.ceil(most / step) * step)
}

const MORE = {
  invited: ({ invited }: Day) => invited,
  signedIn: ({ signedIn }: Day) => signedIn,
  ready: ({ finished, fellBack, reopened }: Day) => finished - fellBack - reopened,
}

type What = keyof typeof MORE

/**
 * @param now milliseconds since 1970
 * @param also.nothing had nothing to connect. Since when is not known, so they are ready from the first day.
 * @param also.target where the axis ends, behind now, and how many people it is about
 * @returns undefined while there is nothing to draw
 */
export function plotOf(
  days: readonly Day[],
  now: number,
  also: { nothing?: number; target?: { endsAt: number; people: number } | undefined } = {},
) {
  const { nothing = 0, target } = also
  const [first] = days
  if (first === undefined) return undefined
  const start = Date.parse(first.day)
  const end = Math.max(now, start, target?.endsAt ?? 0)
  const span = Math.max(1, end - start)
  const base = (what: What) => (what === 'ready' ? nothing : 0)
  const total = (what: What) => days.reduce((sum, day) => sum + MORE[what](day), base(what))
  const everReady = days.reduce((sum, { finished }) => sum + finished, nothing)
  const top = roundedUp(Math.max(total('invited'), total('signedIn'), everReady, target?.people ?? 0))
  const x = (at: number) => Number((Math.min(1, Math.max(0, (at - start) / span)) * WIDTH).toFixed(1))
  const y = (count: number) => Number((HEIGHT - (count / top) * HEIGHT).toFixed(1))

  /** Each day's rise lies between its beginning and its end, today's between its beginning and now. */
  const lineOf = (what: What) => {
    let count = base(what)
    const points: string[] = []
    for (const day of days) {
      const begins = Date.parse(day.day)
      points.push(`${x(begins)},${y(count)}`)
      count += MORE[what](day)
      points.push(`${x(Math.min(begins + DAY_MS, now))},${y(count)}`)
    }
    const last = { x: x(now), y: y(count) }
    return { what, points: [...points, `${last.x},${last.y}`].join(' '), end: last, total: count }
  }
  return {
    width: WIDTH,
    height: HEIGHT,
    /** In the order to draw them, so that lines that coincide can all be seen. */
    lines: [lineOf('invited'), lineOf('signedIn'), lineOf('ready')],
    /** Horizontal, from the highest to nothing, evenly. */
    marks: [top, top / 2, 0].map((count) => ({ count, y: y(count) })),
    /** From now to everyone on the target date. */
    needed: target && { x1: x(now), y1: y(total('ready')), x2: WIDTH, y2: y(target.people) },
    from: start,
    // A target counts through its day.
    to: target === undefined ? end : end - 1,
    /** Times of day matter. */
    isOneDay: end - start < DAY_MS,
  }
}
