// What a run of invite send shows: a line that renews itself on a terminal (elsewhere one now and then), a line for each
// thing that needs a look, and the counts at its end.
import type { CliParts, Output } from '@onramp/deprecations/command-line/parts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { fitted } from '@onramp/deprecations/command-line/terminal'
import type { Trouble } from '../../campaigns/delivery.ts'
import { RunStopped } from '../../campaigns/ledger.ts'
import type { EndedBy, SendParts } from '../../campaigns/send.ts'
import { progressLine, summaryOf, type Tally } from '../../campaigns/tally.ts'
import type { SendOptions } from './send-options.ts'

export const RESUMES = 'Run the same command again to resume.'

type Progress = {
  /** Lines of their own, above the one that renews itself. */
  print: (text: string, output?: Output) => void
  end: () => void
}

const TERMINAL_MS = 250
const ELSEWHERE_MS = 30_000
/** The rate covers this long: people who had their email in an earlier run go by at once and say nothing of the rest. */
const WINDOW_MS = 20_000

/** @param people how many are on the list; undefined: not known @param streams.now milliseconds since 1970 */
export function showProgress(
  tally: Tally,
  people: number | undefined,
  { stderr, now }: Pick<CliParts, 'stderr' | 'now'>,
): Progress {
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

const TROUBLES: Record<Trouble, string> = {
  'unknown-to-service': 'unknown to the search service',
  'no-answer': 'no usable answer from the service',
  deferred: 'not accepted by the mail server this time',
  failed: 'rejected by the mail server',
  uncertain: 'delivery unknown',
  unreadable: "not emailed: what is stored about this person can't be read; see onramp doctor",
}

/** Prints each thing as it happens. */
export const printing = (
  { print }: Progress,
  options: SendOptions,
  stdout: Output,
): Pick<SendParts, 'onFault' | 'onWouldSend' | 'onTrouble'> => ({
  onFault(line, fault) {
    print(`line ${line}: ${fault}\n`)
    if (options.onInvalid === 'stop')
      throw new RunStopped('a row in the list is invalid: fix it, or use --on-invalid skip')
  },
  onTrouble: (email, trouble, detail) =>
    print(`${email}: ${TROUBLES[trouble]}${detail === undefined ? '' : `: ${printable(detail)}`}\n`),
  onWouldSend(email, reminder, apps) {
    if (options.json) return print(`${JSON.stringify({ email, reminder, apps })}\n`, stdout)
    const kind = reminder === 0 ? 'invitation' : `reminder ${reminder}`
    const line = `${email}  ${kind}  ${printable(apps.join(', '))}`
    // One line of a terminal; whole where a program reads it.
    print(`${stdout.isTTY === true ? fitted(line, (stdout.columns ?? 80) - 1).trimEnd() : line}\n`, stdout)
  },
})

/** @param end.error why the run failed */
export function sumUp(
  tally: Tally,
  { campaign, dryRun, json, limit }: SendOptions,
  end: { error: unknown; endedBy: EndedBy | undefined; isInterrupted: boolean },
  { stdout, stderr }: CliParts,
): void {
  const { error, endedBy, isInterrupted } = end
  if (json) {
    const { sent, ...others } = tally
    const counts = dryRun ? { ...others, wouldSend: sent } : tally
    const stopped = isInterrupted ? 'interrupted' : error instanceof Error ? error.name : undefined
    stdout.write(`${JSON.stringify({ campaign, ...counts, stopped })}\n`)
  } else stderr.write(summaryOf(tally, dryRun === true, endedBy === 'list'))
  const why = isInterrupted ? 'Interrupted.' : endedBy === 'limit' && `--limit ${limit} reached.`
  if (why) stderr.write(`${why}${dryRun ? '' : ` ${RESUMES}`}\n`)
}
