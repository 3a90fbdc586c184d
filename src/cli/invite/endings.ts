// How the commands of invitations end: an expected failure is one line that says what to do.
import { UnreadableCsv } from '../../people/csv.ts'
import { RunStopped } from '../../campaigns/ledger.ts'
import { MailServerUnusable } from '../../campaigns/mail/outcome.ts'
import { FaultyTemplate } from '../../campaigns/mail/templates.ts'
import { UnreadablePeople } from '../../campaigns/people-file.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import { StoreUnavailable } from '../../records/records.ts'
import { FolderUnusable } from '../../records/sqlite-folder.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { EXIT_INTERRUPTED } from '../signals.ts'

export const EXIT_STOPPED = 1
export const EXIT_PARTLY = 3
export const EXIT_LOCKED = 4

export const RESUMES = 'Run the same command again to resume.'

/** Their message explains them. */
const EXPLAINED = [UnreadablePeople, UnreadableCsv, FaultyTemplate, FolderUnusable]
/** The same, and `invite send` resumes where it ended. */
const RESUMED = [RunStopped, MailServerUnusable, StoreUnavailable]

const wordsFor = (error: Error): string => (error instanceof StoreUnavailable ? error.detail : error.message)

/** @param name as it was called: `invite send` */
export async function explained(
  { stderr }: Pick<CliParts, 'stderr'>,
  name: string,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (error.name === 'AbortError') return EXIT_INTERRUPTED
    const isResumed = RESUMED.some((kind) => error instanceof kind)
    if (!isResumed && !EXPLAINED.some((kind) => error instanceof kind)) throw error
    stderr.write(`onramp ${name}: ${printable(wordsFor(error))}\n`)
    if (isResumed && name === 'invite send') stderr.write(`${RESUMES}\n`)
    return EXIT_STOPPED
  }
}
