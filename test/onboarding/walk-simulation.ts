// A person, a browser with any number of tabs and a service that changes its mind, as a model around the pure decisions.
// What an open consent page is here is an address of the service there.
import { next } from '../../src/onboarding/next-step.ts'
import { type Check, type Transition, afterClick, afterReturn } from '../../src/onboarding/transition.ts'
import {
  type Waiting,
  type Walk,
  backFrom,
  observe,
  skip,
  startWalk,
  unskip,
} from '../../src/onboarding/walk.ts'
import { Problem } from '../../src/problem.ts'
import { progress } from './progress.ts'

export type Operation =
  | { op: 'look' }
  | { op: 'click'; which: number | undefined }
  /** Says yes or no on one of the open consent pages, or closes it; `delay`: how long until a yes shows. */
  | { op: 'answer'; tab: number; answer: 'allow' | 'deny' | 'close'; delay: number }
  | { op: 'land'; step: string }
  | { op: 'landAgain'; which: number }
  | { op: 'skip'; which: number }
  | { op: 'unskip'; which: number }
  | { op: 'time'; ms: number }
  | { op: 'list'; which: number; status: Waiting['status']; startable: boolean }
  | { op: 'vanish'; which: number }

const CONFIRM_SECONDS = 30
const nameOf = (which: number) => `app_${which}`

export class Simulation {
  now = 1_000_000
  walk: Walk = startWalk(this.now)
  /** What the service would list, and from when a consent shows. */
  readonly listed = new Map<string, Waiting & { startable: boolean; gone?: number }>()
  readonly tabs: { step: string; instance: string }[] = []
  readonly steps: string[] = []
  readonly everSeen = new Set<string>()
  /** Departures that nobody clicked for, since the last click. */
  automatic: string[] = []
  /** A site that says yes without asking: a return follows every departure at once. */
  consentsByItself = false

  constructor(apps: number) {
    for (let which = 0; which < apps; which++)
      this.list({ op: 'list', which, status: 'awaiting', startable: true })
  }

  get waiting(): Waiting[] {
    return [...this.listed.values()]
      .filter((entry) => entry.gone === undefined || entry.gone > this.now)
      .map(({ instance, name, status }) => ({ instance, name, status }))
  }

  question(): Check {
    const step = `step-${this.steps.length}`
    this.steps.push(step)
    const { waiting, now } = this
    for (const entry of waiting) this.everSeen.add(entry.instance)
    const isStartable = (instance: string) =>
      waiting.some((entry) => entry.instance === instance) && this.listed.get(instance)?.startable === true
    return { now, confirmSeconds: CONFIRM_SECONDS, step, waiting, isStartable, hasNotes: () => false }
  }

  run(operation: Operation): void {
    switch (operation.op) {
      case 'look':
        return this.look()
      case 'click':
        return this.click(operation.which === undefined ? undefined : nameOf(operation.which))
      case 'answer':
        return this.answer(operation)
      case 'land':
        return this.land(operation.step)
      case 'landAgain':
        return this.land(this.steps[operation.which % Math.max(1, this.steps.length)] ?? '')
      case 'skip':
        this.walk = skip(this.walk, nameOf(operation.which), this.now)
        return
      case 'unskip':
        this.walk = unskip(this.walk, nameOf(operation.which))
        return
      case 'time':
        this.now += operation.ms
        return
      case 'list':
        return this.list(operation)
      case 'vanish':
        this.listed.delete(nameOf(operation.which))
    }
  }

  look(): void {
    const { waiting } = this.question()
    this.walk = observe(this.walk, waiting, this.now, CONFIRM_SECONDS)
  }

  click(wanted: string | undefined): void {
    this.automatic = []
    const question = this.question()
    try {
      this.#follow(afterClick(this.walk, question, wanted), question)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.look()
    }
  }

  answer({ tab, answer, delay }: Extract<Operation, { op: 'answer' }>): void {
    const [page] = this.tabs.splice(tab % Math.max(1, this.tabs.length), 1)
    if (page === undefined || answer === 'close') return
    if (answer === 'allow') this.#consent(page.instance, delay)
    this.land(page.step)
  }

  /** The browser opens the callback with this step id. */
  land(step: string): void {
    const attempt = backFrom(this.walk, step)
    if (attempt === undefined) return
    const question = this.question()
    const transition = afterReturn(this.walk, question, {
      step,
      instance: attempt.instance,
      advances: true,
    })
    if (transition.kind === 'leave') this.automatic.push(transition.instance)
    this.#follow(transition, question)
  }

  list({ which, status, startable }: Extract<Operation, { op: 'list' }>): void {
    const instance = nameOf(which)
    this.listed.set(instance, { instance, name: `App ${which}`, status, startable })
  }

  #consent(instance: string, delay: number): void {
    const entry = this.listed.get(instance)
    const gone = Math.min(entry?.gone ?? Infinity, this.now + delay)
    if (entry !== undefined) this.listed.set(instance, { ...entry, gone })
  }

  #follow(transition: Transition, { step }: Check): void {
    this.walk = transition.walk
    if (transition.kind !== 'leave') return
    if (this.automatic.length > 200) throw new Error('departs without end')
    if (!this.consentsByItself) return void this.tabs.push({ step, instance: transition.instance })
    this.onDeparture(transition.instance)
    this.land(step)
  }

  /** What the service does while the browser is away; a test may make it worse. */
  onDeparture = (instance: string): void => this.#consent(instance, 0)

  /** A person who does what the page offers first; true when they arrive at the end. */
  arrives(mostSteps: number): boolean {
    for (let count = 0; count < mostSteps; count++) {
      this.look()
      const where = next(this.walk, this.now)
      if (where.kind === 'finished') return true
      if (where.kind === 'wait') {
        this.now += where.lookAgainSeconds * 1000
        this.land(where.step)
      } else {
        const before = this.tabs.length
        this.click(where.instance)
        if (this.tabs.length > before)
          this.answer({ op: 'answer', tab: this.tabs.length - 1, answer: 'allow', delay: 0 })
        else this.walk = skip(this.walk, where.instance, this.now)
      }
    }
    return false
  }

  get connected(): number {
    return progress(this.walk, this.now).connected
  }
}
