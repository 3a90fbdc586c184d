// A folder for the tests of a file, removed after them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
