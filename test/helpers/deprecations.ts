// Runs the deprecations command within the test, with everything it is given replaced, and keeps what it wrote.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../cli/run-command.ts'

export type Ran = { code: number; out: string; err: string }
type Circumstances = {
  stdin?: string | Uint8Array
  terminal?: boolean
  env?: Record<string, string>
  today?: string
}

const folder = mkdtempSync(join(tmpdir(), 'onramp-deprecations-'))
let files = 0

/** Writes a file into a folder of its own and gives its path. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(folder, `${(files += 1)}-`)), name)
  writeFileSync(path, content)
  return path
}

export const ndjson = (...records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** Runs `onramp deprecations ARGS` on 2026-11-21 unless told otherwise. */
export async function deprecations(args: string[], circumstances: Circumstances = {}): Promise<Ran> {
  const { stdin: input, terminal: isTTY = false, env = {}, today = '2026-11-21' } = circumstances
  const now = () => Date.parse(`${today}T12:00:00Z`)
  const { exit, ...written } = await runCommand(['deprecations', ...args], env, {
    ...(input !== undefined && { input }),
    isTTY,
    columns: 100,
    now,
  })
  return { code: exit, ...written }
}
