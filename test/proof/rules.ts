// What may never happen, held against every answer that a process gives and against how everything ends.
import { People } from '../../src/people/people.ts'
import { appsOf } from '../../src/people/person.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { locationOf, settings, type Answer, type Asked } from './processes.ts'
import { SERVICE, type Person } from './service.ts'
import { recordsOn } from './store.ts'
import { pathOf, type World } from './world.ts'

export type Given = {
  person: Person
  asked: Asked
  answer: Answer
  /** The cookie was signed out before it was sent. */ isEnded: boolean
}

const CALLBACK = '/onboarding/callback'

/** The apps that a page shows, with how it says they are doing. */
export function appsOn(body: string): Map<string, string> {
  const found = body.matchAll(/<(?:li class="entry|section class="step) ([\w-]+)" data-app="([^"]+)"/g)
  return new Map([...found].map(([, kind = '', app = '']) => [app, kind]))
}

export class Rules {
  readonly #world: World
  /** The steps of departures that no click led to, by person and app. */
  readonly #automatic = new Map<string, Set<string>>()
  readonly #delivered = new Map<string, number>()
  /** What the last page of each person showed. */
  readonly #last = new Map<Person, ReadonlyMap<string, string>>()

  constructor(world: World) {
    this.#world = world
  }

  judge(given: Given): void {
    const { asked, answer } = given
    if (answer.status === 500) this.#world.fail(`a fault in onramp at ${asked.method} ${pathOf(asked.path)}`)
    this.#isSignedIn(given)
    this.#isTrue(given)
    this.#isSentOnce(given)
  }

  #isSignedIn({ asked, answer, isEnded }: Given): void {
    const { status } = answer
    const isPrivate = /^\/(onboarding|api|search)/.test(asked.path)
    const isOut = status >= 400 || locationOf(answer).startsWith('/sign-in')
    if (isEnded && isPrivate && !isOut)
      this.#world.fail(`no one signed in after sign-out: ${pathOf(asked.path)} answers ${status}`)
  }

  /** Nothing is called connected that the service never took off its list. */
  #isTrue({ person, answer }: Given): void {
    const { service } = this.#world
    const wasOff = (app: Person['apps'][number]) => app.wasConnected || !service.isListed(app)
    for (const [instance, kind] of appsOn(answer.body)) {
      const app = person.apps.find((one) => one.instance === instance)
      if (app === undefined) this.#world.fail(`${instance} is no app of ${person.name}`)
      else if (kind === 'connected' && !wasOff(app))
        this.#world.fail(`nothing on the service's list called connected: ${instance} of ${person.name}`)
    }
    const counted = Number(/^\{"signedIn":true,"connected":(\d+)/.exec(answer.body)?.[1] ?? 0)
    if (counted > person.apps.filter(wasOff).length)
      this.#world.fail(`nothing on the service's list counted as connected: ${counted} of ${person.name}`)
  }

  /** After everyone's next page, what an administrator reads of a person is what the service and the person say. */
  async report(): Promise<void> {
    const { store, machine, service } = this.#world
    const observing = { get: async (key: string) => store.read(key), compareAndSet: async () => false }
    const records = { ...recordsOn(() => store), ...observing }
    const keyRing = createKeyRing(records, settings.SESSION_SECRET)
    const people = new People({ records, keyRing, retentionDays: 90, now: () => machine.now })
    for (const [{ name, email, apps }, shown] of this.#last) {
      const person = await people.get(email)
      const states = new Map(person && appsOf(person).map(({ instance, state }) => [instance, state]))
      for (const app of apps) {
        const { instance } = app
        const state = states.get(instance)
        const isTrue = state !== undefined && (state === 'connected') !== service.isListed(app)
        if (!isTrue || (state === 'skipped') !== (shown.get(instance) === 'skipped'))
          this.#world.fail(`nothing lost of the report: ${instance} of ${name} is ${state} there`)
      }
    }
  }

  #isSentOnce({ person, asked, answer }: Given): void {
    const location = locationOf(answer)
    const path = location.startsWith(SERVICE) ? this.#world.service.pathOf(location) : undefined
    if (path === undefined || pathOf(asked.path) !== CALLBACK) return
    const name = `${person.name} ${path.app.instance}`
    const steps = (this.#automatic.get(name) ?? new Set()).add(path.step)
    this.#automatic.set(name, steps)
    if (steps.size > 1)
      this.#world.fail(`none departed to twice automatically: ${path.app.instance} of ${person.name}`)
  }

  /** The service lists again what was connected: that starts afresh. */
  listedAgain(person: Person, instance: string): void {
    this.#automatic.delete(`${person.name} ${instance}`)
  }

  delivered(email: string): void {
    const count = (this.#delivered.get(email) ?? 0) + 1
    this.#delivered.set(email, count)
    if (count > 1) this.#world.fail(`no one emailed twice: ${email.split('-', 1)[0] ?? ''}`)
  }

  neverArrives(person: Person): void {
    this.#world.fail(`no dead end: ${person.name} does not get to the overview`)
  }

  /** The last page that a person gets, when everything works again. */
  last(person: Person, body: string): void {
    const shown = appsOn(body)
    for (const app of person.apps) {
      const kind = shown.get(app.instance)
      const isListed = this.#world.service.isListed(app)
      if (kind === undefined) this.#world.fail(`no app lost: ${app.instance} of ${person.name} is not shown`)
      else if ((kind === 'connected') === isListed)
        this.#world.fail(`no app lost: ${app.instance} of ${person.name} is ${kind}, listed: ${isListed}`)
    }
    this.#last.set(person, shown)
    const isOver = !person.apps.some(this.#world.service.isListed)
    if (!isOver && !body.includes('href="/onboarding/connect'))
      this.#world.fail(`no dead end: nothing to go on with for ${person.name}`)
  }
}
