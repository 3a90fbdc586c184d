// A line on a terminal that shows how far a long reading has come; silent where the output is no terminal.
import type { Source } from '../check/source.ts'
import { printable } from '../command-line/printable.ts'
import type { Output } from '../command-line/parts.ts'

const EVERY_MS = 100
const BAR = 24

const barOf = (part: number) => {
  const done = Math.round(Math.min(part, 1) * BAR)
  return `[${'#'.repeat(done)}${'.'.repeat(BAR - done)}] ${Math.floor(Math.min(part, 1) * 100)}%`
}

/** `clear` takes the line away, before something else is written. */
export function createProgress(output: Output) {
  let shownAt = performance.now()
  let visible = false
  const clear = () => {
    if (visible) output.write('\r\u001b[K')
    visible = false
  }
  const show = ({ name, size }: Source, bytes: number, requests: number) => {
    if (output.isTTY !== true || performance.now() - shownAt < EVERY_MS) return
    shownAt = performance.now()
    const far = size === undefined ? `${Math.round(bytes / 1e6)} MB` : barOf(bytes / Math.max(size, 1))
    const line = `${far}  ${requests.toLocaleString('en-US')} requests  ${printable(name)}`
    output.write(`\r\u001b[K${line.slice(0, (output.columns ?? 80) - 1)}`)
    visible = true
  }
  return { show, clear }
}
