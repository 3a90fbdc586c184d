// npm run bench:monday: a whole company comes on a Monday morning; meanwhile a process is killed, Redis fails over, and
// both processes are restarted. Compares the records of each person at the end, and measures time and memory.
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runToEnd } from '../../helpers/processes.ts'
import { describeMachine } from '../machine.ts'
import { Company } from './company.ts'
import { Ledger, type Fault, type Phase } from './ledger.ts'
import { live, type Outcome } from './person.ts'
import { BURST_SECONDS, burstStarts, planCompany, type Plan, type Rhythm } from './plans.ts'
import { readReport, reconcile } from './reconcile.ts'
import { report, type Morning } from './report.ts'

const USAGE = `npm run bench:monday -- [--people 50000]

50,000 people come in an hour, which passes four times as fast; fewer people come in as much less time, at its real speed.
`
const SEED = 1

const { values } = parseArgs({
  options: { people: { type: 'string', default: '50000' }, help: { type: 'boolean', default: false } },
})
const people = Number(values.people)
const isSmall = people < 5_000
const minutes = Math.max(0.5, (people / 50_000) * 60)
const compress = isSmall ? 1 : 4
const rhythm: Rhythm = {
  people,
  seconds: (minutes * 60) / compress,
  averageSeconds: isSmall ? 5 : 45,
  averageRate: people / (minutes * 60),
}
const average = rhythm.averageSeconds

/** The time of each fault as a share of the hour, between the bursts. */
const FAULTS: [Fault, number][] = [
  ['kill -9', 0.12],
  ['failover', 0.36],
  ['rolling restart', 0.62],
]
/** Duration of a burst's effect. */
const BURST_FELT_SECONDS = BURST_SECONDS + 3

/** The phase of a second, faults apart; the first quarter at the average rate warms up. */
function phaseAt(second: number): Phase {
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

/** Each person comes when they are due, however many are still on their way. */
async function letThemCome({ network }: Company, clock: Clock, plans: readonly Plan[]) {
  const outcomes = new Map<Plan, Outcome>()
  const coming: Promise<void>[] = []
  for (const plan of plans) {
    const wait = plan.at - clock.second()
    if (wait > 0) await sleep(wait * 1000)
    coming.push(live(network, plan).then((outcome) => void outcomes.set(plan, outcome)))
  }
  await Promise.all(coming)
  return outcomes
}

async function runMorning(): Promise<Morning> {
  const clock: Clock = { second: () => 0, fault: undefined }
  const ledger = new Ledger(() => clock.fault ?? phaseAt(clock.second()))
  const company = await Company.start(ledger)
  const plans = planCompany(rhythm, SEED)
  const from = performance.now()
  const hourFrom = Date.now() + average * 1000
  clock.second = () => (performance.now() - from) / 1000
  const faulting = letFaultsHappen(company, clock)
  const [outcomes, faults] = await Promise.all([letThemCome(company, clock, plans), faulting])
  const seconds = clock.second()
  company.meter.stop()
  const [journal, csv, redis] = await Promise.all([
    company.journal(),
    company.peopleCsv(),
    company.redisFacts(),
  ])
  const twoTabs = new Set(plans.filter(({ hasTwoTabs }) => hasTwoTabs).map(({ person }) => person))
  const two = journal.secondUses.filter((person) => twoTabs.has(person)).length
  return {
    machine: describeMachine(redis.version),
    failovers: redis.failovers,
    processors: cpus().length,
    minutes,
    compress,
    rhythm,
    seconds,
    secondUses: { one: journal.secondUses.length - two, two },
    shares: ledger.shares(),
    troubles: ledger.troubles(),
    faults,
    meter: company.meter,
    memory: company.meter.memory(hourFrom),
    losses: reconcile(outcomes, journal.people, readReport(csv)),
  }
}

async function main(): Promise<number> {
  if (values.help || !(people > 0)) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  return report(await runMorning()) ? 0 : 1
}

await runToEnd(main)
