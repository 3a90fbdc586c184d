// The progress of a run on standard error: one line that renews itself on a terminal, a line now and then elsewhere.
import { progressLine, type Tally } from '../../campaigns/tally.ts'
import type { Output } from '@onramp/deprecations/command-line/parts'
import { fitted } from '@onramp/deprecations/command-line/terminal'

type ProgressParts = {
  tally: Tally
  /** How many are on the list; undefined: not known. */
  people: number | undefined
  stderr: Output
  /** Milliseconds since 1970. */
  now: () => number
}

export type Progress = {
  /** Lines of their own, above the one that renews itself. */
  print(text: string, output?: Output): void
  end(): void
}

const TERMINAL_MS = 250
const ELSEWHERE_MS = 30_000
/** The rate covers this long: people who had their email in an earlier run go by at once and say nothing of the rest. */
const WINDOW_MS = 20_000

export function showProgress({ tally, people, stderr, now }: ProgressParts): Progress {
  let samples = [{ at: now(), rows: 0 }]
  let isShown = false

  function perSecond(): number {
    const is = { at: now(), rows: tally.rows }
    const recent = samples.filter(({ at }) => is.at - at <= WINDOW_MS)
    const [first = samples.at(-1) ?? is] = recent
    samples = [...recent, is]
    return is.at === first.at ? 0 : (is.rows - first.rows) / ((is.at - first.at) / 1000)
  }
  function clear(): void {
    if (isShown) stderr.write('\r\u001B[K')
    isShown = false
  }
  function draw(): void {
    const line = progressLine(tally, { perSecond: perSecond(), people })
    if (stderr.isTTY !== true) return void stderr.write(`${line}\n`)
    clear()
    stderr.write(fitted(line, Math.max(20, (stderr.columns ?? 80) - 1)).trimEnd())
    isShown = true
  }
  const timer = setInterval(draw, stderr.isTTY === true ? TERMINAL_MS : ELSEWHERE_MS)
  timer.unref()

  return {
    print(text, output = stderr) {
      clear()
      output.write(text)
    },
    end() {
      clearInterval(timer)
      clear()
    },
  }
}
