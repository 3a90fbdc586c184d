// An email is tried again while the connection breaks before the mail server has it: then nothing can arrive twice.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mail } from './mail.ts'
import type { Attempt, BeforeAgain, Posted } from './outcome.ts'

export type TriesParts = {
  attempt: (mail: Mail) => Promise<Attempt>
  /** Is the server there at all? @throws {MailServerUnusable} */
  check: () => Promise<void>
  /** One before each further try, and one behind the last; milliseconds. */
  pausesMs: readonly number[]
  signal: AbortSignal | undefined
}

/** @returns what tries an email @throws {MailServerUnusable} */
export function createTries({ attempt, check, pausesMs, signal }: TriesParts) {
  /** A connection broke: before anything else is handed over, is the server there at all? */
  let isSuspect = false

  return async (mail: Mail, beforeAgain?: BeforeAgain): Promise<Posted> => {
    let reply = ''
    for (const [times, pauseMs] of pausesMs.entries()) {
      if (isSuspect) await check()
      isSuspect = false
      if (times > 0) await beforeAgain?.()
      const posted = await attempt(mail)
      const { outcome } = posted
      isSuspect = outcome === 'unknown' || outcome === 'not-handed-over'
      if (outcome !== 'not-handed-over') return posted
      if (!reply.startsWith('421')) reply = posted.reply
      await sleep(pauseMs)
      signal?.throwIfAborted()
    }
    // It may close at this recipient alone: a run that ended here would never get past them.
    return { outcome: 'refused', reply, blame: 'closing' }
  }
}
