// One person of a run: what they have left is asked, and the email is written down before it leaves and with its outcome
// after. Failures in a row that are not about a person end the run: the cause is the service, the mail server, or ours.
import type { UnconnectedApp } from '../client-api/responses.ts'
import { withUniqueNames } from '../company/app-names.ts'
import { isUnavailable } from '../client-api/app-status.ts'
import { wasConnected, type Person } from '../people/person.ts'
import type { CheckPerson } from './person-check.ts'
import type { Invitee } from './people-file.ts'
import { RunStopped, type CheckedApps, type Ledger, type Plan } from './ledger.ts'
import type { ComposeEmail, Email } from './mail/email.ts'
import type { SendResult } from './mail/send-result.ts'
import { quoteReply } from './mail/smtp-error.ts'
import type { Throttle } from './throttle.ts'
import type { Tally } from './tally.ts'

/** Why a person has no email now, where that needs a look. */
export type DeliveryProblem =
  'deferred' | 'failed' | 'no-answer' | 'refused' | 'uncertain' | 'unknown-to-service' | 'unreadable'

export type DeliveryParts = {
  ledger: Ledger
  check: CheckPerson
  /** Is the email about this app? @param person as known before the answer that lists it */
  isAbout: (instance: string, person: Person | undefined) => boolean
  compose: ComposeEmail
  /** Absent: a dry run, which writes nothing and sends nothing. @throws {MailServerUnusable} */
  send?: ((mail: Email) => Promise<SendResult>) | undefined
  emailThrottle: Throttle
  /** The mail server takes no more for so many seconds. @param reply in its words */
  onThrottle?: (seconds: number, reply: string) => void
  /** The service has answered about others only just now: so it is there, and takes the token. */
  hasAnswered?: boolean
  /** May another email leave? */
  mayStart: () => boolean
  tally: Tally
  /** A dry run would send this email. */
  onWouldSend: (email: string, reminder: number, apps: string[]) => void
  /** @param detail in the words of the mail server or the service */
  onProblem: (email: string, trouble: DeliveryProblem, detail?: string) => void
}

const COUNTS = {
  deferred: 'deferred',
  failed: 'failed',
  'no-answer': 'deferred',
  refused: 'refused',
  uncertain: 'uncertain',
  'unknown-to-service': 'unknownToService',
  unreadable: 'unreadable',
} as const satisfies Record<DeliveryProblem, keyof Tally>

const MAX_FAILURES_IN_A_ROW = 5
/** Seconds without an email, while the mail server takes none: 5, 10, 20 … Eight in a row are a quarter of an hour. */
const FIRST_PAUSE = 5
const MAX_PAUSE = 300
const MAX_PAUSES = 8

/** Counts failures in a row. */
function createRow() {
  let failures = 0
  return {
    /** @throws {RunStopped} saying why, after the last one that is borne */
    failed(why: string): void {
      if (++failures >= MAX_FAILURES_IN_A_ROW) throw new RunStopped(why)
    },
    worked: () => void (failures = 0),
  }
}

/** What the person could connect, except where they wait for their administrator. */
function connectable(person: Person | undefined, left: readonly UnconnectedApp[]): UnconnectedApp[] {
  const kinds = new Map(person?.intents?.apps.map(({ instance, kind }) => [instance, kind]))
  return left.filter(({ instance, status }) => !isUnavailable(status) && kinds.get(instance) !== 'blocked')
}

type Sending = {
  invitee: Invitee
  reminder: number
  answer: CheckedApps
  apps: readonly UnconnectedApp[]
  /** All of them were connected before. */
  isLapse: boolean
  /** All apps of the person, as far as is known. */
  known: readonly { instance: string; name: string }[]
}

export function createDelivery(parts: DeliveryParts) {
  const { ledger, tally, send, onProblem } = parts
  const service = createRow()
  const server = createRow()
  /** The service answered about someone on the list, now or in an earlier run: so it is there, and takes the token. */
  let { hasAnswered = false } = parts
  let lastUnknown: string | undefined
  let hasAccepted = false
  /** In a row. */
  let pauses = 0
  /** Whom the mail server rejected before it accepted anyone: it may reject everyone. */
  const rejectedFirst: { email: string; reminder: number; reply: string }[] = []

  function count(email: string, trouble: DeliveryProblem, detail?: string): void {
    tally[COUNTS[trouble]]++
    onProblem(email, trouble, detail)
  }

  /** The first email is accepted: the mail server rejects some, not everyone. */
  async function accepted(): Promise<void> {
    server.worked()
    pauses = 0
    hasAccepted = true
    for (const { email, reminder, reply } of rejectedFirst.splice(0)) {
      await ledger.end(email, reminder, 'failed')
      count(email, 'failed', reply)
    }
  }

  /** It goes on at half the pace. Other emails that were under way count with the first one. */
  function throttle(reply: string): void {
    const seconds = Math.min(FIRST_PAUSE * 2 ** pauses, MAX_PAUSE)
    if (!parts.emailThrottle.slowDown(seconds)) return
    pauses++
    parts.onThrottle?.(seconds, reply)
  }

  async function sendEmail({ invitee, reminder, answer, apps, isLapse, known }: Sending): Promise<void> {
    const { email } = invitee
    if (send === undefined) {
      tally.sent++
      return parts.onWouldSend(
        email,
        reminder,
        withUniqueNames(apps).map(({ name }) => name),
      )
    }
    const mail = await parts.compose(invitee, apps, { reminder, isLapse, known })
    const lapsed = isLapse ? apps.map(({ instance }) => instance) : undefined
    const begin = () => ledger.begin(invitee, reminder, answer, lapsed)
    const postpone = () => ledger.end(email, reminder, 'deferred')
    let posted: SendResult
    for (;;) {
      await parts.emailThrottle.next()
      if (!(await begin())) return
      posted = await send(mail).catch(async (error: unknown) => {
        await postpone()
        throw error
      })
      if (posted.outcome === 'sent' || posted.reason !== 'throttled') break
      await postpone()
      if (pauses >= MAX_PAUSES) {
        count(email, 'deferred', posted.reply)
        const says = quoteReply(posted.reply, 'It says: ')
        throw new RunStopped(`the mail server has taken no email for a quarter of an hour. ${says}`)
      }
      throttle(posted.reply)
    }
    const isTooEarly = posted.outcome === 'failed' && !hasAccepted
    await ledger.end(email, reminder, isTooEarly ? 'deferred' : posted.outcome)
    if (posted.outcome === 'sent') {
      tally.sent++
      return await accepted()
    }
    const { reply } = posted
    if (isTooEarly) rejectedFirst.push({ email, reminder, reply })
    else count(email, posted.outcome === 'unknown' ? 'uncertain' : posted.outcome, reply)
    const says = quoteReply(reply, 'The mail server says: ', 'What happened: ')
    if (posted.reason === 'other')
      server.failed(`too many emails in a row were not sent. ${says}: see SMTP_URL and MAIL_FROM`)
  }

  return {
    /** No email is due. */
    pass(email: string, due: Exclude<Plan['due'], { kind: 'mail' }>): void {
      if (due.kind === 'not-due') hasAnswered ||= due.wasSent
      else count(email, due.kind === 'unknown' ? 'uncertain' : due.kind)
    },
    /**
     * @param reminder undefined: no email is due, and only the service is asked
     * @throws {RunStopped} {MailServerUnusable} {StoreUnavailable}
     */
    async deliver(
      invitee: Invitee,
      reminder: number | undefined,
      { person, checkedAt }: Pick<Plan, 'person' | 'checkedAt'>,
    ): Promise<void> {
      const { email } = invitee
      const isDry = send === undefined
      const asked = await parts.check(email)
      switch (asked.kind) {
        case 'left': {
          hasAnswered = true
          service.worked()
          const answer = { left: asked.left, checkedAt }
          const isAbout = ({ instance }: UnconnectedApp) => parts.isAbout(instance, person)
          const apps = connectable(person, asked.left).filter(isAbout)
          if (apps.length === 0 || reminder === undefined)
            return isDry ? undefined : await ledger.observe(invitee, answer)
          const isLapse = apps.every(({ instance }) => wasConnected(person, instance))
          if (!parts.mayStart()) return undefined
          const known = [...asked.left, ...(person?.lastCheck?.apps ?? [])]
          return await sendEmail({ invitee, reminder, answer, apps, isLapse, known })
        }
        case 'unknown':
          count(email, 'unknown-to-service')
          if (!isDry) await ledger.observe(invitee, undefined)
          lastUnknown = asked.detail
          if (hasAnswered) return
          return service.failed(
            `the service knows no one whom it was asked about: ${asked.detail}. If these people have left, run the command again: it asks about others first`,
          )
        case 'refused':
        case 'no-answer':
          count(email, asked.kind, asked.detail)
          if (!isDry && reminder !== undefined) await ledger.postpone(invitee, reminder)
          return service.failed(
            `the service gave no usable answer about many people in a row: ${asked.detail}`,
          )
      }
    },
    /** No email is under way now. @returns why the run has failed, for people */
    end(): string | undefined {
      for (const { email, reply } of rejectedFirst.splice(0)) count(email, 'deferred', reply)
      if (hasAnswered || lastUnknown === undefined) return undefined
      return `the service knows no one on this list: ${lastUnknown}`
    },
  }
}
