// Some seeds of both simulations, in processes of their own: they take over the clock, the timers and JSON.parse. test/run has
// thousands of seeds, and `npm run proof:year` a whole year.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

async function run(file: string, args: string): Promise<string> {
  const flags = ['--disable-warning=ExperimentalWarning', `test/proof/${file}`]
  const running = promisify(execFile)(process.execPath, [...flags, ...args.split(' ')])
  // With a fault it exits with 1, and its output says which.
  const { stdout } = await running.catch((error: { stdout: string }) => error)
  return stdout
}

it('the same seeds give the same journals, in whatever order they run', { timeout: 300_000 }, async () => {
  const seeds = '--seeds 50 --every 1 --digest'
  const outputs = await Promise.all([run('run.ts', seeds), run('run.ts', `${seeds} --backwards`)])
  const [once, again] = outputs.map((output) => /digest \w+/.exec(output)?.[0])
  expect(once).toBeDefined()
  expect(again).toBe(once)
})

it('onramp keep keeps its promises for sixty days, the same each time', { timeout: 300_000 }, async () => {
  const small = '--quiet --people 150 --days 60'
  const [both, second] = await Promise.all([
    run('year/run.ts', `${small} --seed 1 --seeds 2`),
    run('year/run.ts', `${small} --seed 2`),
  ])
  expect(both).not.toMatch(/^BROKEN/m)
  const hashes = [both, second].map((output) => output.match(/^hash \w+/gm))
  expect(hashes[0]).toHaveLength(2)
  expect(hashes[1]).toEqual(hashes[0]?.slice(1))
})
