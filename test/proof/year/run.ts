// `npm run proof:year`: a year of `onramp keep` for 10,000 people. `-- --seed 7` lives another one, `--people 300 --days 60`
// a smaller one, and `--help` says all of it.
import { parseArgs } from 'node:util'
import { MODEL } from './world.ts'
import { simulateYear } from './year.ts'

const HELP = `npm run proof:year -- [--people 10000] [--days 365] [--seed 1] [--seeds 1] [--quiet]

Simulates hourly runs of onramp keep and says of each promise whether it was kept. Exit 1: one was broken.
--seeds N lives N of them, from --seed on. --quiet: without the model and the days. The same seed gives the same hash.

${MODEL}
`

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    days: { type: 'string', default: '365' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string) => void process.stdout.write(`${line}\n`)
const DAYS_SHOWN = 7

async function live(seed: number): Promise<boolean> {
  const began = process.cpuUsage()
  const onDay = (day: number, figures: string) => {
    if (!values.quiet && day % DAYS_SHOWN === 0) say(`day ${String(day).padStart(3)}  ${figures}`)
  }
  const given = { seed, size: Number(values.people), days: Number(values.days), onDay }
  const { verdicts, counts, figures, lag, hash } = await simulateYear(given)
  say(`seed ${seed}: ${values.people} people, ${values.days} days, at the end ${figures}`)
  say(
    Object.entries(counts)
      .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
      .join(' · '),
  )
  say(lag)
  for (const { line } of verdicts) say(line)
  const isKept = verdicts.every(({ isKept }) => isKept)
  if (!isKept)
    say(`live it again: npm run proof:year -- --people ${values.people} --days ${values.days} --seed ${seed}`)
  const { user, system } = process.cpuUsage(began)
  say(`hash ${hash}\n${Math.round((user + system) / 1e6)} seconds of one processor`)
  return isKept
}

async function main(): Promise<boolean> {
  if (values.help) {
    say(HELP)
    return true
  }
  if (!values.quiet) say(`${MODEL}\n`)
  let isKept = true
  for (let count = 0; count < Number(values.seeds); count++)
    isKept = (await live(Number(values.seed) + count)) && isKept
  return isKept
}

process.exit((await main()) ? 0 : 1)
