// How the commands of invitations end: what is expected to go wrong is said in a line, with what to do.
import { ServiceUnusable } from '../../campaigns/ask.ts'
import { UnreadableCsv } from '../../arrivals/csv.ts'
import { MailServerUnusable } from '../../campaigns/mail/server.ts'
import { FaultyTemplate } from '../../campaigns/mail/templates.ts'
import { UnreadablePeople } from '../../campaigns/invitee.ts'
import { RunStopped } from '../../campaigns/trouble.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { StoreUnavailable } from '../../records/records.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { EXIT_INTERRUPTED } from '../signals.ts'

export const EXIT_STOPPED = 1
export const EXIT_PARTLY = 3
export const EXIT_LOCKED = 4

export const GOES_ON = 'Started again, it goes on where it ended.'

/** Expected, and explained by its message. */
const EXPLAINED = [UnreadablePeople, UnreadableCsv, FaultyTemplate]
/** The same, and a run of `invite send` goes on where it ended. */
const RESUMED = [RunStopped, ServiceUnusable, MailServerUnusable]

function wordsFor(error: unknown): { words: string; isResumed: boolean } | undefined {
  if (error instanceof StoreUnavailable) return { words: error.detail, isResumed: true }
  if (!(error instanceof Error)) return undefined
  const isOneOf = (kinds: (new (message: string) => Error)[]) => kinds.some((kind) => error instanceof kind)
  if (isOneOf(EXPLAINED)) return { words: error.message, isResumed: false }
  const hint = error instanceof ServiceUnusable ? ' (SERVICE_GLOBAL_TOKEN, SERVICE_BASE_URL)' : ''
  return isOneOf(RESUMED) ? { words: `${error.message}${hint}`, isResumed: true } : undefined
}

/** @param name as it was called: `invite send` */
export async function explained(
  { stderr }: Pick<CliParts, 'stderr'>,
  name: string,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return EXIT_INTERRUPTED
    const known = wordsFor(error)
    if (known === undefined) throw error
    stderr.write(`onramp ${name}: ${printable(known.words)}\n`)
    if (known.isResumed && name === 'invite send') stderr.write(`${GOES_ON}\n`)
    return EXIT_STOPPED
  }
}
