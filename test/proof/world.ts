// The state of one seed: its people, faults and dying processes. A broken rule fails the seed.
import type { createOnramp } from '../../src/compose.ts'
import { AuthorizationServer, ISSUER } from './authorization-server.ts'
import { begin, type Machine, type Process } from './machine.ts'
import { connectNetwork, type Call, type Delivery } from './network.ts'
import { sendRequest, useStore, type PageRequest, type PageResponse } from './processes.ts'
import { Service, type Person, type Reply } from './service.ts'
import { SimulatedStore } from './store.ts'

type Onramp = ReturnType<typeof createOnramp>

export const GLOBAL_TOKEN = 'the-global-token'
/** A request is cut off if the process dies or the response is lost. */
export type Outcome = PageResponse | 'cut off'

type Server = { onramp: Onramp; process: Process }

/** Probability of a fault of the store or the network: zero in most seeds, high in some. */
const FAULTS = [0, 0, 0.01, 0.05] as const
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
  readonly #diesAfter: number[]
  readonly #spare: Onramp[]
  readonly #waiting = new Map<(outcome: Outcome) => void, Process>()
  #requests = 0
  /** Probability that a person signs out instead of continuing. */
  readonly leaving: number

  constructor(seed: number, startedAt: number, onramps: readonly Onramp[]) {
    this.machine = begin(seed, startedAt)
    const { random } = this.machine
    const store = { fails: random.pick(FAULTS), isSlow: random.pick(FAULTS) }
    const network = { fails: random.pick(FAULTS), isSlow: random.pick(FAULTS) }
    this.store = new SimulatedStore({ ...store, keepsOrder: random.chance(0.5) })
    useStore(this.store)
    connectNetwork(this.#reply, network)
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

  /** Sends a browser's request to one of the processes. @param done called exactly once */
  request(who: string, request: PageRequest, done: (outcome: Outcome, at: Process) => void): void {
    const { machine } = this
    const { random } = machine
    machine.add({
      at: machine.now + random.below(20),
      run: () => {
        const { onramp, process } = random.pick(this.servers)
        machine.note(`${who} ${request.method} ${pathOf(request.path)} -> ${process.name}`)
        const settle = (outcome: Outcome) => {
          if (!this.#waiting.delete(settle)) return
          const run = () => done(outcome, process)
          machine.add({ at: machine.now + random.below(10), run })
        }
        this.#waiting.set(settle, process)
        this.#mayDie()
        sendRequest(onramp, process, request, settle)
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
    for (const [settle, by] of this.#waiting) if (by === process) settle('cut off')
  }

  unanswered = (): number => this.#waiting.size

  calm(): void {
    this.store.isFaulty = false
    connectNetwork(this.#reply, { fails: 0, isSlow: 0 })
  }

  #reply = (call: Call, delivery: Delivery): Reply => {
    const { url, headers, form } = call
    const { server, service } = this
    if (url.origin === ISSUER) {
      if (url.pathname === '/token') return server.token(call, delivery)
      return url.pathname === '/revoke' ? server.revoke(form) : server.keys()
    }
    const token = headers['authorization']?.replace('Bearer ', '') ?? ''
    const isCampaign = token === GLOBAL_TOKEN
    const person = isCampaign
      ? service.people.find(({ email }) => email === headers['x-service-actas'])
      : server.personOf(token)
    if (person === undefined) return { status: 401, body: {} }
    return service.check(person, url.searchParams.get('final_redirect_url') ?? undefined)
  }
}

export const pathOf = (path: string) => path.split('?', 1)[0] ?? ''
