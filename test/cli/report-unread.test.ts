// invite report where nothing that is stored can be read: that is not the same as nothing.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createPeople } from '../../src/people/people.ts'
import { openStore } from '../../src/records/store.ts'
import { createSealer } from '../../src/records/seal.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { createLog } from '../../src/web/log.ts'
import { runCommand } from './run-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'onramp-report-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a report of records that cannot be read does not say that there are none', async () => {
  const env = {
    PUBLIC_URL: 'http://localhost:3000',
    SERVICE_BASE_URL: 'http://127.0.0.1:1',
    OIDC_ISSUER: 'http://127.0.0.1:1',
    SESSION_SECRET: 'a secret of thirty-two characters',
    DATA_DIR: join(folder, 'data'),
  }
  const report = () => runCommand(['invite', 'report'], env)
  expect((await report()).out).toContain('No data yet (SQLite')
  const store = openStore(loadSettings(env), createLog('silent'))
  const sealer = createSealer(['another secret of thirty-two, or so'])
  const people = createPeople({ records: store.records, sealer, now: Date.now, retentionDays: 90 })
  await people.change('ada@acme.example', (before) => ({ ...before, openedAt: Date.now() }))
  await store.close()
  const { out, err } = await report()
  expect(out).toContain('No data that can be read (SQLite')
  expect(err).toContain('not included: one record')
})
