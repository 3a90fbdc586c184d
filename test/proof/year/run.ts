// `npm run proof:year`: a year of `onramp keep` for 10,000 people; see --help.
import { parseArgs } from 'node:util'
import { MODEL } from './workforce.ts'
import { Year } from './year.ts'

const HELP = `npm run proof:year -- [--people 10000] [--days 365] [--seed 1] [--seeds 1] [--quiet]

Simulates hourly runs of onramp keep and says of each promise whether it was kept. Exit 1: one was broken.
--seeds N lives N of them, from --seed on. --quiet: without the model and the days. The same seed gives the same hash.

${MODEL}
`

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    people: { ...text, default: '10000' },
    days: { ...text, default: '365' },
    seed: { ...text, default: '1' },
    seeds: { ...text, default: '1' },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const print = (line: string) => void process.stdout.write(`${line}\n`)
const DAYS_SHOWN = 7

async function live(seed: number): Promise<boolean> {
  const began = process.cpuUsage()
  const year = new Year({ seed, size: Number(values.people), days: Number(values.days) })
  const hash = await year.live((day, figures) => {
    if (!values.quiet && day % DAYS_SHOWN === 0) print(`day ${String(day).padStart(3)}  ${figures}`)
  })
  const counts = Object.entries(year.counts).map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
  print(`seed ${seed}: ${values.people} people, ${values.days} days, at the end ${year.figures}`)
  print([counts.join(' · '), ...year.promises.verdicts()].join('\n'))
  const isKept = year.promises.areKept()
  if (!isKept)
    print(
      `live it again: npm run proof:year -- --people ${values.people} --days ${values.days} --seed ${seed}`,
    )
  const { user, system } = process.cpuUsage(began)
  print(`hash ${hash}\n${Math.round((user + system) / 1e6)} seconds of one processor`)
  return isKept
}

if (values.help) print(HELP)
else {
  if (!values.quiet) print(`${MODEL}\n`)
  for (let count = 0; count < Number(values.seeds); count++)
    if (!(await live(Number(values.seed) + count))) process.exitCode = 1
}
