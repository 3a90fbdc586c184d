// One seed: two processes, three tabs, two people, sometimes a campaign; then the faults end, and each person opens a
// last page.
import './instruments.ts'
import { inspect } from 'node:util'
import { CookieJar } from '../helpers/cookie-jar.ts'
import { startCampaign } from './campaign.ts'
import { Dead } from './machine.ts'
import { composeAll } from './processes.ts'
import { Rules } from './rules.ts'
import { Tab, type Browser } from './tab.ts'
import { World } from './world.ts'

type SeedResult = { faults: string[]; journal: string[] }

const MAX_STEPS = 20_000
const DAY_MS = 86_400_000
/**
 * Longer than a consent is in flight (onboarding/walk.ts, IN_FLIGHT_MS), than a late one takes to show, and than a
 * process leaves progress unrecorded that it has recorded before (onboarding/progress-recorder.ts, AGAIN_MS).
 */
const AFTERWARDS_MS = 700_000

/** People come back to their tabs at the same moment, when tokens have expired. */
const LUNCH = -1
const LUNCH_MS = 100_000
/** Maximum time between actions: in a hurry, after a lunch break, browsing. */
const TEMPERS = [[10], [10, 10, LUNCH], [50, 500, 3_000, 20_000, 150_000]] as const
const MAX_ACTS = 12

/** Composes the application. @returns runs a seed; seeds must not overlap */
export async function createSimulation(): Promise<(seed: number) => Promise<SeedResult>> {
  const onramps = await composeAll()
  let days = 0
  let unhandled: string | undefined
  process.on('unhandledRejection', (reason) => {
    if (!(reason instanceof Dead)) unhandled ??= inspect(reason)
  })
  const run = async (seed: number): Promise<SeedResult> => {
    // Each seed begins on another day, when limits that a process remembers have expired.
    const startedAt = Date.UTC(2026, 0, 1) + DAY_MS * ++days
    unhandled = undefined
    const world = new World(seed, startedAt, onramps)
    await play(world).catch((error: unknown) => world.fail(String(error)))
    for (const process of world.processes) world.store.forget(process)
    await world.machine.end(world.processes)
    if (unhandled !== undefined) world.fail(`an unhandled rejection: ${String(unhandled)}`)
    return { faults: world.faults, journal: world.machine.journal }
  }
  // The first request reads and compiles files, which is part of no seed.
  await run(0)
  return run
}

async function play(world: World): Promise<void> {
  const { machine, service } = world
  const { random } = machine
  const isOwed = () => world.unanswered() > 0
  const rules = new Rules(world)
  const [ada, bob] = service.people.map((person): Browser => ({
    person,
    cookies: new CookieJar(),
    isKnownThere: false,
    ended: new Set(),
  })) as [Browser, Browser]
  const third = random.pick<Browser>([
    ada,
    bob,
    { ...bob, person: ada.person, cookies: new CookieJar(), ended: new Set() },
  ])
  const tabs = [ada, ada, third].map(
    (browser, number) => new Tab(`tab${number + 1}`, browser, { world, rules }),
  )

  const thinking = random.pick(TEMPERS)
  const start = (tab: Tab, onRest?: () => void) =>
    live(world, tab, { acts: 2 + random.below(2), thinking, onRest })
  const [first, ...others] = tabs as [Tab, Tab, Tab]
  // All tabs start at once, or two of them when the first has signed in.
  const isTogether = random.chance(0.3)
  let isStarted = isTogether
  start(first, () => {
    if (isStarted || first.page.kind !== 'ours') return
    isStarted = true
    for (const tab of others) start(tab)
  })
  if (isTogether) for (const tab of others) start(tab)
  if (random.chance(0.2)) runCampaigns(world, rules)
  if (random.chance(0.1)) listAgain(world, rules)
  await machine.run(MAX_STEPS, isOwed)

  if (isOwed()) world.fail('a request was never answered')
  machine.note('from here on everything works')
  world.calm()
  await machine.pass(AFTERWARDS_MS)
  if (random.chance(0.2)) startCampaign(world.start('last campaign'), world, rules)
  for (const tab of new Map(tabs.map((one) => [one.browser.person, one])).values())
    openOverview(tab, world, rules)
  await machine.run(MAX_STEPS, isOwed)
  await rules.checkReport()
}

type Life = { acts: number; thinking: readonly number[]; onRest?: (() => void) | undefined }

/** Lets the person act in a tab so many times, not counting acts that only sign in. */
function live({ machine }: World, tab: Tab, { acts, thinking, onRest }: Life): void {
  const { random } = machine
  let [steps, all] = [acts, MAX_ACTS]
  const next = () => {
    onRest?.()
    if (steps <= 0 || all-- <= 0) return
    if (tab.page.kind === 'ours' || tab.page.kind === 'consent') steps--
    const most = random.pick(thinking)
    const lunchEndsAt = machine.now + LUNCH_MS - ((machine.now - machine.startedAt) % LUNCH_MS)
    const at = most === LUNCH ? lunchEndsAt + random.below(30) : machine.now + random.below(most)
    machine.add({ at, run: () => tab.act(next) })
  }
  next()
}

function runCampaigns(world: World, rules: Rules): void {
  const { machine } = world
  const { random } = machine
  const runs = 1 + random.below(3)
  for (let number = 1; number <= runs; number++) {
    const at = machine.now + random.below(2_000)
    machine.add({
      at,
      run() {
        const process = world.start(`campaign${number}`)
        machine.note(`${process.name} starts`)
        if (random.chance(0.4))
          machine.add({ at: machine.now + random.below(400), run: () => world.kill(process) })
        startCampaign(process, world, rules)
      },
    })
  }
}

function listAgain({ machine, service }: World, rules: Rules): void {
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

/** Opens the overview, signing in if needed, and compares it with the service. */
function openOverview(tab: Tab, world: World, rules: Rules): void {
  let tries = 0
  const rested = () => {
    const { page } = tab
    if (page.kind === 'ours' && page.path.startsWith('/onboarding') && page.status === 200)
      return rules.checkLast(tab.browser.person, page.body)
    // A dead process holds a lease to refresh tokens for 40 s, and each page waits for five of them.
    if (++tries > 12) return world.fail(`a dead end: ${tab.browser.person.name} does not get to the overview`)
    if (page.kind === 'sign-in') tab.approve()
    else tab.open('/onboarding')
  }
  tab.open('/onboarding', rested)
}
