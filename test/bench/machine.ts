// What is known of the machine and of a process on it: who runs where, time and memory taken. Linux tells; elsewhere
// the figures are missing and nothing is pinned.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'

/** Lists of processors as taskset takes them; undefined: left to the system. */
export type Pins = { server: string | undefined; others: string | undefined }

/** The first processor for the server under test alone, the others for everything else. */
export function choosePins(): Pins {
  const free = { server: undefined, others: undefined }
  const [first, ...rest] = allowedProcessors()
  if (first === undefined || rest.length === 0) return free
  try {
    // Every thread of this process, which makes the load and answers sign-ins; what it starts is pinned on its own.
    execFileSync('taskset', ['-a', '-c', '-p', rest.join(','), String(process.pid)], { stdio: 'ignore' })
  } catch {
    return free
  }
  return { server: String(first), others: rest.join(',') }
}

function allowedProcessors(): number[] {
  const list = /Cpus_allowed_list:\s*(\S+)/.exec(read('/proc/self/status') ?? '')?.[1] ?? ''
  return list.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number)
    if (from === undefined || to === undefined || part === '') return []
    return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  })
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Memory of a process that is really there (RSS), in megabytes. */
export function residentMb(pid: number): number | undefined {
  const kilobytes = /VmRSS:\s*(\d+) kB/.exec(read(`/proc/${pid}/status`) ?? '')?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/** Processor time that a process has taken so far, over all its threads, in milliseconds; exact to ten. */
export function processorMs(pid: number): number | undefined {
  const fields = read(`/proc/${pid}/stat`)?.split(') ')[1]?.split(' ')
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * 10
}

/** The machine and the versions, on one line. */
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
