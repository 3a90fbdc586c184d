// The previous release, with its own sources and this checkout's node_modules. It is in an archive, because a checkout need
// not have its history (test/previous-version).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const root = new URL('../..', import.meta.url).pathname

/** Unpacks it. @returns where its package.json is, and how to remove it */
export function unpackPreviousVersion(): { folder: string; remove: () => void } {
  const parent = mkdtempSync(join(tmpdir(), 'onramp-previous-'))
  const folder = join(parent, 'onramp')
  const ours = join(folder, 'node_modules/@onramp')
  mkdirSync(ours, { recursive: true })
  const archive = brotliDecompressSync(readFileSync(join(root, 'test/fixtures/previous-version.tar.br')))
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  // Its own checker; what it doesn't find here it finds one folder up.
  symlinkSync(join(folder, 'packages/deprecations'), join(ours, 'deprecations'))
  symlinkSync(join(root, 'node_modules'), join(parent, 'node_modules'))
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) }
}
