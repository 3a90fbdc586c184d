// `npm run proof`: the graph of three apps, then a million seeds on all processors. `npm run proof -- --seed 7` replays one
// with its journal; `--seeds 10000` runs fewer, `--from 5001` others.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { explore } from './graph.ts'
import { holdToRules } from './graph-rules.ts'
import { createSimulation } from './simulate.ts'

const MILLION = 1_000_000
const MAX_TOLD = 20

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    /** Runs every so many-th of them, in this process. */
    every: { type: 'string' },
    backwards: { type: 'boolean', default: false },
    /** Ends with a digest of all journals, whatever the order of the seeds. */
    digest: { type: 'boolean', default: false },
  },
})

const say = (line: string) => void process.stdout.write(`${line}\n`)
const count = Number(values.seeds ?? MILLION)
const from = Number(values.from)

async function replay(seed: number): Promise<boolean> {
  const simulate = await createSimulation()
  const { journal, faults } = await simulate(seed)
  say(journal.join('\n'))
  return faults.length === 0
}

async function runSeeds(every: number): Promise<boolean> {
  const simulate = await createSimulation()
  const seeds = Array.from({ length: Math.ceil(count / every) }, (_, number) => from + number * every)
  const journals: string[] = []
  let failed = 0
  for (const seed of values.backwards ? seeds.toReversed() : seeds) {
    const { faults, journal } = await simulate(seed)
    if (values.digest) journals.push(hash('sha256', `${seed}\n${journal.join('\n')}`))
    if (faults.length === 0) continue
    say(`seed ${seed}: ${faults[0]}\n  replay it: npm run proof -- --seed ${seed}`)
    if (++failed >= MAX_TOLD) break
  }
  say(`${seeds.length} seeds, ${failed} failed`)
  if (values.digest) say(`digest ${hash('sha256', journals.toSorted().join('\n'))}`)
  return failed === 0
}

/** The same on every processor. */
async function spread(): Promise<boolean> {
  const processors = availableParallelism()
  const ends = Array.from({ length: processors }, (_, number) => {
    const share = [
      '--seeds',
      String(count - number),
      '--from',
      String(from + number),
      '--every',
      String(processors),
    ]
    const args = [...process.execArgv, fileURLToPath(import.meta.url), ...share]
    const child = spawn(process.execPath, args, { stdio: 'inherit' })
    process.once('SIGTERM', () => child.kill())
    return new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)))
  })
  return (await Promise.all(ends)).every(Boolean)
}

function exploreAll(): void {
  const { states, moves } = explore({ apps: 3, maxTabs: 2, isWhole: false }, holdToRules)
  say(`the graph of three apps: ${states} states, ${moves} moves, every one within the rules`)
}

async function main(): Promise<boolean> {
  if (values.seed !== undefined) return await replay(Number(values.seed))
  if (values.every !== undefined) return await runSeeds(Number(values.every))
  if (values.seeds === undefined) exploreAll()
  const began = Date.now()
  const isRight = await spread()
  say(`${Math.round(count / ((Date.now() - began) / 1000))} seeds a second`)
  return isRight
}

process.exit((await main()) ? 0 : 1)
