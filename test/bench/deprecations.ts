// Lines a second and the most memory of `onramp deprecations check` on 1 and 10 million lines (about 0.2 and 2 GB):
//   npm run bench:deprecations [LINES …]
// The check runs as a process of its own; what it costs is read from the system after it has ended.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HOST = 'https://service.example'
const WORDS = 'a question about the quarterly report and where it is kept, asked in so many words. '

const call = (path: string, response?: object, request?: object, method = 'POST') => {
  return { method, url: `${HOST}/rest/api/v1/${path}`, status: 200, request, response }
}
const calls = [
  call('search', { requestId: 'r', results: [] }, { query: WORDS }),
  call('getanswer', { answer: { trackingToken: 't', text: WORDS } }, { id: 1 }),
  call('chat', { messages: [{ citations: [{ id: 1 }] }] }, { m: WORDS }),
  call('governance/data/policies/7', { name: WORDS, rules: [{ enabled: true }] }, undefined, 'GET'),
  call('checkdatasourceauth?final_redirect_url=https%3A%2F%2Fa'),
]

const LINES_A_BLOCK = 1_000
const block = (at: number) =>
  Array.from({ length: LINES_A_BLOCK }, (_, index) => {
    const time = new Date(1.79e12 + at + index).toISOString()
    return `${JSON.stringify({ time, ...calls[index % calls.length] })}\n`
  }).join('')

async function writeTraffic(file: string, lines: number) {
  const stream = createWriteStream(file)
  for (let at = 0; at < lines; at += LINES_A_BLOCK) if (!stream.write(block(at))) await once(stream, 'drain')
  stream.end()
  await once(stream, 'finish')
}

const runner = fileURLToPath(new URL('../helpers/run-deprecations.ts', import.meta.url))
const measuring = `data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS))`

async function measure(file: string) {
  const start = performance.now()
  const args = ['--import', measuring, runner, 'check', file, '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let talk = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (talk += text))
  const [exitCode] = (await once(child, 'close')) as [number]
  const megabytes = Number(/maxrss (\d+)/.exec(talk)?.[1]) / 1024
  return { seconds: (performance.now() - start) / 1000, megabytes, exitCode }
}

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000, 10_000_000]
const folder = await mkdtemp(join(tmpdir(), 'onramp-bench-'))
try {
  for (const lines of sizes) {
    const file = join(folder, 'traffic.ndjson')
    await writeTraffic(file, lines)
    const { size } = await stat(file)
    const { seconds, megabytes, exitCode } = await measure(file)
    const rate = Math.round(lines / seconds).toLocaleString('en-US')
    const of = `${lines.toLocaleString('en-US')} lines, ${(size / 1e9).toFixed(2)} GB`
    console.log(
      `${of}: ${seconds.toFixed(1)} s, ${rate} lines/s, at most ${megabytes.toFixed(0)} MB (exit ${exitCode})`,
    )
  }
} finally {
  await rm(folder, { recursive: true })
}
