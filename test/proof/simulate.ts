// One seed: two processes, three tabs, two people, now and then a campaign; then everything works again, and everyone looks
// once more.
import './instruments.ts'
import { inspect } from 'node:util'
import { startCampaign } from './campaign.ts'
import { Dead } from './machine.ts'
import { composeAll } from './processes.ts'
import { Rules } from './rules.ts'
import { Tab, type Browser } from './tab.ts'
import { World } from './world.ts'

export type Simulate = (seed: number) => Promise<Result>
export type Result = { seed: number; faults: string[]; journal: string[] }

const MAX_STEPS = 20_000
const DAY_MS = 86_400_000
/**
 * Long enough for a departure to be over (onboarding/walk.ts, IN_FLIGHT_MS), for a late consent to show, and for a process to
 * hand over again what it handed over before (onboarding/record-progress.ts, AGAIN_MS): another one may have written since.
 */
const AFTERWARDS_MS = 700_000

/** Everyone comes back to their tabs at the same moment, when tokens have run out. */
const LUNCH = -1
const LUNCH_MS = 100_000
/** How long people think at most: in a hurry, looking around, going out together. */
const TEMPERS = [[10], [10, 10, LUNCH], [50, 500, 3_000, 20_000, 150_000]] as const
const MAX_ACTS = 12

/** Composes the application; what it returns runs seeds, one after the other. */
export async function createSimulation(): Promise<Simulate> {
  const onramps = await composeAll()
  let days = 0
  let unhandled: string | undefined
  process.on('unhandledRejection', (reason) => {
    if (!(reason instanceof Dead)) unhandled ??= inspect(reason)
  })
  const run = async (seed: number): Promise<Result> => {
    // Each begins on another day, when nothing counts any more that a process remembers of the day before.
    const startedAt = Date.UTC(2026, 0, 1) + DAY_MS * ++days
    unhandled = undefined
    const world = new World(seed, startedAt, onramps)
    await play(world).catch((error: unknown) => world.fail(String(error)))
    for (const process of world.processes) world.store.forget(process)
    await world.machine.end(world.processes)
    if (unhandled !== undefined) world.fail(`nothing handled ${String(unhandled)}`)
    return { seed, faults: world.faults, journal: world.machine.journal }
  }
  // What is read and compiled at the first request is no part of a seed.
  await run(0)
  return run
}

async function play(world: World): Promise<void> {
  const { machine, service } = world
  const { random } = machine
  const isOwed = () => world.unanswered() > 0
  const rules = new Rules(world)
  const around = { world, rules }
  const [ada, bob] = service.people.map((person): Browser => ({
    person,
    cookies: new Map(),
    isKnownThere: false,
    ended: new Set(),
  })) as [Browser, Browser]
  const third = random.pick<Browser>([
    ada,
    bob,
    { ...bob, person: ada.person, cookies: new Map(), ended: new Set() },
  ])
  const tabs = [ada, ada, third].map((browser, number) => new Tab(`tab${number + 1}`, browser, around))

  const thinking = random.pick(TEMPERS)
  const start = (tab: Tab, onRest?: () => void) =>
    live(world, tab, { acts: 2 + random.below(2), thinking, onRest })
  const [first, ...others] = tabs as [Tab, Tab, Tab]
  // Either all at once, or the others when the first has signed in.
  const isTogether = random.chance(0.3)
  let isStarted = isTogether
  start(first, () => {
    if (isStarted || first.page.kind !== 'ours') return
    isStarted = true
    for (const tab of others) start(tab)
  })
  if (isTogether) for (const tab of others) start(tab)
  if (random.chance(0.2)) campaigns(around)
  if (random.chance(0.1)) takeBack(around)
  await machine.run(MAX_STEPS, isOwed)

  if (isOwed()) world.fail('a request was never answered')
  machine.note('from here on everything works')
  world.calm()
  await machine.pass(AFTERWARDS_MS)
  if (random.chance(0.2)) startCampaign(world.start('last campaign'), around)
  for (const tab of new Map(tabs.map((one) => [one.browser.person, one])).values()) look(tab, rules)
  await machine.run(MAX_STEPS, isOwed)
  await rules.report()
}

type Life = { acts: number; thinking: readonly number[]; onRest?: (() => void) | undefined }

/** What the person does in a tab: so many acts, not counting those that only sign in. */
function live({ machine }: World, tab: Tab, { acts, thinking, onRest }: Life): void {
  const { random } = machine
  let [left, all] = [acts, MAX_ACTS]
  const next = () => {
    onRest?.()
    if (left <= 0 || all-- <= 0) return
    if (tab.page.kind === 'ours' || tab.page.kind === 'consent') left--
    const most = random.pick(thinking)
    const back = machine.now + LUNCH_MS - ((machine.now - machine.startedAt) % LUNCH_MS)
    const at = most === LUNCH ? back + random.below(30) : machine.now + random.below(most)
    machine.add({ at, run: () => tab.act(next) })
  }
  next()
}

function campaigns(around: { world: World; rules: Rules }): void {
  const { machine } = around.world
  const { random } = machine
  const runs = 1 + random.below(3)
  for (let number = 1; number <= runs; number++) {
    const at = machine.now + random.below(2_000)
    machine.add({
      at,
      run() {
        const process = around.world.start(`campaign${number}`)
        machine.note(`${process.name} starts`)
        if (random.chance(0.4))
          machine.add({ at: machine.now + random.below(400), run: () => around.world.kill(process) })
        startCampaign(process, around)
      },
    })
  }
}

/** The service lists again what was connected. */
function takeBack({ world, rules }: { world: World; rules: Rules }): void {
  const { machine, service } = world
  const person = machine.random.pick(service.people)
  const app = machine.random.pick(person.apps)
  machine.add({
    at: machine.now + machine.random.below(60_000),
    run() {
      if (service.isListed(app)) return
      machine.note(`${app.instance} of ${person.name} is listed again`)
      app.connectedFrom = undefined
      rules.listedAgain(person, app.instance)
    },
  })
}

/** Opens the overview, signs in where that is asked for, and holds what it shows against the service. */
function look(tab: Tab, rules: Rules): void {
  let tries = 0
  const rested = () => {
    const { page } = tab
    if (page.kind === 'ours' && page.path.startsWith('/onboarding') && page.status === 200)
      return rules.last(tab.browser.person, page.body)
    // A lease to refresh tokens is held for 40 s where its holder died, and each page waits for five of them.
    if (++tries > 12) return rules.neverArrives(tab.browser.person)
    if (page.kind === 'sign-in') tab.approve()
    else tab.open('/onboarding')
  }
  tab.open('/onboarding', rested)
}
