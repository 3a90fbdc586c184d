// `npm run proof`: the graph of three apps, then a million seeds on all processors. `npm run proof -- --seed 7` replays
// one with its journal, and `--seeds 10000` runs fewer.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { explore } from './graph.ts'
import { holdToRules } from './graph-rules.ts'
import { createSimulation } from './simulate.ts'

const MAX_SHOWN = 20
const HELP = `npm run proof -- [--seeds 1000000 | --seed 7]
`

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    seed: { type: 'string' },
    seeds: { type: 'string' },
    /** For the processes of this one: runs each seed that is `share` plus a multiple of `every`. */
    share: { type: 'string', default: '1' },
    every: { type: 'string' },
    backwards: { type: 'boolean', default: false },
    /** Ends with a digest of all journals, whatever the order of the seeds. */
    digest: { type: 'boolean', default: false },
  },
})

const print = (line: string) => void process.stdout.write(`${line}\n`)
const count = Number(values.seeds ?? 1_000_000)

async function replay(seed: number): Promise<boolean> {
  const simulate = await createSimulation()
  const { journal, faults } = await simulate(seed)
  print(journal.join('\n'))
  return faults.length === 0
}

async function runShare(share: number, every: number): Promise<boolean> {
  const simulate = await createSimulation()
  const seeds: number[] = []
  for (let seed = share; seed <= count; seed += every) seeds.push(seed)
  const journals: string[] = []
  let failed = 0
  for (const seed of values.backwards ? seeds.toReversed() : seeds) {
    const { faults, journal } = await simulate(seed)
    if (values.digest) journals.push(hash('sha256', `${seed}\n${journal.join('\n')}`))
    if (faults.length === 0) continue
    print(`seed ${seed}: ${faults[0]}\n  replay it: npm run proof -- --seed ${seed}`)
    if (++failed >= MAX_SHOWN) break
  }
  print(`${seeds.length} seeds, ${failed} failed`)
  if (values.digest) print(`digest ${hash('sha256', journals.toSorted().join('\n'))}`)
  return failed === 0
}

async function runAll(): Promise<boolean> {
  const every = String(availableParallelism())
  const exits = Array.from({ length: Number(every) }, (_, number) => {
    const options = ['--seeds', String(count), '--share', String(number + 1), '--every', every]
    const args = [...process.execArgv, fileURLToPath(import.meta.url), ...options]
    const child = spawn(process.execPath, args, { stdio: 'inherit' })
    process.once('SIGTERM', () => child.kill())
    return new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0)))
  })
  return (await Promise.all(exits)).every(Boolean)
}

async function main(): Promise<boolean> {
  if (values.help === true) return process.stdout.write(HELP)
  if (values.seed !== undefined) return await replay(Number(values.seed))
  if (values.every !== undefined) return await runShare(Number(values.share), Number(values.every))
  if (values.seeds === undefined) {
    const { states, moves } = explore({ apps: 3, isWhole: false }, holdToRules)
    print(`the graph of three apps: ${states} states, ${moves} moves, every one within the rules`)
  }
  const began = Date.now()
  const isKept = await runAll()
  print(`${Math.round(count / ((Date.now() - began) / 1000))} seeds a second`)
  return isKept
}

process.exit((await main()) ? 0 : 1)
