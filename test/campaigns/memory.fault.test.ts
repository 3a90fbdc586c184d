// Memory of a run and its report is independent of the list's length.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { collectGarbage, heldBytes } from '../helpers/heap.ts'
import { testPeople } from '../helpers/people.ts'
import { unconnectedApps, setUpSendRuns } from './run-fixture.ts'

function* addresses(count: number) {
  for (let number = 0; number < count; number++) yield `person-${number}@acme.example`
}

/** Sends to every second person. @returns the peak memory of the run, in bytes above the start */
async function measurePeak(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-memory-'))
  const records = createSqliteRecords(folder)
  const people = testPeople({ records })
  let [sent, most] = [0, 0]
  const sample = async () => {
    await collectGarbage()
    most = Math.max(most, heldBytes())
  }
  await sample()
  const before = most
  const { tally, error } = await setUpSendRuns(people).run({
    people: addresses(count),
    async send() {
      if (sent++ % Math.ceil(count / 20) === 0) await sample()
      return { outcome: 'sent' }
    },
    maxConcurrent: 4,
    overrideDeps: () => ({
      check: (email) =>
        Promise.resolve({ kind: 'checked', unconnected: /[02468]@/.test(email) ? unconnectedApps : [] }),
    }),
  })
  await sample()
  const { invited } = await createReport(summarizeAll(people.all()), Date.now())
  await sample()
  records.close()
  rmSync(folder, { recursive: true, force: true })
  return { sent: tally.sent, error, invited, bytes: most - before }
}

it(
  'a run takes little more memory for fifty thousand people than for one thousand',
  { timeout: 300_000 },
  async () => {
    await measurePeak(1_000)
    const [few, many] = [await measurePeak(1_000), await measurePeak(50_000)]
    expect(many).toMatchObject({ sent: 25_000, invited: 25_000, error: undefined })
    expect(many.bytes).toBeLessThan(few.bytes + 10_000_000)
  },
)
