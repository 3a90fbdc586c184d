// A page hands what the service just said, and what the person said, to the person's record, which the report reads. If
// that fails, or the process dies, the next page or the next run of a campaign puts it right: no retries, no marks.
import type { People } from '../people/people.ts'
import {
  appsOf,
  withMilestone,
  withCheck,
  withIntents,
  withSignIn,
  type AppIntent,
} from '../people/person.ts'
import { personKey, type User } from '../session/signed-in.ts'
import { trackedAppState } from './next-step.ts'
import type { TrackedApp, Walk } from './walk.ts'

/** The same answer is handed over again after this: a campaign may have heard another one meanwhile. */
const AGAIN_MS = 600_000
/** So many people's last answers are remembered; about 300 bytes each. */
const MAX_REMEMBERED = 10_000

function handedOver({ known }: Walk, now: number) {
  const unconnected = known.flatMap((entry) =>
    entry.status === 'connected' ? [] : [{ ...entry, status: entry.status }],
  )
  return {
    listed: unconnected.map(({ instance, name, status }) => ({ instance, name, status })),
    connected: known
      .filter(({ status }) => status === 'connected')
      .map(({ instance, name, connectedAt, firstSeen }) => ({
        instance,
        name,
        since: connectedAt ?? firstSeen,
      })),
    intents: unconnected.flatMap((entry) => intentOf(entry, now)),
  }
}

/** What the person said of an app, also while it is switched off. */
function intentOf(entry: TrackedApp, now: number): AppIntent[] {
  const { kind } = trackedAppState({ ...entry, status: 'awaiting' }, now)
  // Those who declined can go on alone: no admin has to look into it.
  if (kind === 'unconfirmed' && entry.attempt?.isDeclined) return []
  return kind === 'blocked' || kind === 'unconfirmed' || kind === 'skipped'
    ? [{ instance: entry.instance, kind }]
    : []
}

/** When access to apps has ended, by instance: the person's record knows more of that than a walk does. */
export type Lapses = ReadonlyMap<string, number>

const NONE: Lapses = new Map()

/**
 * @param checkedAt when the service was asked; milliseconds since 1970
 * @returns none where nothing was handed over. Never rejects: it must not fail a person's page
 */
export type RecordProgress = (user: User, walk: Walk, checkedAt: number) => Promise<Lapses>

/**
 * Only a verified address counts.
 * @param log where it couldn't be written down
 * @param now milliseconds since 1970
 */
export function createRecordProgress(
  people: Pick<People, 'change'>,
  log: { warn(fields: object, message: string): void },
  now: () => number,
): RecordProgress {
  /** By person: what this process handed over last, and when. The one that was handed over longest ago comes first. */
  const last = new Map<string, { what: string; at: number }>()

  async function write(user: User, walk: Walk, checkedAt: number): Promise<Lapses> {
    const { email, emailVerified } = user
    if (email === undefined || emailVerified !== true) return NONE
    const key = personKey(user)
    const { listed, connected, intents } = handedOver(walk, now())
    // Without times: it is the same where nothing has changed for the report.
    const what = JSON.stringify([email, listed, connected.map(({ instance }) => instance), intents])
    const before = last.get(key)
    if (before?.what === what && Math.abs(checkedAt - before.at) < AGAIN_MS) return NONE
    const after = await people.change(email, (person) => {
      const here = withSignIn(withMilestone(person, 'signedInAt', checkedAt), key)
      return withIntents(withCheck(here, { checkedAt, listed, connected }, now()), checkedAt, intents, now())
    })
    last.delete(key)
    last.set(key, { what, at: checkedAt })
    if (last.size > MAX_REMEMBERED) last.delete(last.keys().next().value ?? '')
    const lapsed = appsOf(after).flatMap(({ instance, lapsedAt }) =>
      lapsedAt === undefined ? [] : [[instance, lapsedAt] as const],
    )
    return new Map(lapsed)
  }

  return (user, walk, checkedAt) =>
    write(user, walk, checkedAt).catch((error: unknown) => {
      log.warn({ err: error }, "what a page found was not written to the person's record")
      // What a store took just before it went away may be lost, of anyone: a replica was behind.
      last.clear()
      return NONE
    })
}
