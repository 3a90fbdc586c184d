// Fixture: the settings of commands, with an empty store for each test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { openKeepState, openPeople, withStore } from '../../src/cli/store.ts'
import type { KeepStateStore } from '../../src/people/keep-state.ts'
import type { PeopleStore } from '../../src/people/people-store.ts'
import type { Records } from '../../src/records/records.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

/** @param settings beside the required ones */
export function useStoredPeople(settings: Record<string, string> = {}, now = Date.now) {
  const env = { ...REQUIRED, ...settings, DATA_DIR: '' }
  beforeEach(() => void (env.DATA_DIR = mkdtempSync(join(tmpdir(), 'onramp-people-'))))
  afterEach(() => rmSync(env.DATA_DIR, { recursive: true }))

  const withPeople = <T>(
    work: (people: PeopleStore, keepState: KeepStateStore, records: Records) => Promise<T>,
  ) => {
    const loaded = loadSettings(env)
    return withStore(loaded, (records) =>
      work(openPeople({ records, settings: loaded, now }), openKeepState(records, loaded), records),
    )
  }
  return { env, withPeople }
}
