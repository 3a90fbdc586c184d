import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const SCRIPT = new URL('memory-run.ts', import.meta.url).pathname

async function measured(people: number) {
  const args = ['--expose-gc', '--disable-warning=ExperimentalWarning', SCRIPT, String(people)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as { sent: number; invited: number; heapMb: number }
}

it(
  'a run takes little more memory for fifty thousand people than for one thousand',
  { timeout: 120_000 },
  async () => {
    const [few, many] = [await measured(1_000), await measured(50_000)]
    expect(many).toMatchObject({ sent: 25_000, invited: 25_000 })
    expect(many.heapMb).toBeLessThan(few.heapMb + 10)
  },
)
