// Where walks are stored: one sealed record per person (issuer and subject), so that a walk continues on any device.
// Changes are compare-and-set, so two tabs lose nothing of each other's. An unreadable record counts as none.
import type { Company } from '../company/company.ts'
import { changeRecord } from '../records/change.ts'
import type { KeyRing, DataKey } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { personKey, type User } from '../session/signed-in.ts'
import { startWalk, type Walk } from './walk.ts'

const LIFE_SECONDS = 90 * 24 * 3600

type WalkStoreOptions = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  keyRing: KeyRing
  /** Where a return may lead, else undefined. A stored address is checked like a new one: the rules may have changed. */
  checkReturnTo: (returnTo: unknown) => string | undefined
  company: Pick<Company, 'arrange'>
  now: () => number
}

/** How the store has a walk: tells whether a change has to be written. */
type Stored = { text: string | undefined; json: string }

export class WalkStore {
  readonly #options: WalkStoreOptions
  /** By the walk that was loaded or written; a walk is never changed in place. */
  readonly #stored = new WeakMap<Walk, Stored>()

  constructor(options: WalkStoreOptions) {
    this.#options = options
  }

  /** @throws {StoreUnavailable} */
  async load(user: User): Promise<Walk> {
    const dataKey = await this.#options.keyRing.dataKey()
    const key = walkKey(dataKey, personKey(user))
    return this.#open(dataKey, key, await this.#options.records.get(key))
  }

  /**
   * Changes the walk, and writes it only if it differs from the stored one.
   * @param change runs again if another process was faster, so it only computes
   * @param from the walk that was just loaded: saves reading it again
   * @throws {StoreUnavailable}
   */
  async update(user: User, change: (walk: Walk) => Walk, from?: Walk): Promise<Walk> {
    const apply = (walk: Walk) => this.#arranged(change(walk))
    const loaded = from !== undefined && this.#stored.has(from) ? from : await this.load(user)
    let result = apply(loaded)
    if (this.#isStored(result, loaded)) return result
    const dataKey = await this.#options.keyRing.dataKey()
    const key = walkKey(dataKey, personKey(user))
    const guess = this.#stored.get(loaded)
    await changeRecord(this.#options.records, {
      key,
      guess,
      next: (text) => {
        const before = text === guess?.text ? loaded : this.#open(dataKey, key, text)
        result = apply(before)
        if (this.#isStored(result, before)) return undefined
        const json = JSON.stringify(result)
        const sealed = dataKey.sealer.seal(json, key)
        this.#stored.set(result, { text: sealed, json })
        return { text: sealed, seconds: LIFE_SECONDS }
      },
    })
    return result
  }

  #open({ sealer }: DataKey, key: string, text: string | undefined): Walk {
    const { checkReturnTo, now } = this.#options
    const json = (text === undefined ? undefined : sealer.open(text, key)) ?? JSON.stringify(startWalk(now()))
    const stored = JSON.parse(json) as Walk
    const { returnTo } = stored.visit
    if (returnTo !== undefined) stored.visit.returnTo = checkReturnTo(returnTo)
    const walk = this.#arranged(stored)
    this.#stored.set(walk, { text, json })
    return walk
  }

  /** In the company's order, without the apps that it hides. */
  #arranged(walk: Walk): Walk {
    const known = this.#options.company.arrange(walk.known)
    return known === walk.known ? walk : { ...walk, known }
  }

  #isStored(after: Walk, before: Walk): boolean {
    if (after === before) return true
    const was = this.#stored.get(before)
    const isSame = was !== undefined && JSON.stringify(after) === was.json
    if (isSame) this.#stored.set(after, was)
    return isSame
  }
}

/** A shape of `Walk` that an earlier onramp can't read changes the store's format (records/format.ts). */
const walkKey = ({ keyFor }: DataKey, person: string) => `walk:${keyFor('walk 1', person)}`

export async function eraseWalk(
  records: Pick<Records, 'remove'>,
  person: string,
  dataKey: DataKey,
): Promise<void> {
  await records.remove(walkKey(dataKey, person))
}
