// Waiting for a store that is connected to in the background, as Redis is: for commands, which can't come again a second later.
import type { Records } from './records.ts'

const MAX_MS = 5_000
const PAUSE_MS = 50

/** @throws {StoreUnavailable} when it does not answer for some seconds */
export async function untilReachable(records: Pick<Records, 'get'>): Promise<void> {
  const until = Date.now() + MAX_MS
  for (;;)
    try {
      await records.get('ready')
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
}
