// `npm start` under a supervisor that ends npm: the server ends, too, whatever the shell in between does with signals.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '../helpers/running.ts'

const DRAIN_SECONDS = 1

const folder = mkdtempSync(join(tmpdir(), 'onramp-npm-'))
const started: ChildProcess[] = []
afterEach(() => {
  for (const { pid } of started.splice(0))
    try {
      process.kill(-(pid ?? 0), 'SIGKILL')
    } catch {
      // The process has ended.
    }
  rmSync(folder, { recursive: true, force: true })
})

function npmStart(port: number): ChildProcess {
  const url = `http://localhost:${port}`
  const env = {
    PATH: process.env['PATH'],
    HOST: 'localhost',
    PORT: String(port),
    PUBLIC_URL: url,
    SERVICE_BASE_URL: 'http://localhost:9',
    OIDC_ISSUER: 'http://localhost:9',
    SESSION_SECRET: 'x'.repeat(40),
    DATA_DIR: folder,
    DRAIN_SECONDS: String(DRAIN_SECONDS),
  }
  const cwd = new URL('../..', import.meta.url).pathname
  const child = spawn('npm', ['start'], { env, cwd, detached: true, stdio: 'ignore' })
  started.push(child)
  return child
}

const isAlive = (port: number) =>
  fetch(`http://localhost:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

it.each([
  ['npm alone', (pid: number) => pid],
  ['npm and its child processes', (pid: number) => -pid],
])(
  'a supervisor that ends %s lets the server drain, and the next one takes over',
  async (_title, target) => {
    const port = await freePort('localhost')
    const first = npmStart(port)
    await expect.poll(() => isAlive(port), { timeout: 60_000 }).toBe(true)
    process.kill(target(first.pid ?? 0), 'SIGTERM')
    const endedAt = Date.now()
    const second = npmStart(port)
    // The first server drains and releases the port and the store; then the second one gets both.
    await expect.poll(() => isAlive(port), { timeout: 5_000 }).toBe(false)
    expect(Date.now() - endedAt).toBeGreaterThanOrEqual(DRAIN_SECONDS * 1000)
    await expect.poll(() => isAlive(port), { timeout: 60_000 }).toBe(true)
    second.kill('SIGTERM')
    await expect.poll(() => isAlive(port), { timeout: 10_000 }).toBe(false)
  },
  180_000,
)
