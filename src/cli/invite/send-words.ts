// What a run of invite send tells people, during the run and at its end.
import { MAX_TRIES } from '../../campaigns/campaign.ts'
import { RunStopped, type Trouble } from '../../campaigns/delivery.ts'
import type { EndedBy, SendParts } from '../../campaigns/send.ts'
import { summaryOf, type Tally } from '../../campaigns/tally.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { GOES_ON } from './endings.ts'
import type { Progress } from './progress.ts'
import type { SendOptions } from './send-options.ts'
import type { CliParts, Output } from '@onramp/deprecations/command-line/parts'
import { fitted } from '@onramp/deprecations/command-line/terminal'

type Asked = { options: SendOptions; parts: CliParts }

const TROUBLES: Record<Trouble, string> = {
  unknown: 'unknown to the search service',
  refused: 'not allowed to look up this person (403)',
  'no-answer': 'no usable answer from the service',
  deferred: 'email delayed by the mail server',
  'put-off': `delayed by the mail server ${MAX_TRIES} times: no longer tried, unless you send with --retry-failed`,
  failed: 'rejected by the mail server',
  'not-taken': 'not accepted: the mail server objects to the sender or this machine',
  uncertain: 'delivery unknown',
  unreadable: "not emailed: the data stored about this person can't be read; see onramp doctor",
  removed: 'not emailed: invite forget deleted a record unread that may have been an opt-out',
}

export const told = (
  { options, parts }: Asked,
  progress: Progress,
): Pick<SendParts, 'onFault' | 'onWouldSend' | 'onTrouble'> => ({
  onFault(line, fault) {
    progress.print(`line ${line}: ${fault}\n`)
    if (options.onInvalid === 'stop')
      throw new RunStopped('a row in the list is invalid: fix it, or use --on-invalid skip')
  },
  onTrouble: ({ email }, trouble, reply) =>
    progress.print(`${email}: ${TROUBLES[trouble]}${reply === undefined ? '' : `: ${reply}`}\n`),
  onWouldSend({ email }, reminder, apps) {
    const kind = reminder === 0 ? 'invitation' : `reminder ${reminder}`
    const line = options.isJson
      ? JSON.stringify({ email, reminder: reminder, apps })
      : onScreen(`${email}  ${kind}  ${printable(apps.join(', '))}`, parts.stdout)
    progress.print(`${line}\n`, parts.stdout)
  },
})

/** One line of a terminal; whole where a program reads it. */
const onScreen = (line: string, { isTTY, columns = 80 }: Output) =>
  isTTY === true ? fitted(line, columns - 1).trimEnd() : line

/** @param seconds for how long the service asks not to be asked */
export const paused = (seconds: number): string =>
  `The service asks not to be called for ${Math.ceil(seconds / 60)} minutes…\n`

export const SLOW = 'Waiting for the mail server: an email has up to 10 minutes to be answered…\n'

/** The service never said what is left, of anyone. */
function noOneFound({
  asked,
  already,
  unanswered,
  unknownToService: unknown,
  refusedByService: refused,
}: Tally): string {
  if (asked === 0 || already > 0 || unanswered + unknown + refused < asked) return ''
  if (unanswered > 0)
    return "The service didn't say what's left to connect for anyone. Check SERVICE_BASE_URL; onramp doctor says more.\n"
  if (refused === 0)
    return "The service doesn't know any of these people. If it should, check SERVICE_BASE_URL.\n"
  const others = unknown === 0 ? '' : `, and doesn't know the other ${unknown}`
  return `The service answered, and refused to look up ${refused} of ${asked} (403)${others}: check what SERVICE_GLOBAL_TOKEN may do.\n`
}

export type RunEnd = {
  tally: Tally
  /** Why the run failed. */
  stopped: unknown
  endedBy: EndedBy | undefined
}

export function sumUp(
  { options, parts, signal }: Asked & { signal: AbortSignal },
  { tally, stopped, endedBy }: RunEnd,
): void {
  const { stdout, stderr } = parts
  const isInterrupted = signal.aborted
  if (options.isJson) {
    const reason = isInterrupted ? 'interrupted' : stopped instanceof Error ? stopped.name : undefined
    stdout.write(`${JSON.stringify({ campaign: options.campaign, ...tally, stopped: reason })}\n`)
  } else stderr.write(summaryOf(tally))
  stderr.write(noOneFound(tally))
  const end = isInterrupted ? 'Interrupted.' : endedBy === 'limit' && `--limit ${options.limit} reached.`
  if (end) stderr.write(`${end}${options.isDryRun ? '' : ` ${GOES_ON}`}\n`)
}
