// A Node that cannot run onramp says so and fails, however it is started. Run for real with this Node, which is told to
// call itself by another version before anything of ours is read.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ended } from './campaigns/command.ts'

const root = new URL('..', import.meta.url).pathname
const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  engines: { node: string }
  bin: Record<string, string>
  scripts: Record<string, string>
}

const pretending = (version: string) =>
  `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
  )}`

async function start(version: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--import', pretending(version), ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] },
  })
  child.stdin.end()
  return await ended(child)
}

const npmStart = (manifest.scripts['start'] ?? '').split(' ').slice(1)

describe.each(['20.20.2', '22.18.0', '24.0.2', '24.1.0', '24.2.0'])('Node %s', (version) => {
  it.each([
    ['npm start', npmStart],
    ['the server', ['src/server.ts']],
    ['the command as it is installed', [manifest.bin['onramp'] ?? '', 'serve']],
    ['the command line', ['src/cli/main.ts', '--help']],
  ])('is refused by %s with words and an exit code', async (_what, args) => {
    const { code, stdout, stderr } = await start(version, ...args)
    expect(stderr).toBe(
      `onramp needs Node 24.3 or newer; this is Node ${version}. Install a newer one: https://nodejs.org\n`,
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })
})

describe.each(['20.20.2', '22.18.0', '24.2.0'])('Node %s', (version) => {
  it.each([
    ['onramp-sandbox', 'packages/sandbox/src/onramp-sandbox.mjs'],
    ['onramp-deprecations', 'packages/deprecations/src/command/onramp-deprecations.mjs'],
  ])('is refused by %s too', async (name, file) => {
    const { code, stdout, stderr } = await start(version, file)
    expect(stderr).toMatch(
      new RegExp(`^${name} needs Node 24\\.3 or newer; this is Node ${version}\\. .*\\n$`),
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })
})

describe('Node 24.3 and later', () => {
  it.each(['24.3.0', '25.0.0'])('%s is taken, as package.json says', async (version) => {
    expect(manifest.engines.node).toBe('>=24.3')
    const { code, stdout } = await start(version, manifest.bin['onramp'] ?? '', '--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: onramp ')
  })
})
