// npm run bench:monday: a whole company comes on a Monday morning, and meanwhile a process is killed, Redis fails over and
// both processes are started anew. Is anything lost, and what does onramp take of the time, the processor and the memory?
import { cpus } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { describeMachine } from '../machine.ts'
import { runToEnd } from '../processes.ts'
import { startCompany, type Company } from './company.ts'
import { createLedger, type Fault, type Part } from './ledger.ts'
import { live, type Told } from './person.ts'
import { BURST_SECONDS, burstStarts, planCompany, type Plan, type Rhythm } from './plans.ts'
import { readReport, reconcile } from './reconcile.ts'
import { report, type Morning } from './report.ts'

const USAGE = `npm run bench:monday -- [options]
  --people N        how many come (50000)
  --minutes N       in how many minutes of theirs (60; of fewer people, so many fewer)
  --compress N      how many times as fast they come here (4; 1 of fewer than 5000 people)
  --average N       seconds before that, at the average rate as it is (45; 5 of fewer than 5000 people)
  --seed N          another seed is another company (1)
`

const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    people: { ...text, default: '50000' },
    minutes: text,
    compress: text,
    average: text,
    seed: { ...text, default: '1' },
    help: { type: 'boolean', default: false },
  },
})
const people = Number(values.people)
const isSmall = people < 5_000
const minutes = Number(values.minutes ?? Math.max(0.5, (people / 50_000) * 60))
const compress = Number(values.compress ?? (isSmall ? 1 : 4))
const average = Number(values.average ?? (isSmall ? 5 : 45))
const seed = Number(values.seed)

const rhythm: Rhythm = {
  people,
  seconds: (minutes * 60) / compress,
  averageSeconds: average,
  averageRate: people / (minutes * 60),
}

/** When each happens, as a share of the hour: between the bursts. */
const FAULTS: [Fault, number][] = [
  ['kill -9', 0.12],
  ['failover', 0.36],
  ['rolling restart', 0.62],
]
/** A burst is felt for so long. */
const BURST_FELT_SECONDS = BURST_SECONDS + 3

/** Which part of the run a second belongs to, faults apart; the first quarter at the average rate warms up. */
function partAt(second: number): Part {
  if (second < average / 4) return 'start'
  if (second < average) return 'average'
  const isBurst = burstStarts(rhythm).some((start) => second >= start && second < start + BURST_FELT_SECONDS)
  return isBurst ? 'burst' : 'hour'
}

type Clock = { second: () => number; fault: Fault | undefined }

async function letFaultsHappen(company: Company, clock: Clock): Promise<[Fault, number][]> {
  const took: [Fault, number][] = []
  for (const [fault, share] of FAULTS) {
    await sleep(Math.max(0, (average + share * rhythm.seconds - clock.second()) * 1000))
    clock.fault = fault
    process.stderr.write(`${clock.second().toFixed(0)} s: ${fault}\n`)
    took.push([fault, await company.let(fault)])
    clock.fault = undefined
  }
  return took
}

/** Everybody comes when they are due, however many are still on their way. */
async function letThemCome({ world }: Company, clock: Clock, plans: readonly Plan[]) {
  const told = new Map<number, Told>()
  const coming: Promise<void>[] = []
  let [now, mostAtOnce] = [0, 0]
  for (const plan of plans) {
    const wait = plan.at - clock.second()
    if (wait > 0) await sleep(wait * 1000)
    mostAtOnce = Math.max(mostAtOnce, ++now)
    coming.push(
      live(world, plan).then((one) => {
        told.set(plan.person, one)
        now--
      }),
    )
  }
  await Promise.all(coming)
  return { told, mostAtOnce }
}

async function morning(): Promise<Morning> {
  const clock: Clock = { second: () => 0, fault: undefined }
  const ledger = createLedger(() => clock.fault ?? partAt(clock.second()))
  const company = await startCompany(ledger)
  try {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const before = process.cpuUsage()
    const plans = planCompany(rhythm, seed)
    const from = performance.now()
    const hourFrom = Date.now() + average * 1000
    clock.second = () => (performance.now() - from) / 1000
    const faulting = letFaultsHappen(company, clock)
    const [{ told, mostAtOnce }, faults] = await Promise.all([letThemCome(company, clock, plans), faulting])
    const seconds = clock.second()
    company.meter.stop()
    const { user, system } = process.cpuUsage(before)
    const [journal, csv] = await Promise.all([company.journal(), company.peopleCsv()])
    const twoTabs = new Set(plans.filter(({ hasTwoTabs }) => hasTwoTabs).map(({ person }) => person))
    const two = journal.secondUses.filter((person) => twoTabs.has(person)).length
    return {
      machine: describeMachine(await company.redisVersion()),
      failovers: await company.redisFailovers(),
      processors: cpus().length,
      seed,
      minutes,
      compress,
      rhythm,
      seconds,
      mostAtOnce,
      generatorP99: delay.percentile(99) / 1e6,
      generatorMs: (user + system) / 1000,
      signIns: Object.values(journal.people).reduce((sum, entry) => sum + entry.signIns, 0),
      secondUses: { one: journal.secondUses.length - two, two },
      shares: ledger.shares(),
      troubles: ledger.troubles(),
      faults,
      meter: company.meter,
      memory: company.meter.memory('onramp', hourFrom),
      losses: reconcile(plans, told, journal.people, readReport(csv)),
    }
  } finally {
    await company.close()
  }
}

async function main(): Promise<number> {
  const isSound = [people, minutes, compress].every((value) => value > 0) && average >= 0
  if (values.help || !isSound) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  return report(await morning()) ? 0 : 1
}

await runToEnd(main)
