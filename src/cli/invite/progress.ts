// What a run of invite send shows while it lasts: a line that renews itself on a terminal (elsewhere one now and then), and
// a line for each thing that needs a look.
import type { CommandContext, Output } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { fitToColumns } from '@onramp/terminal/terminal'
import type { DeliveryProblem } from '../../campaigns/delivery.ts'
import type { SendParts } from '../../campaigns/send.ts'
import { progressLine, type Tally } from '../../campaigns/tally.ts'

const TERMINAL_MS = 250
const ELSEWHERE_MS = 30_000
/** The rate covers this long: people who had their email in an earlier run go by at once and say nothing of the rest. */
const WINDOW_MS = 20_000

/** @param people how many are on the list @param streams.now milliseconds since 1970 */
export function showProgress(
  tally: Tally,
  people: number,
  { stderr, now }: Pick<CommandContext, 'stderr' | 'now'>,
) {
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
    stderr.write(fitToColumns(line, Math.max(20, (stderr.columns ?? 80) - 1)).trimEnd())
    isShown = true
  }
  const timer = setInterval(draw, stderr.isTTY === true ? TERMINAL_MS : ELSEWHERE_MS)
  timer.unref()

  return {
    /** Lines of their own, above the one that renews itself. */
    print: (text: string, output: Output = stderr): void => {
      clear()
      output.write(text)
    },
    end: (): void => {
      clearInterval(timer)
      clear()
    },
  }
}

const PROBLEMS: Record<DeliveryProblem, string> = {
  'unknown-to-service': 'unknown to the search service',
  'no-answer': 'no usable answer from the service',
  refused: 'refused by the service',
  deferred: 'not accepted by the mail server this time',
  failed: 'rejected by the mail server',
  uncertain: 'delivery unknown',
  unreadable: "not emailed: what is stored about this person can't be read; see onramp doctor",
}

/** Prints each thing as it happens. */
export const printing = (
  { print }: Pick<ReturnType<typeof showProgress>, 'print'>,
  options: { json?: true | undefined },
  stdout: Output,
): Pick<SendParts, 'onWouldSend' | 'onProblem'> => ({
  onProblem: (email, problem, detail) =>
    print(`${email}: ${PROBLEMS[problem]}${detail === undefined ? '' : `: ${printable(detail)}`}\n`),
  onWouldSend(email, reminder, apps) {
    if (options.json) return print(`${JSON.stringify({ email, reminder, apps })}\n`, stdout)
    const kind = reminder === 0 ? 'invitation' : `reminder ${reminder}`
    const line = `${email}  ${kind}  ${printable(apps.join(', '))}`
    // One line of a terminal; whole where a program reads it.
    print(
      `${stdout.isTTY === true ? fitToColumns(line, (stdout.columns ?? 80) - 1).trimEnd() : line}\n`,
      stdout,
    )
  },
})
