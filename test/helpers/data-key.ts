// An installation's key for tests of what is sealed under it, not of where it is kept.
import { createInstallation, type Installation } from '../../src/records/data-key.ts'
import type { Records } from '../../src/records/records.ts'
import { memoryRecords } from './memory-records.ts'

/** @param records where several processes share it */
export const testInstallation = (
  records: Pick<Records, 'get' | 'compareAndSet'> = memoryRecords().records,
): Installation => createInstallation(records, ['a secret of thirty-two characters'])
