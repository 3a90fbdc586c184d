// The rules of the simulation, checked for every response of a process and at the end of a seed.
import { PeopleStore } from '../../src/people/people-store.ts'
import { appsOf } from '../../src/people/person.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import { locationOf, settings, type PageRequest, type PageResponse } from './processes.ts'
import { SERVICE, type Person } from './service.ts'
import { recordsOn } from './store.ts'
import { pathOf, type World } from './world.ts'

/** `isEnded`: the cookie was signed out before it was sent. */
type Exchange = { person: Person; request: PageRequest; response: PageResponse; isEnded: boolean }

function appsOn(body: string): Map<string, string> {
  const found = body.matchAll(/<(?:li class="entry|section class="step) ([\w-]+)" data-app="([^"]+)"/g)
  return new Map([...found].map(([, kind = '', app = '']) => [app, kind]))
}

export class Rules {
  readonly #world: World
  /** The steps of consents that were started without a click, by person and app. */
  readonly #automatic = new Map<string, Set<string>>()
  readonly #delivered = new Map<string, number>()
  readonly #last = new Map<Person, ReadonlyMap<string, string>>()

  constructor(world: World) {
    this.#world = world
  }

  check(exchange: Exchange): void {
    const { request, response } = exchange
    if (response.status === 500)
      this.#world.fail(`a fault in onramp at ${request.method} ${pathOf(request.path)}`)
    this.#checkSignedOut(exchange)
    this.#checkConnected(exchange)
    this.#checkAutomatic(exchange)
  }

  #checkSignedOut({ request, response, isEnded }: Exchange): void {
    const { status } = response
    const isPrivate = /^\/(onboarding|api|search)/.test(request.path)
    const mayHaveLeft = status >= 400 || locationOf(response).startsWith('/sign-in')
    if (isEnded && isPrivate && !mayHaveLeft)
      this.#world.fail(`a signed-out cookie got a page: ${pathOf(request.path)} answered ${status}`)
  }

  /** Only apps that the service has delisted count as connected. */
  #checkConnected({ person, response }: Exchange): void {
    const { service } = this.#world
    const mayCountAsConnected = (app: Person['apps'][number]) => app.wasConnected || !service.isListed(app)
    for (const [instance, kind] of appsOn(response.body)) {
      const app = person.apps.find((one) => one.instance === instance)
      if (app === undefined) this.#world.fail(`${person.name} got another person's app: ${instance}`)
      else if (kind === 'connected' && !mayCountAsConnected(app))
        this.#world.fail(`an app on the service's list is called connected: ${instance} of ${person.name}`)
    }
    const counted = Number(/^\{"signedIn":true,"connected":(\d+)/.exec(response.body)?.[1] ?? 0)
    if (counted > person.apps.filter(mayCountAsConnected).length)
      this.#world.fail(`apps on the service's list count as connected: ${counted} of ${person.name}`)
  }

  /** After each person's last page, their record agrees with the service and with the skipped apps. */
  async checkReport(): Promise<void> {
    const { store, machine, service } = this.#world
    const observing = { get: async (key: string) => store.read(key), compareAndSet: async () => false }
    const records = { ...recordsOn(() => store), ...observing }
    const keyRing = createKeyRing(records, settings.SESSION_SECRET)
    const people = new PeopleStore({ records, keyRing, retentionDays: 90, now: () => machine.now })
    for (const [{ name, email, apps }, shown] of this.#last) {
      const person = await people.get(email)
      const states = new Map(person && appsOf(person).map(({ instance, state }) => [instance, state]))
      for (const app of apps) {
        const { instance } = app
        const state = states.get(instance)
        const isTrue = state !== undefined && (state === 'connected') !== service.isListed(app)
        if (!isTrue || (state === 'skipped') !== (shown.get(instance) === 'skipped'))
          this.#world.fail(`the report is wrong: ${instance} of ${name} is ${state} there`)
      }
    }
  }

  #checkAutomatic({ person, request, response }: Exchange): void {
    const location = locationOf(response)
    const path = location.startsWith(SERVICE) ? this.#world.service.pathOf(location) : undefined
    if (path === undefined || pathOf(request.path) !== '/onboarding/callback') return
    const name = `${person.name} ${path.app.instance}`
    const steps = (this.#automatic.get(name) ?? new Set()).add(path.step)
    this.#automatic.set(name, steps)
    if (steps.size > 1)
      this.#world.fail(`a consent started twice without a click: ${path.app.instance} of ${person.name}`)
  }

  /** The service lists a connected app again, which starts afresh. */
  listedAgain(person: Person, instance: string): void {
    this.#automatic.delete(`${person.name} ${instance}`)
  }

  delivered(email: string): void {
    const count = (this.#delivered.get(email) ?? 0) + 1
    this.#delivered.set(email, count)
    if (count > 1) this.#world.fail(`emailed twice: ${email.split('-', 1)[0] ?? ''}`)
  }

  /** The last page that a person gets, after all faults have ended. */
  checkLast(person: Person, body: string): void {
    const shown = appsOn(body)
    for (const app of person.apps) {
      const kind = shown.get(app.instance)
      const isListed = this.#world.service.isListed(app)
      if (kind === undefined) this.#world.fail(`an app is lost: ${app.instance} of ${person.name}`)
      else if ((kind === 'connected') === isListed)
        this.#world.fail(`a wrong page: ${app.instance} of ${person.name} is ${kind}, listed: ${isListed}`)
    }
    this.#last.set(person, shown)
    const isOver = !person.apps.some(this.#world.service.isListed)
    if (!isOver && !body.includes('href="/onboarding/connect'))
      this.#world.fail(`a dead end: the last page of ${person.name} offers no app`)
  }
}
