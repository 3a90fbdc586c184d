// Starting, awaiting and ending the processes of a run. Whatever happens, none is left behind.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startArguments } from '../helpers/processes.ts'

export type Start = {
  /** What its output is kept under. */
  name: string
  command: string
  args: string[]
  env?: Record<string, string>
  cwd?: string
  /** The processors it may use; undefined: all. */
  pin: string | undefined
}

const READY_MOST_MS = 15_000

/** For what the processes write while they run: removed with them. */
export const folder = mkdtempSync(join(tmpdir(), 'onramp-bench-'))

const started = new Set<ChildProcess>()

const logOf = (name: string) => join(folder, `${name}.log`)

/** The end of what each process has written: why it failed, perhaps. */
const lastWords = (): string =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.log'))
    .map((file) => `== ${file}\n${readFileSync(join(folder, file), 'utf8').slice(-2_000)}\n`)
    .join('')

/** Starts a process in a clean environment: settings of whoever runs this must not reach it. */
export function start({ name, command, args, env, cwd, pin }: Start): ChildProcess & { pid: number } {
  const output = openSync(logOf(name), 'a')
  const line = pin === undefined ? [command, ...args] : ['taskset', '-c', pin, command, ...args]
  const child = spawn(line[0] ?? command, line.slice(1), {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  started.add(child)
  child.once('exit', () => started.delete(child))
  if (child.pid === undefined) throw new Error(`${line[0]} cannot be started`)
  return child as ChildProcess & { pid: number }
}

/** Starts a file on the Node that runs this one. */
export const startNode = (file: string, rest: Omit<Start, 'command' | 'args'>) =>
  start({ ...rest, command: process.execPath, args: ['--disable-warning=ExperimentalWarning', file] })

/** Starts onramp as `npm start` does, on the Node that runs this one. @param options more of Node's options */
export const startServer = (
  folder: string,
  { options, ...rest }: Omit<Start, 'command' | 'args' | 'cwd'> & { options: string[] },
) => start({ ...rest, cwd: folder, command: process.execPath, args: [...options, ...startArguments(folder)] })

/** Waits until an address answers with anything but "not now". @throws when that takes too long */
export async function untilReady(name: string, url: string): Promise<void> {
  const late = performance.now() + READY_MOST_MS
  while (performance.now() < late) {
    const status = await fetch(url, { redirect: 'manual' }).then(
      (response) => response.status,
      () => 503,
    )
    if (status < 500) return
    await sleep(50)
  }
  throw new Error(`${name} is not ready after ${READY_MOST_MS / 1000} s`)
}

/** Asks everything that is still running to end, waits, and leaves no file behind. */
async function endAll(): Promise<void> {
  await Promise.all(
    [...started].map(async (child) => {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(late)
    }),
  )
  rmSync(folder, { recursive: true, force: true })
}

/** Runs a benchmark as this process: whatever happens, it leaves none behind, and ends with the status of `main`. */
export async function runToEnd(main: () => Promise<number>): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void endAll().then(() => process.exit(1)))
  let status = 1
  try {
    status = await main()
  } catch (error) {
    console.error(error)
    process.stderr.write(lastWords())
  } finally {
    await endAll()
  }
  // Whatever a run that failed has left open must not keep this process.
  process.exit(status)
}
