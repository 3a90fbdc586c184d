// Where walks are kept: one sealed record per person (issuer and subject), so a walk goes on from any device. Changes
// are compare-and-set, so two tabs lose nothing of each other. A record that can't be read counts as none: the service
// says what is connected.
import { z } from 'zod'
import { APP_STATUS_NAMES } from '../client-api/app-status.ts'
import { MAX_INSTANCE_CHARACTERS } from '../client-api/bounds.ts'
import { createChanges } from '../records/change.ts'
import type { Installation, Vault } from '../records/installation.ts'
import type { Records } from '../records/records.ts'
import { sealedJson } from '../records/sealed-json.ts'
import { personKey, type User } from '../session/signed-in.ts'
import { startWalk, type Known, type Walk } from './walk.ts'

/** Later ones are no dates (ECMAScript, Time Values), and a page that shows one would fail. */
const MAX_TIME = 8.64e15

const time = z.number().min(0).max(MAX_TIME)
const count = z.int().min(0)
const instance = z.string().min(1).max(MAX_INSTANCE_CHARACTERS)

const attempt = z.object({
  step: z.string(),
  leftAt: time,
  backAt: time.optional(),
  looks: count,
  isOver: z.literal(true).optional(),
})

const known = z.object({
  instance,
  name: z.string(),
  status: z.enum([...APP_STATUS_NAMES, 'connected']),
  firstSeen: time,
  connectedAt: time.optional(),
  skippedAt: time.optional(),
  blockedAt: time.optional(),
  unconfirmedAt: time.optional(),
  attempt: attempt.optional(),
  leftIn: count.optional(),
})

const walkRecord: z.ZodType<Walk> = z.object({
  startedAt: time,
  known: z.array(known),
  clicks: count,
  visit: z.object({ only: z.array(instance), returnTo: z.string().optional() }),
})

/** @param checked where a return may lead, or undefined */
type CheckReturnTo = (value: unknown) => string | undefined

/** @returns undefined for what is no walk */
export function readWalk(json: unknown, checked: CheckReturnTo): Walk | undefined {
  const { data } = walkRecord.safeParse(json)
  // An address that was kept is checked as if it came from a browser: the rules may have changed since.
  return data && { ...data, visit: { ...data.visit, returnTo: checked(data.visit.returnTo) } }
}

const LIFE_SECONDS = 90 * 24 * 3600

type Basis = {
  /** What was loaded a moment ago: saves reading it again. */
  from?: Walk
  /** The service was asked, and the change takes in what it said. */
  isAsked?: boolean
}

export type Walks = {
  /** @throws {StoreUnavailable} */
  load(user: User): Promise<Walk>
  /**
   * Changes the walk; `change` may run again when another process was faster, so it only computes.
   * @throws {StoreUnavailable}
   */
  update(user: User, change: (walk: Walk) => Walk, basis?: Basis): Promise<Walk>
}

type Needs = {
  records: Pick<Records, 'get' | 'compareAndSet'>
  installation: Installation
  /** What return_to is held against: an address that was kept is checked like one that just came. */
  checkReturnTo: CheckReturnTo
  /** The company's order of apps, without those that it hides; absent: as they were seen. */
  arrange?: (known: Known[]) => Known[]
  /** Milliseconds since 1970. */
  now: () => number
}

/** How a walk is kept; `json` is what it says, to tell whether a change has to be written. */
type Stored = { text: string | undefined; json: string }

export function createWalks({
  records,
  installation,
  checkReturnTo,
  arrange = (known) => known,
  now,
}: Needs): Walks {
  /** What a walk looked like in the store when it was loaded; walks themselves are never changed in place. */
  const stored = new WeakMap<Walk, Stored>()
  const changeRecord = createChanges(records)

  const arranged = (walk: Walk): Walk => {
    const known = arrange(walk.known)
    const isSame = known.length === walk.known.length && known.every((entry, at) => entry === walk.known[at])
    return isSame ? walk : { ...walk, known }
  }

  function keep(walk: Walk, text: string | undefined, json = JSON.stringify(walk)): Walk {
    stored.set(walk, { text, json })
    return walk
  }

  function opened({ sealer }: Vault, key: string, text: string | undefined): Walk {
    const json = sealedJson<Record<string, unknown>>(sealer).open(text, key)
    const walk = json && readWalk(json, checkReturnTo)
    return keep(walk ? arranged(walk) : startWalk(now()), text)
  }

  /** The walk as it is in the store after this change, where the change needs no writing. */
  function unchanged(after: Walk, before: Walk): Walk | undefined {
    const was = stored.get(before)
    if (after === before || was === undefined) return after
    return JSON.stringify(after) === was.json ? keep(after, was.text, was.json) : undefined
  }

  async function load(user: User): Promise<Walk> {
    const vault = await installation.vault()
    const key = walkKey(vault, personKey(user))
    return opened(vault, key, await records.get(key))
  }

  return {
    load,
    async update(user, wanted, { from } = {}) {
      const change = (walk: Walk) => arranged(wanted(walk))
      const loaded = from !== undefined && stored.has(from) ? from : await load(user)
      let result = unchanged(change(loaded), loaded)
      if (result !== undefined) return result
      const vault = await installation.vault()
      const key = walkKey(vault, personKey(user))
      const guess = stored.get(loaded)
      await changeRecord({
        key,
        guess,
        next(text) {
          const before = text === guess?.text ? loaded : opened(vault, key, text)
          const after = change(before)
          result = unchanged(after, before)
          if (result !== undefined) return undefined
          const sealed = vault.sealer.seal(JSON.stringify(after), key)
          result = keep(after, sealed)
          return { text: sealed, seconds: LIFE_SECONDS }
        },
      })
      return result as unknown as Walk
    },
  }
}

const walkKey = ({ nameOf }: Vault, person: string) => `walk:${nameOf('walk', person)}`

/** Removes a person's walk. @param person personKey @throws {StoreUnavailable} */
export async function eraseWalk(
  records: Pick<Records, 'remove'>,
  person: string,
  vault: Vault,
): Promise<void> {
  await records.remove(walkKey(vault, person))
}
