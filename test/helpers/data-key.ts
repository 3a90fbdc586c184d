// Fixture: a key ring in memory.
import { createKeyRing, type KeyRing } from '../../src/records/data-key.ts'
import type { Records } from '../../src/records/records.ts'
import { memoryRecords } from './memory-records.ts'

/** A data key for tests. @param records shared by several processes */
export const testKeyRing = (
  records: Pick<Records, 'get' | 'compareAndSet'> = memoryRecords().records,
): KeyRing => createKeyRing(records, ['a secret of thirty-two characters'])
