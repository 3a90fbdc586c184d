// Changes a record by compare-and-set until no one else was faster.
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable, type Records } from './records.ts'

const MAX_TRIES = 50

/** The text to write, and how long it lives; undefined leaves the record as it is. */
type Next = { text: string; seconds: number } | undefined

type Change = {
  key: string
  /** Makes the next text of the one that is there. May run more than once, so it only computes. */
  next: (text: string | undefined) => Next
  /** What the record probably holds: saves a read where that is right. */
  guess?: { text: string | undefined } | undefined
}

type ChangeRecord = (change: Change) => Promise<void>

/** @returns changes a record; @throws {StoreUnavailable} also when others change it all the time */
export const createChanges =
  (records: Pick<Records, 'get' | 'compareAndSet'>): ChangeRecord =>
  async ({ key, next, guess }) => {
    let was = guess === undefined ? await records.get(key) : guess.text
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const is = next(was)
      if (is === undefined || (await records.compareAndSet(key, was, is.text, is.seconds))) return
      if (tries > 0) await pause(Math.random() * 4 * tries)
      was = await records.get(key)
    }
    throw new StoreUnavailable(new Error(`a record was changed by others ${MAX_TRIES} times in a row`))
  }
