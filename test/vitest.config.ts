// Five projects. A test's folder, or what it starts, says which one it is in, so that nobody has to register one:
//   browser   real Chromium
//   engines   Firefox and WebKit too; not in `npm run test:all`
//   faults    outages, kills and measurements of memory; minutes
//   journeys  starts servers or processes
//   fast      everything else: pure, or one app within the process; `npm test`
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const root = new URL('..', import.meta.url).pathname

// The processes that tests start, and the workers, compile each file once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compiled')

const STARTS_SOMETHING =
  /helpers\/(running|journey|redis|redis-proxy|redis-topologies|processes|stores|network|crowd|faulty|faulty-clock|chromium)|child_process|startSandbox|run-command|at-plain-server|two-processes|\.\/command\.ts|\.\/world\.ts|memory-run|set-up\.ts|smtp-server|createServer/

const LONG = /^test\/(faults\/|campaigns\/(kill|memory)\.)/

function projectOf(file: string): 'engines' | 'browser' | 'faults' | 'journeys' | 'fast' {
  if (file.startsWith('test/browser/engines/')) return 'engines'
  if (file.startsWith('test/browser/')) return 'browser'
  if (LONG.test(file)) return 'faults'
  return STARTS_SOMETHING.test(readFileSync(join(root, file), 'utf8')) ? 'journeys' : 'fast'
}

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`)

const byProject = Map.groupBy(files, projectOf)

export default defineConfig({
  root,
  test: {
    // Most of them wait for servers, so four at a time keep a machine of two cores busy.
    maxWorkers: 4,
    // `npm run coverage`. What runs in a process of its own is not seen.
    coverage: { include: ['src/**', 'packages/*/src/**'], reporter: ['text', 'html'] },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: (['fast', 'journeys', 'browser', 'engines', 'faults'] as const).map((name) => ({
      extends: true as const,
      test: { name, include: byProject.get(name) ?? [] },
    })),
  },
})
