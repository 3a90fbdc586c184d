// Some seeds of both simulations, in processes of their own: they take over the clock, the timers and JSON.parse.
// test/run has thousands of seeds, and `npm run proof:year` a whole year.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, vi } from 'vitest'

async function run(file: string, args: string): Promise<string> {
  const flags = ['--disable-warning=ExperimentalWarning', `test/proof/${file}`]
  const running = promisify(execFile)(process.execPath, [...flags, ...args.split(' ')])
  // With a fault it exits with 1, and its output says which.
  const { stdout } = await running.catch((error: { stdout: string }) => error)
  return stdout
}

vi.setConfig({ testTimeout: 300_000 })

it.concurrent.each([
  ['run.ts', '--seeds 50 --every 1 --digest', '--backwards'],
  ['year/run.ts', '--people 30 --days 20 --seed 2', '--quiet'],
])('the same seeds of %s give the same hash, in whatever order they run', async (file, args, other) => {
  const outputs = await Promise.all([run(file, args), run(file, `${args} ${other}`)])
  const [once, again] = outputs.map((output) => /^(?:digest|hash) \w+/m.exec(output)?.[0])
  expect(once).toBeDefined()
  expect(again).toBe(once)
})

it.concurrent.each([1, 2])('onramp keep keeps its promises for sixty days of seed %i', async (seed) => {
  const output = await run('year/run.ts', `--quiet --people 60 --days 60 --seed ${seed}`)
  expect(output).toMatch(/^kept/m)
  expect(output).not.toMatch(/^BROKEN/m)
})
