// An installation's key for tests of what is sealed under it, not of where it is kept.
import { createKeyRing, type KeyRing } from '../../src/records/data-key.ts'
import type { Records } from '../../src/records/records.ts'
import { memoryRecords } from './memory-records.ts'

/** @param records where several processes share it */
export const testKeyRing = (
  records: Pick<Records, 'get' | 'compareAndSet'> = memoryRecords().records,
): KeyRing => createKeyRing(records, ['a secret of thirty-two characters'])
