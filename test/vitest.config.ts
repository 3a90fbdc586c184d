// Five projects. A test's folder, or the end of its file's name, determines its project:
//   browser   real Chromium: test/browser
//   engines   Firefox and WebKit too: test/browser/engines; not in `npm run test:all`
//   faults    outages, kills and measurements of memory: test/faults and *.fault.test.ts; minutes
//   journeys  starts processes, or takes seconds: test/journeys, test/real-servers and *.journey.test.ts
//   fast      everything else, within one process; `npm test`. It can start no other.
import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = new URL('..', import.meta.url).pathname

// The processes that tests start, and the workers, compile each file once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules/.cache/compiled')

function projectOf(file: string): 'engines' | 'browser' | 'faults' | 'journeys' | 'fast' {
  if (file.startsWith('test/browser/engines/')) return 'engines'
  if (file.startsWith('test/browser/')) return 'browser'
  if (/^test\/faults\/|\.fault\.test\.ts$/.test(file)) return 'faults'
  return /^test\/(journeys|real-servers)\/|\.journey\.test\.ts$/.test(file) ? 'journeys' : 'fast'
}

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file}`)

/** Minutes of work in small files, which would start last where no earlier run left durations, and end alone. */
const LONGEST = [
  'test/proof/seeds.journey.test.ts',
  'test/packages.journey.test.ts',
  'test/campaigns/kill.fault.test.ts',
  'test/campaigns/memory.fault.test.ts',
  'test/browser/pages.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]) {
    const sorted = await super.sort(specifications)
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(file))
    return [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))]
  }
}

const MEMORY = '/dev/shm'

/** The stores of fast tests are written to memory where it has 1 GB, because they wait for a disk half of the time. */
function storesFolder(): string {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > 1e9 ? MEMORY : tmpdir()
}

const byProject = Map.groupBy(files, projectOf)

export default defineConfig({
  root,
  test: {
    // Many wait for servers, so four at a time keep a machine of two cores busy.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // `npm run coverage`. Code in child processes isn't counted.
    coverage: { include: ['src/**', 'packages/*/src/**'], reporter: ['text', 'html'] },
    // Only for tests that hang: a busy machine takes three times as long.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 150_000 } },
    // Characters of a row's name in its title (default: 40).
    taskTitleValueFormatTruncate: 80,
    projects: (['fast', 'journeys', 'browser', 'engines', 'faults'] as const).map((name) => ({
      extends: true as const,
      test: {
        name,
        include: byProject.get(name) ?? [],
        setupFiles: [
          'test/helpers/restore.ts',
          ...(name === 'fast' ? ['test/helpers/no-processes.ts', 'test/helpers/no-names.ts'] : []),
        ],
        // One module graph per worker: loading the app for each file took half of the time. Faults measure memory.
        isolate: name === 'faults' || name === 'engines',
        // Half a day from UTC, so that code that uses the machine's day fails.
        env: name === 'fast' ? { TZ: 'Pacific/Auckland', TMPDIR: storesFolder() } : {},
      },
    })),
  },
})
