// Child processes of tests and benchmarks. Their output goes to files, and all of them end with the run.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'

const root = new URL('../..', import.meta.url).pathname
const livingChildren = new Set<ChildProcess>()
const folders: string[] = []
process.on('exit', () => {
  for (const child of livingChildren) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** An empty folder that is removed when this process exits. */
export function scratchFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `onramp-${name}-`))
  folders.push(folder)
  return folder
}

let [outputs, count] = ['', 0]

/** PATH, and Node's compile cache, which halves the time of a start. */
export const BARE_ENV = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }

export type Spawned = {
  pid: number
  /** The output so far, to stdout and stderr. */
  output(): string
  hasEnded(): boolean
  signal(signal: NodeJS.Signals): void
  /** Sends the signal and waits for the exit. The code is null after a signal. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; milliseconds: number }>
  /** Kills the process. */
  close(): Promise<unknown>
}

/** @param cwd the working directory @param pin the processors it may use, as taskset lists them */
export function spawnOne(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  { cwd = root, pin }: { cwd?: string; pin?: string | undefined } = {},
): Spawned {
  outputs ||= scratchFolder('output')
  const file = join(outputs, String(++count))
  const output = openSync(file, 'a')
  const words = pin === undefined ? [command, ...args] : ['taskset', '-c', pin, command, ...args]
  const child = spawn(words[0] ?? '', words.slice(1), { cwd, env, stdio: ['ignore', output, output] })
  closeSync(output)
  if (child.pid === undefined) throw new Error(`${words[0]} cannot be started`)
  livingChildren.add(child)
  const exitEvent = once(child, 'exit').finally(() => livingChildren.delete(child))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const result: Spawned = {
    pid: child.pid,
    output: () => readFileSync(file, 'utf8'),
    hasEnded,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      const start = performance.now()
      if (!hasEnded()) {
        child.kill(signal)
        await exitEvent
      }
      return { code: child.exitCode, milliseconds: performance.now() - start }
    },
    close: () => result.end('SIGKILL'),
  }
  return result
}

export type OnrampProcess = Spawned & { url: string }

/** The arguments of Node in `npm start`. */
export function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  return (scripts['start'] ?? '').split(' ').slice(1)
}

type NodeRun = { options?: readonly string[]; pin?: string | undefined }

/** A file, with Node's options before it, in the Node that the lock file pins. */
export const spawnNode = (args: readonly string[], env: Record<string, string>, pin?: string): Spawned =>
  spawnOne(`${root}node_modules/.bin/node`, args, { ...BARE_ENV, ...env }, { pin })

/** The server as `npm start` runs it. @param env all of its settings; nothing else is in its environment */
export const spawnOnramp = (env: Record<string, string>, { options = [], pin }: NodeRun = {}): Spawned =>
  spawnNode([...options, ...startArguments()], env, pin)

export async function statusOf(url: string): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(url, { headersTimeout: 5_000, reset: true })
    await body.dump()
    return statusCode
  } catch {
    return undefined
  }
}

/** Polls a condition. @returns the milliseconds it took @throws after `most` milliseconds */
export async function until(
  isTrue: () => Promise<boolean> | boolean,
  what: string,
  most = 40_000,
): Promise<number> {
  const start = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - start > most) throw new Error(`waited ${most} ms in vain for ${what}`)
    await sleep(25)
  }
  return performance.now() - start
}

/** Waits until the URL of a process answers below 500. @throws if the process ends first */
export const untilServing = (child: Spawned, url: string): Promise<number> =>
  until(async () => {
    if (child.hasEnded()) throw new Error(`ended before ${url} answered: ${child.output()}`)
    return ((await statusOf(url)) ?? 500) < 500
  }, `${url} to answer`)

/** The same, once it is ready. @param env all of its settings, with PORT and HOST */
export async function startOnramp(env: Record<string, string>, run: NodeRun = {}): Promise<OnrampProcess> {
  const url = `http://${env['HOST']}:${env['PORT']}`
  const child = spawnOnramp(env, run)
  await untilServing(child, `${url}/readyz`)
  return { ...child, url }
}

/** Runs a program to its end: it exits with the code of `main`, or with 1 after an error or a signal. */
export async function runToEnd(main: () => Promise<number>): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const code = await main().catch((error: unknown) => {
    console.error(error)
    return 1
  })
  // Open connections of a failed run must not keep this process.
  process.exit(code)
}
