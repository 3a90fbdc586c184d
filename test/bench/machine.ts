// The machine and the processes on it: which processors they use, their time and memory. Only Linux has the figures;
// elsewhere they are NaN and nothing is pinned.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'

/** Lists of processors as taskset takes them; undefined leaves the choice to the system. */
export type Pins = { server: string | undefined; others: string | undefined }

/** The first processor for the server under test alone, the others for everything else. */
export function choosePins(): Pins {
  const [first, ...rest] = allowedProcessors()
  const pins = { server: String(first), others: rest.join(',') }
  try {
    if (rest.length === 0) throw new RangeError('one processor')
    // Every thread of this process, which makes the load; each process that it starts is pinned on its own.
    execFileSync('taskset', ['-a', '-c', '-p', pins.others, String(process.pid)], { stdio: 'ignore' })
  } catch {
    return { server: undefined, others: undefined }
  }
  return pins
}

/** `Cpus_allowed_list` is like 0-3,8. */
function allowedProcessors(): number[] {
  const list = /Cpus_allowed_list:\s*(\S+)/.exec(read('/proc/self/status'))?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [from = NaN, to = from] = range.split('-').map(Number)
    return range === '' ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

/** @returns empty where there is no such file */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export const residentMb = (pid: number): number =>
  Number(/VmRSS:\s*(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1]) / 1024

/** Processor time that a process has taken so far, over all its threads, in milliseconds; exact to ten. */
export function processorMs(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export function describeMachine(redisVersion: string): string {
  const packages = ['express', 'express-session', 'express-openid-connect', 'redis', 'undici']
  return [
    `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `${type()} ${release()}`,
    `Node ${process.version.slice(1)}`,
    `Redis ${redisVersion}`,
    ...packages.map((name) => `${name} ${versionOf(name)}`),
  ].join(', ')
}

function versionOf(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
