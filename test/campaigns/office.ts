// A run with the service and the mail server as functions, over a store that lasts for several runs.
import type { Waiting } from '../../src/client-api/answers.ts'
import { createPeople } from '../../src/people/people.ts'
import type { Asked } from '../../src/campaigns/ask.ts'
import type { Policy } from '../../src/campaigns/campaign.ts'
import { createLater } from '../../src/campaigns/delivery.ts'
import { createLedger } from '../../src/campaigns/ledger.ts'
import type { Outcome, Posted } from '../../src/campaigns/mail/outcome.ts'
import { createPace } from '../../src/campaigns/pace.ts'
import { readPeople } from '../../src/campaigns/people-file.ts'
import { sendInvitations, type EndedBy, type SendParts } from '../../src/campaigns/send.ts'
import { newTally } from '../../src/campaigns/tally.ts'
import { createSealer } from '../../src/records/seal.ts'

export const left: Waiting[] = [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' }]

export const policy = {
  campaign: 'onboarding',
  maxReminders: 0,
  retryUnknown: false,
  retryFailed: false,
  minGapMs: 0,
  freshMs: 0,
}

/** One store over several runs. */
export function office() {
  const values = new Map<string, string>()
  const records = {
    get: (key: string) => Promise.resolve(values.get(key)),
    compareAndSet(key: string, expected: string | undefined, value: string) {
      const isSame = values.get(key) === expected
      if (isSame) values.set(key, value)
      return Promise.resolve(isSame)
    },
  }
  const sealer = createSealer(['a secret of thirty-two characters'])
  const everyone = createPeople({ records, sealer, now: Date.now, retentionDays: 90 })
  type Given = {
    people: string[]
    post: (email: string) => Outcome | Posted | Promise<Outcome | Posted>
    ask?: (email: string) => Promise<Asked>
    isHeld?: () => boolean
    stop?: AbortController
    /** How long the store may be away; milliseconds. */
    patienceMs?: number
    limit?: number
    stopAfter?: number
    atOnce?: number
    /** The list does not end until nobody wants it any more. */
    staysOpen?: boolean
    onFault?: () => void
    policy?: Partial<Policy>
    /** How long whom the mail server put off is left alone; milliseconds. */
    laterMs?: number
    /** What is different of the parts of this run. */
    parts?: (usual: SendParts) => Partial<SendParts>
  }

  async function run(given: Given) {
    const { people, post, isHeld = () => true, stop = new AbortController(), limit = Infinity } = given
    const { signal } = stop
    const tally = newTally()
    const trouble: string[] = []
    const wanted = Promise.withResolvers<undefined>()
    async function* list() {
      yield 'email\n'
      for (const email of people) yield await Promise.resolve(`${email}\n`)
      if (given.staysOpen !== true) return
      yield 'half-a-row@acme.exa'
      await wanted.promise
    }
    const mine = { ...policy, ...given.policy }
    const pace = createPace({ perSecond: Infinity, now: Date.now, signal })
    const usual: SendParts = {
      ledger: createLedger({
        people: everyone,
        policy: mine,
        now: Date.now,
        patienceMs: given.patienceMs ?? 0,
        signal,
      }),
      ask: given.ask ?? (() => Promise.resolve({ kind: 'left', left })),
      answeredBefore: () => {},
      compose: ({ email }) => Promise.resolve({ ...mail, to: email }),
      post: async ({ to }) => postedOf(await post(to)),
      mailPace: pace,
      policy: mine,
      isAbout: () => true,
      later: createLater(Date.now, given.laterMs),
      isHeld: () => Promise.resolve(isHeld()),
      onFault: given.onFault ?? (() => {}),
      onWouldSend: () => {},
      onOver: () => wanted.resolve(undefined),
      onTrouble: ({ email }, what) => trouble.push(`${email} ${what}`),
      atOnce: given.atOnce ?? 1,
      limit,
      stopAfter: given.stopAfter ?? 5,
      signal,
      tally,
      now: Date.now,
    }
    let endedBy: EndedBy | undefined
    let error: unknown
    try {
      endedBy = await sendInvitations(readPeople(list()), { ...usual, ...given.parts?.(usual) })
    } catch (reason) {
      error = reason
    }
    return { tally, trouble, error, endedBy }
  }
  return { run, everyone }
}

/** An outcome alone: a mail server whose replies tell nothing. */
function postedOf(given: Outcome | Posted): Posted {
  if (typeof given !== 'string') return given
  if (given === 'sent') return { outcome: given }
  if (given === 'unknown') return { outcome: given, reply: 'the connection broke' }
  if (given === 'deferred') return { outcome: given, reply: '450 not now' }
  return { outcome: given, reply: '550 no', blame: given === 'refused' ? 'system' : 'unclear' }
}

const mail = {
  from: { name: '', address: 'search@acme.example' },
  to: '',
  subject: '',
  text: '',
  html: '',
  messageId: '',
  headers: {},
}
