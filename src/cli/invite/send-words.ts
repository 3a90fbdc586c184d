// What a run of invite send tells people, during the run and at its end.
import type { Trouble } from '../../campaigns/delivery.ts'
import { RunStopped } from '../../campaigns/ledger.ts'
import type { EndedBy, SendParts } from '../../campaigns/send.ts'
import { summaryOf, type Tally } from '../../campaigns/tally.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { RESUMES } from './endings.ts'
import type { Progress } from './progress.ts'
import type { SendOptions } from './send-options.ts'
import type { CliParts, Output } from '@onramp/deprecations/command-line/parts'
import { fitted } from '@onramp/deprecations/command-line/terminal'

const TROUBLES: Record<Trouble, string> = {
  'unknown-to-service': 'unknown to the search service',
  'no-answer': 'no usable answer from the service',
  deferred: 'not accepted by the mail server this time',
  failed: 'rejected by the mail server',
  uncertain: 'delivery unknown',
  unreadable: "not emailed: what is stored about this person can't be read; see onramp doctor",
}

/** Prints each thing as it happens, above the line of progress. */
export const printing = (
  options: SendOptions,
  progress: Progress,
  stdout: Output,
): Pick<SendParts, 'onFault' | 'onWouldSend' | 'onTrouble'> => ({
  onFault(line, fault) {
    progress.print(`line ${line}: ${fault}\n`)
    if (options.onInvalid === 'stop')
      throw new RunStopped('a row in the list is invalid: fix it, or use --on-invalid skip')
  },
  onTrouble: (email, trouble, detail) =>
    progress.print(`${email}: ${TROUBLES[trouble]}${detail === undefined ? '' : `: ${printable(detail)}`}\n`),
  onWouldSend(email, reminder, apps) {
    const kind = reminder === 0 ? 'invitation' : `reminder ${reminder}`
    const line = options.json
      ? JSON.stringify({ email, reminder, apps })
      : onScreen(`${email}  ${kind}  ${printable(apps.join(', '))}`, stdout)
    progress.print(`${line}\n`, stdout)
  },
})

/** One line of a terminal; whole where a program reads it. */
const onScreen = (line: string, { isTTY, columns = 80 }: Output) =>
  isTTY === true ? fitted(line, columns - 1).trimEnd() : line

export const SLOW = 'Waiting for the mail server: an email has up to 10 minutes to be answered…\n'

type RunEnd = {
  tally: Tally
  /** Why the run failed. */
  stopped: unknown
  endedBy: EndedBy | undefined
  isInterrupted: boolean
}

export function sumUp(options: SendOptions, { stdout, stderr }: CliParts, end: RunEnd): void {
  const { tally, stopped, endedBy, isInterrupted } = end
  const { campaign, dryRun = false, limit } = options
  if (options.json) {
    const { sent, ...others } = tally
    const counts = dryRun ? { ...others, wouldSend: sent } : tally
    const reason = isInterrupted ? 'interrupted' : stopped instanceof Error ? stopped.name : undefined
    stdout.write(`${JSON.stringify({ campaign, ...counts, stopped: reason })}\n`)
  } else stderr.write(summaryOf(tally, dryRun, endedBy === 'list'))
  const why = isInterrupted ? 'Interrupted.' : endedBy === 'limit' && `--limit ${limit} reached.`
  if (why) stderr.write(`${why}${dryRun ? '' : ` ${RESUMES}`}\n`)
}
