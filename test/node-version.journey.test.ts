// Unsupported versions of Node fail with an explanation, however onramp is started. The tests change process.version
// before any code of ours is loaded.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { waitForEnd } from './campaigns/command.ts'
import { BARE_ENV } from './helpers/processes.ts'

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
    env: BARE_ENV,
  })
  child.stdin.end()
  return await waitForEnd(child)
}

const npmStart = (manifest.scripts['start'] ?? '').split(' ').slice(1)

const OLD = ['20.20.2', '22.18.0', '24.0.2', '24.1.0', '24.2.0']
const STARTS: [string, string, string[]][] = [
  ['npm start', 'onramp', npmStart],
  ['the server', 'onramp', ['src/server.ts']],
  ['the installed command', 'onramp', [manifest.bin['onramp'] ?? '', 'serve']],
  ['the command line', 'onramp', ['src/cli/main.ts', '--help']],
  ['the sandbox', 'onramp-sandbox', ['packages/sandbox/src/onramp-sandbox.mjs']],
  ['the checker', 'onramp-deprecations', ['packages/deprecations/src/command/onramp-deprecations.mjs']],
]

it.each(OLD.flatMap((version) => STARTS.map((way) => [version, ...way] as const)))(
  'Node %s is refused by %s with an explanation and an exit code',
  async (version, _title, name, args) => {
    const { code, stdout, stderr } = await start(version, ...args)
    const line = `${name} needs Node 24.3 or newer; this is Node ${version}. Install a newer one: https://nodejs.org`
    expect(stderr).toBe(`${line}\n`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  },
)

it.each(['24.3.0', '25.0.0'])('Node %s is accepted, as package.json says', async (version) => {
  expect(manifest.engines.node).toBe('>=24.3')
  const { code, stdout } = await start(version, manifest.bin['onramp'] ?? '', '--help')
  expect(code).toBe(0)
  expect(stdout).toContain('Usage: onramp ')
})
