// What a run of invite send says: while it goes on, and at its end.
import type { EndedBy, SendParts } from '../../campaigns/send.ts'
import { RunStopped, type Trouble } from '../../campaigns/trouble.ts'
import { summaryOf, type Tally } from '../../campaigns/tally.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { GOES_ON } from './endings.ts'
import type { Progress } from './progress.ts'
import type { SendOptions } from './send-options.ts'
import type { CliParts, Output } from '@onramp/deprecations/command-line/parts'
import { fitted } from '@onramp/deprecations/command-line/terminal'

export type Told = 'onFault' | 'onWouldSend' | 'onTrouble'

type Asked = { options: SendOptions; parts: CliParts }

const TROUBLES: Record<Trouble, string> = {
  nobody: 'not known to the service',
  refused: 'the service says nothing about this person (403)',
  'no-answer': 'no answer of the service',
  deferred: 'put off by the mail server',
  failed: 'refused by the mail server',
  'not-taken': 'not taken by the mail server, which objects to the sender or this machine',
  uncertain: 'may have got the mail',
  unreadable: 'not mailed: what is written down about this person cannot be read; see onramp doctor',
  removed:
    'not mailed: invite forget removed a record unread that may have said no mails; --mail-in-doubt mails',
}

/** What is said while the run goes on. */
export const told = ({ options, parts }: Asked, progress: Progress): Pick<SendParts, Told> => ({
  onFault(line, fault) {
    progress.print(`line ${line}: ${fault}\n`)
    if (options.onInvalid === 'stop')
      throw new RunStopped('a row of the list is not valid: correct it, or use --on-invalid skip')
  },
  onTrouble: ({ email }, trouble, reply) =>
    progress.print(`${email}: ${TROUBLES[trouble]}${reply === undefined ? '' : `: ${reply}`}\n`),
  onWouldSend: ({ email }, wave, apps) =>
    progress.print(
      options.isJson
        ? `${JSON.stringify({ email, reminder: wave, apps })}\n`
        : wouldSend({ email, wave, apps }, parts.stdout),
      parts.stdout,
    ),
})

type Would = { email: string; wave: number; apps: string[] }

/** A line of a terminal; whole where it is read by a program. */
function wouldSend({ email, wave, apps }: Would, screen: Output): string {
  const line = `${email}  ${wave === 0 ? 'invitation' : `reminder ${wave}`}  ${printable(apps.join(', '))}`
  return `${screen.isTTY === true ? fitted(line, (screen.columns ?? 80) - 1).trimEnd() : line}\n`
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
  const silent = tally.unknownToService + tally.refusedByService
  if (tally.asked > 0 && silent === tally.asked)
    stderr.write('The service answered about no one: is it SERVICE_BASE_URL, or SERVICE_GLOBAL_TOKEN?\n')
  if (isInterrupted) stderr.write(`Interrupted.${options.isDryRun ? '' : ` ${GOES_ON}`}\n`)
  else if (endedBy === 'limit')
    stderr.write(`--limit ${options.limit} ended the run.${options.isDryRun ? '' : ` ${GOES_ON}`}\n`)
}
