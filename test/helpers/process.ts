// onramp as its own process, started by the command of `npm start`, so that it can be killed.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export type Ended = { code: number | null; output: string }

/** The words of a script of package.json, with the runtime that the project pins. */
function commandOf(script: string): [string, string[]] {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    scripts: Record<string, string>
  }
  const [command = '', ...words] = (scripts[script] ?? '').split(' ')
  return [command === 'node' ? `${ROOT}/node_modules/.bin/node` : command, words]
}

function start(env: Record<string, string>): ChildProcess {
  const [command, words] = commandOf('start')
  return spawn(command, words, {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Starts it and waits until it ends by itself. */
export async function runToItsEnd(env: Record<string, string>): Promise<Ended> {
  const child = start(env)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
  await once(child, 'close')
  return { code: child.exitCode, output: lines.join('') }
}

export type Process = { log: string[]; kill(signal: NodeJS.Signals): Promise<number | null> }

/** Starts it and waits until it is ready to serve. */
export async function startProcess(env: Record<string, string>): Promise<Process> {
  const child = start(env)
  const log: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => log.push(chunk.toString()))
  await untilReady(env['PUBLIC_URL'] ?? '', () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${log.join('')}`)
  })
  return {
    log,
    async kill(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal)
        await once(child, 'exit')
      }
      return child.exitCode
    },
  }
}

/** Waits until /readyz says yes. @param check throws when there is no more use in waiting */
export async function untilReady(url: string, check = () => {}): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    check()
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await sleep(20)
  }
  throw new Error(`${url} does not become ready`)
}
