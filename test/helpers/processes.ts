// Processes that a test starts: their output is kept, and none outlives the test run, even when a test fails.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'

const root = new URL('../..', import.meta.url).pathname
const living = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** What a process needs of ours: where commands are, and where Node keeps what it has compiled, which halves a start. */
export const BARE_ENV = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

export type Spawned = ReturnType<typeof spawnOne>

export function spawnOne(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  cwd = root,
) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  living.add(child)
  const exited = once(child, 'exit').finally(() => living.delete(child))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    pid: child.pid,
    /** What it wrote so far, on both of its outputs. */
    output: () => output,
    hasEnded,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Sends the signal and waits for its end. @returns its exit code (null: ended by the signal) and after how long */
    async end(signal: NodeJS.Signals) {
      const start = performance.now()
      if (!hasEnded()) {
        child.kill(signal)
        await exited
      }
      return { code: child.exitCode, milliseconds: performance.now() - start }
    },
  }
}

export type OnrampProcess = Spawned & { url: string }

/** What `npm start` gives to Node: its options, and the file. @param folder where the package.json is */
export function startArguments(folder = root): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const [, ...words] = (scripts['start'] ?? '').split(' ')
  return words
}

/**
 * The server as `npm start` runs it.
 * @param env all of its settings, and nothing else of ours is in its environment
 * @param folder where its package.json is; absent: this version's
 */
export const spawnOnramp = (env: Record<string, string>, folder = root): Spawned =>
  spawnOne(`${root}node_modules/.bin/node`, startArguments(folder), { ...BARE_ENV, ...env }, folder)

/** The same, once it is ready. @param env all of its settings; PORT and HOST among them */
export async function startOnramp(env: Record<string, string>, folder?: string): Promise<OnrampProcess> {
  const url = `http://${env['HOST']}:${env['PORT']}`
  const child = spawnOnramp(env, folder)
  await until(async () => {
    if (child.hasEnded()) throw new Error(`onramp ended: ${child.output()}`)
    return (await statusOf(`${url}/readyz`)) === 200
  }, `${url} to be ready`)
  return { ...child, url }
}

/** The status of an answer, or undefined where there is none. */
export async function statusOf(url: string): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(url, { headersTimeout: 5_000, reset: true })
    await body.dump()
    return statusCode
  } catch {
    return undefined
  }
}

/** Asks again and again. @returns after how many milliseconds it was so */
export async function until(
  isSo: () => Promise<boolean> | boolean,
  what: string,
  most = 40_000,
): Promise<number> {
  const start = performance.now()
  while (!(await isSo())) {
    if (performance.now() - start > most) throw new Error(`waited ${most} ms in vain for ${what}`)
    await sleep(25)
  }
  return performance.now() - start
}
