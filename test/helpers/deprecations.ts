// Runs the deprecations command within the test and keeps its output.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../cli/run-command.ts'

export type Ran = { code: number; out: string; err: string }
type Run = { stdin?: string | Uint8Array; terminal?: boolean; env?: Record<string, string>; today?: string }

const folder = mkdtempSync(join(tmpdir(), 'onramp-deprecations-'))
let files = 0

export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(mkdtempSync(join(folder, `${(files += 1)}-`)), name)
  writeFileSync(path, content)
  return path
}

export const ndjson = (...records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

export async function deprecations(
  args: string[],
  { stdin: input, terminal: isTTY = false, env = {}, today = '2026-11-21' }: Run = {},
): Promise<Ran> {
  const now = () => Date.parse(`${today}T12:00:00Z`)
  const terminal = { ...(input !== undefined && { input }), isTTY, columns: 100, now }
  const { exit, ...output } = await runCommand(['deprecations', ...args], env, terminal)
  return { code: exit, ...output }
}
