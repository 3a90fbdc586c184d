// The simulation, in processes of its own: it takes over the clock and the timers of a process. test/run has thousands of its
// seeds.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const run = async (...args: string[]): Promise<string> => {
  const flags = ['--disable-warning=ExperimentalWarning', 'test/proof/run.ts']
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  return await text(child.stdout)
}

const digestIn = (said: string) => /digest \w+/.exec(said)?.[0]

describe('every interleaving', () => {
  it('the same seeds give the same journals, in whatever order they run', { timeout: 120_000 }, async () => {
    const seeds = ['--seeds', '50', '--every', '1', '--digest']
    const [once, again] = await Promise.all([run(...seeds), run(...seeds, '--backwards')])
    expect(digestIn(once)).toBeDefined()
    expect(digestIn(again)).toBe(digestIn(once))
  })
})
