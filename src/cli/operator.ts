// The operator of a command: their name, texts, and the audit log of their actions, as lines on standard error.
import { userInfo } from 'node:os'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { Registry } from 'prom-client'
import { normalizedAddress } from '../people/address.ts'
import type { Settings } from '../settings/settings.ts'
import { createAudit, createAuditIds, type Audit } from '../web/audit.ts'
import { LANGUAGES_FOLDER, readCatalogue, REFERENCE_LANGUAGE } from '../web/languages/catalogue.ts'
import { createTexts } from '../web/languages/texts.ts'
import { createLog } from '../web/log.ts'

/** Texts for the terminal, which is in English. */
export const operatorTexts = () =>
  createTexts(REFERENCE_LANGUAGE, readCatalogue(LANGUAGES_FOLDER, REFERENCE_LANGUAGE))

/** Removes the marks that isolate text in the other direction, because a terminal would show them. */
export const forTerminal = (text: string): string => printable(text.replaceAll(/[\u2068\u2069]/g, ''))

/** The operating system's user, by number if it has no name, as in a container. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** Writes lines in the format of the audit log. */
export function createOperatorAudit(
  { INVITE_SECRET, SESSION_SECRET }: Settings,
  stderr: CommandContext['stderr'],
): Audit {
  const ids = createAuditIds(INVITE_SECRET ?? SESSION_SECRET, normalizedAddress)
  return createAudit(createLog('info', { write: (line) => void stderr.write(line) }), new Registry(), ids)
}
