// How far a run is, on standard error: one line that renews itself on a terminal, a line now and then elsewhere.
import { RunStopped } from '../invites/send.ts'
import type { Row } from '../invites/people-file.ts'
import { progressLine, type Tally } from '../invites/tally.ts'
import type { CliParts } from './parts.ts'

export type ProgressParts = {
  tally: Tally
  /** Bytes of the list; undefined: not known. */
  size: number | undefined
  stderr: CliParts['stderr']
  now: () => number
}

export type Progress = {
  watch(rows: AsyncIterator<Row>): AsyncIterator<Row>
  /** A line of its own. @throws {RunStopped} when it ends the run */
  say(message: string, isEnd: boolean): void
  end(): void
}

const TERMINAL_MS = 250
const ELSEWHERE_MS = 30_000

export function showProgress({ tally, size, stderr, now }: ProgressParts): Progress {
  const startedAt = now()
  let bytes = 0
  let width = 0
  const line = () => {
    const seconds = Math.max(0.001, (now() - startedAt) / 1000)
    const part = size === undefined ? undefined : Math.min(1, bytes / Math.max(1, size))
    return progressLine(tally, { perSecond: tally.rows / seconds, part, seconds })
  }
  const draw = () => {
    const text = line().slice(0, Math.max(20, (stderr.columns ?? 100) - 1))
    stderr.write(stderr.isTTY ? `\r${text.padEnd(width)}` : `${text}\n`)
    width = text.length
  }
  const clear = () => {
    if (stderr.isTTY && width > 0) stderr.write(`\r${' '.repeat(width)}\r`)
  }
  const timer = setInterval(draw, stderr.isTTY ? TERMINAL_MS : ELSEWHERE_MS)
  timer.unref()

  return {
    watch: (rows) => ({
      async next() {
        const result = await rows.next()
        if (result.done !== true) bytes = result.value.bytes
        return result
      },
    }),
    say(message, isEnd) {
      clear()
      stderr.write(`${message}\n`)
      if (isEnd) throw new RunStopped('a row of the list is not valid: mend it, or use --on-invalid skip')
    },
    end() {
      clearInterval(timer)
      clear()
    },
  }
}
