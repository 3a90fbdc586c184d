// What one seed makes of the world: who there is, what fails, who dies, and what may never happen. A fault that is found is
// noted in the journal and fails the seed.
import type { Onramp } from '../../src/compose.ts'
import { AuthorizationServer, ISSUER } from './authorization-server.ts'
import { begin, type Machine, type Process } from './machine.ts'
import { connectNetwork, type Call } from './network.ts'
import { ask, useStore, type Answer, type Asked } from './processes.ts'
import { Service, SERVICE, type Person, type Reply } from './service.ts'
import { SimulatedStore } from './store.ts'

export const GLOBAL_TOKEN = 'the-global-token'
/** What a request brings back where the process died, or the answer was lost. */
export type Outcome = Answer | 'cut off'

type Server = { onramp: Onramp; process: Process }

/** Mostly healthy, sometimes not, and now and then a bad day. */
const WEATHER = [0, 0, 0.01, 0.05] as const
const APPS = ['slack_1', 'github_1', 'gdrive_1'] as const

export class World {
  readonly faults: string[] = []
  readonly machine: Machine
  readonly store: SimulatedStore
  readonly service: Service
  readonly server: AuthorizationServer
  readonly address: string
  readonly servers: Server[]
  readonly processes: Process[] = []
  /** Of requests so many are sent before a process dies. */
  readonly #diesAfter: number[]
  readonly #spare: Onramp[]
  readonly #waiting = new Map<(outcome: Outcome) => void, Process>()
  #requests = 0
  /** How likely a person signs out, whenever there is something else to do. */
  readonly leaving: number

  constructor(seed: number, startedAt: number, onramps: readonly Onramp[]) {
    this.machine = begin(seed, startedAt)
    const { random } = this.machine
    const store = { fails: random.pick(WEATHER), isSlow: random.pick(WEATHER) }
    const network = { fails: random.pick(WEATHER), isSlow: random.pick(WEATHER) }
    this.store = new SimulatedStore({ ...store, keepsOrder: random.chance(0.5) })
    useStore(this.store)
    connectNetwork((call, answered) => this.#reply(call, answered), network)
    this.service = new Service([this.#person(seed, 'ada'), this.#person(seed, 'bob')], random.chance(0.5))
    this.server = new AuthorizationServer(random.pick([40, 90, 300]), (what) => this.fail(what))
    this.address = `10.${(seed >> 16) & 255}.${(seed >> 8) & 255}.${seed & 255}`
    this.leaving = random.pick([0.03, 0.03, 0.2])
    const [one, other, ...spare] = onramps
    this.#spare = spare
    this.servers = [one, other].map((onramp, number) => ({
      onramp: onramp!,
      process: this.start('AB'[number]!),
    }))
    this.#diesAfter = Array.from({ length: random.pick([0, 0, 1, 2]) }, () => random.below(20))
  }

  #person(seed: number, name: string): Person {
    const apps = APPS.map((instance) => ({
      instance,
      isSilent: this.machine.random.chance(0.4),
      wasConnected: false,
    }))
    return { subject: `${seed}-${name}`, name, email: `${name}-${seed}@acme.example`, apps }
  }

  start(name: string): Process {
    const process = { name, isAlive: true, troubledAt: -Infinity }
    this.processes.push(process)
    return process
  }

  fail(what: string): void {
    this.machine.note(`NOT ALLOWED: ${what}`)
    this.faults.push(what)
  }

  /** A request of a browser, to whichever process is given it. @param done called once, with whatever comes of it */
  request(who: string, asked: Asked, done: (outcome: Outcome, at: Process) => void): void {
    const { machine } = this
    const { random } = machine
    machine.add({
      at: machine.now + random.below(20),
      run: () => {
        const { onramp, process } = random.pick(this.servers)
        machine.note(`${who} ${asked.method} ${pathOf(asked.path)} -> ${process.name}`)
        const heard = (outcome: Outcome) => {
          if (!this.#waiting.delete(heard)) return
          const run = () => done(outcome, process)
          machine.add({ at: machine.now + random.below(10), run })
        }
        this.#waiting.set(heard, process)
        this.#mayDie()
        ask(onramp, process, asked, heard)
      },
    })
  }

  #mayDie(): void {
    const { random, now } = this.machine
    if (!this.#diesAfter.includes(this.#requests++)) return
    const victim = random.pick(this.servers)
    this.machine.add({ at: now + random.below(60), run: () => this.#die(victim) })
  }

  #die(victim: Server): void {
    const { process } = victim
    const next = this.#spare.pop()
    if (!process.isAlive || next === undefined) return
    this.kill(process)
    Object.assign(victim, { onramp: next, process: this.start(`${process.name}'`) })
  }

  kill(process: Process): void {
    this.machine.kill(process)
    this.store.forget(process)
    for (const [heard, by] of this.#waiting) if (by === process) heard('cut off')
  }

  /** Requests that no one has answered, and no one will. */
  unanswered = (): number => this.#waiting.size

  /** From now on everything works. */
  calm(): void {
    this.store.isFaulty = false
    connectNetwork((call, answered) => this.#reply(call, answered), { fails: 0, isSlow: 0 })
  }

  #reply(call: Call, answered: { tell?: () => void }): Reply {
    const { url, headers, form } = call
    const { server, service } = this
    if (url.origin === ISSUER)
      switch (url.pathname) {
        case '/token':
          return server.token(call, answered)
        case '/revoke':
          return server.revoke(form)
        case '/keys':
          return server.keys()
      }
    const token = headers['authorization']?.replace('Bearer ', '') ?? ''
    const isCampaign = token === GLOBAL_TOKEN
    const person = isCampaign
      ? service.people.find(({ email }) => email === headers['x-service-actas'])
      : server.personOf(token)
    if (person === undefined || url.origin !== SERVICE) return { status: 401, body: {} }
    return service.check(person, url.searchParams.get('final_redirect_url') ?? undefined)
  }
}

export const pathOf = (path: string) => path.split('?', 1)[0] ?? ''
