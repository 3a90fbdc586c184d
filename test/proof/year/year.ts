// One simulated year of `onramp keep`: the real runs over the real records, hour by hour; the service, the mail server and
// the clock are functions. Killed: everything that the run does from a random step on fails, so what is kept is what was.
import { createHash } from 'node:crypto'
import type { CampaignRun } from '../../../src/campaigns/delivery.ts'
import { KeepRun, type KeepOptions } from '../../../src/campaigns/keep-run.ts'
import { RunStopped } from '../../../src/campaigns/ledger.ts'
import type { Email } from '../../../src/campaigns/mail/email.ts'
import type { Invitee } from '../../../src/campaigns/people-file.ts'
import { newTally } from '../../../src/campaigns/tally.ts'
import { People } from '../../../src/people/people.ts'
import type { KeepState } from '../../../src/people/keep-state.ts'
import { mail } from '../../campaigns/sample-email.ts'
import { createRandom } from '../random.ts'
import { Calendar, DAY, HOUR, MINUTE } from './calendar.ts'
import { Rules, type Sent } from './rules.ts'
import { createStore } from './store.ts'
import { World } from './world.ts'

/** A Monday. */
const STARTS_AT = Date.UTC(2027, 0, 4)
const PAST_THE_HOUR = 7 * MINUTE
/** 80 questions a minute, or so few that a pass over everyone still spans several runs. */
const questionMs = (size: number) => Math.max(750, Math.round((2 * HOUR) / size))
/** Where the service is down, with all tries. */
const NO_ANSWER_MS = 10_000
const KILLED = 0.02
const DOUBLED = 0.02
const STEPS = [10, 100, 1_000, 10_000]
/** With an odd seed, and with an even one. */
const RELEASED_AFTER = { odd: 3 * DAY, even: 2 * HOUR }

class Killed extends Error {}

type Given = { seed: number; size: number; days: number; onDay?: (day: number, figures: string) => void }

export async function simulateYear({ seed, size, days, onDay }: Given) {
  const random = createRandom(seed, 1)
  const calendar = new Calendar(STARTS_AT)
  const now = () => calendar.now
  const journal = createHash('sha256')
  const note = (line: string) => void journal.update(`${calendar.now} ${line}\n`)
  const people = new People({ ...createStore(now), retentionDays: 90, now })
  const rules: Rules = new Rules({
    calendar,
    people,
    world: () => world,
    moment: 10_000 + 3 * questionMs(size),
  })
  const world = new World({
    size,
    days,
    calendar,
    random: createRandom(seed, 2),
    people,
    watch: { note, lapsed: (employee, consent) => rules.lapsed(employee, consent) },
  })
  const counts = { runs: 0, killed: 0, doubled: 0, stopped: 0, emails: 0, notices: 0, questions: 0 }
  const mails = new WeakMap<Email, Sent>()
  let keepState: KeepState = { massDisconnects: [], zones: {}, days: [] }

  /** One run, which may be killed. */
  function partsOf(list: ReadonlySet<string>, steps: number): CampaignRun & KeepOptions {
    let left = steps
    const alive = () => {
      if (--left < 0) throw new Killed()
    }
    const dies = () => left-- === 0
    const composed =
      (isLapse: boolean): KeepOptions['compose']['lapse'] =>
      async ({ email }, apps) => {
        const one = { ...mail, to: email }
        mails.set(one, { email, apps: apps.map(({ instance }) => instance), isLapse })
        return await Promise.resolve(one)
      }
    const change: People['change'] = async (email, how) => {
      alive()
      const after = await people.change(email, how)
      alive()
      return after
    }
    return {
      people: { get: (email) => people.get(email), all: () => people.all(), change },
      state: keepState,
      timezone: 'UTC',
      async save(next) {
        alive()
        keepState = next
        await Promise.resolve()
        alive()
      },
      async notify(found) {
        if (found.notifiedAt !== undefined) return {}
        alive()
        await calendar.pass(1_000)
        if (random.chance(0.2)) return {}
        counts.notices++
        note(`notice ${found.instance} ${found.lapsed}`)
        rules.told(found)
        const { instance, noticedAt } = found
        calendar.at(now() + RELEASED_AFTER[seed % 2 === 1 ? 'odd' : 'even'], () =>
          release(instance, noticedAt),
        )
        alive()
        return { notifiedAt: now(), eventAt: now() }
      },
      async check(email) {
        alive()
        counts.questions++
        if (world.isDown()) {
          await calendar.pass(NO_ANSWER_MS)
          return { kind: 'no-response', detail: 'down' }
        }
        await calendar.pass(questionMs(size))
        const employee = world.byEmail.get(email)
        if (employee?.isKnown !== true) return { kind: 'unknown', detail: 'no one' }
        return { kind: 'checked', unconnected: world.listed(employee) }
      },
      compose: { invitation: composed(false), lapse: composed(true) },
      async send(one) {
        if (dies()) throw new Killed()
        const sent = mails.get(one)
        const employee = world.byEmail.get(sent?.email ?? '')
        if (sent === undefined || employee === undefined) throw new RangeError('an email to no one')
        if (random.chance(0.005))
          return { outcome: 'deferred', reply: '450 4.2.1 later', reason: 'recipient' }
        counts.emails++
        note(`${sent.isLapse ? 'lapse' : 'begin'} ${sent.email} ${sent.apps.join()}`)
        rules.sent(sent, employee, list.has(sent.email))
        world.read(employee)
        alive()
        if (random.chance(0.002)) return { outcome: 'unknown', reply: 'timed out', reason: 'recipient' }
        return await Promise.resolve({ outcome: 'sent' })
      },
      emailThrottle: { next: () => Promise.resolve(), slowDown: () => false, rate: 10 },
      tally: newTally(),
      atOnce: 3,
      isConfirmed: false,
      isComplete: true,
      isHeld: () => Promise.resolve(true),
      now,
      signal: new AbortController().signal,
    }
  }

  /** An administrator has looked into it. */
  function release(instance: string, noticedAt: number): void {
    const planted = world.planted.find((one) => one.instance === instance && one.at <= noticedAt)
    if (planted?.cause !== 'big') return
    world.mend(planted)
    const isMeant = (one: KeepState['massDisconnects'][number]) => one.instance === instance
    released.push(() => {
      const massDisconnects = keepState.massDisconnects.map((one) =>
        isMeant(one) ? { ...one, resumedAt: now() } : one,
      )
      keepState = { ...keepState, massDisconnects }
    })
  }
  const released: (() => void)[] = []

  const addressesOf = (list: readonly Invitee[]) => new Set(list.map(({ email }) => email))
  const listNow = (): Invitee[] =>
    world.employees.flatMap(({ email, timezone, isListed }) => (isListed ? [{ email, timezone }] : []))

  /** @returns whether it came to its end */
  async function run(list: readonly Invitee[]): Promise<boolean> {
    counts.runs++
    const isKilled = random.chance(KILLED)
    const steps = isKilled ? random.below(random.pick(STEPS)) : Infinity
    for (const apply of released.splice(0)) apply()
    if (random.chance(DOUBLED)) counts.doubled++
    try {
      const parts = partsOf(addressesOf(list), steps)
      keepState = await new KeepRun(list, parts, parts).work()
      return true
    } catch (error) {
      const isStopped = error instanceof RunStopped
      if (!isStopped && !(error instanceof Killed)) throw error
      if (isStopped) counts.stopped++
      else counts.killed++
      const { from, to } = world.outage
      const isExcused = !isStopped || (now() >= from && now() < to + HOUR)
      rules.hold('runs', isExcused, () => (isStopped ? error.message : ''))
      note(isStopped ? 'stopped' : 'killed')
      return false
    }
  }

  let nextDay = STARTS_AT + DAY
  let figures = ''
  for (let tick = STARTS_AT + PAST_THE_HOUR; tick < STARTS_AT + days * DAY; tick += HOUR) {
    // One that is due while another is at work finds the lease.
    if (now() > tick) {
      counts.doubled++
      continue
    }
    await calendar.pass(tick - now())
    const list = listNow()
    const isThrough = await run(list)
    await rules.afterRun(keepState)
    if (!isThrough || now() < nextDay - HOUR) continue
    figures = await rules.afterDay(addressesOf(list))
    note(figures)
    onDay?.(Math.round((nextDay - STARTS_AT) / DAY), figures)
    while (now() >= nextDay - HOUR) nextDay += DAY
  }
  rules.end()
  return { verdicts: rules.verdicts(), counts, figures, lag: rules.lag(), hash: journal.digest('hex') }
}
