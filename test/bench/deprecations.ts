// npm run bench:deprecations [LINES …]: lines a second and the most memory of `onramp deprecations check`, by default
// on 1 and 10 million lines (about 0.2 and 2 GB), in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HOST = 'https://service.example'
const TEXT = 'A question about the quarterly report and where it is kept, of a usual length. '

const call = (path: string, response?: object, request?: object, method = 'POST') => {
  return { method, url: `${HOST}/rest/api/v1/${path}`, status: 200, request, response }
}
const calls = [
  call('search', { requestId: 'r', results: [] }, { query: TEXT }),
  call('getanswer', { answer: { trackingToken: 't', text: TEXT } }, { id: 1 }),
  call('chat', { messages: [{ citations: [{ id: 1 }] }] }, { m: TEXT }),
  call('governance/data/policies/7', { name: TEXT, rules: [{ enabled: true }] }, undefined, 'GET'),
  call('checkdatasourceauth?final_redirect_url=https%3A%2F%2Fa'),
]

const LINES_A_BLOCK = 1_000
function* blocks(lines: number) {
  for (let at = 0; at < lines; at += LINES_A_BLOCK)
    yield Array.from({ length: LINES_A_BLOCK }, (_, index) => {
      const time = new Date(1.79e12 + at + index).toISOString()
      return `${JSON.stringify({ time, ...calls[index % calls.length] })}\n`
    }).join('')
}

const runner = fileURLToPath(new URL('../helpers/run-deprecations.ts', import.meta.url))
const measuring = `data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS))`

async function measure(file: string) {
  const start = performance.now()
  const args = ['--import', measuring, runner, 'check', file, '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [exitCode] = (await once(child, 'close')) as [number]
  const megabytes = Number(/maxrss (\d+)/.exec(output)?.[1]) / 1024
  return { seconds: (performance.now() - start) / 1000, megabytes, exitCode }
}

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1_000_000, 10_000_000]
const folder = await mkdtemp(join(tmpdir(), 'onramp-bench-'))
try {
  for (const lines of sizes) {
    const file = join(folder, 'traffic.ndjson')
    await writeFile(file, blocks(lines))
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
