// Writes the audit log: a line and a count for each event, with a pseudonymous ID for the person. It has no names,
// addresses or secrets.
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import { omitUndefined } from '../omit-undefined.ts'
import type { ProblemCode } from '../problem.ts'
import type { Log } from './log.ts'

type AuditEvent =
  | { event: 'sign_in'; result: 'ok' | 'refused'; user?: Identity; code?: string }
  | {
      event: 'sign_out'
      by: 'person' | 'authorization_server'
      user?: Identity
      revoked?: 'done' | 'partly' | 'failed' | 'no_endpoint'
      sessions?: number
    }
  | { event: 'refresh'; result: 'ok' | 'ended' | 'failed'; user?: Identity }
  | { event: 'step_started'; user: Identity; datasource: string }
  | { event: 'step_result'; user: Identity; datasource: string; result: StepResult }
  /** `datasource`: undefined if the click was for none, or an unknown one. */
  | { event: 'step_failed'; user: Identity; datasource: string | undefined; code: ProblemCode }
  | { event: 'skipped' | 'blocked' | 'declined' | 'approved'; user: Identity; datasource: string }
  | { event: 'limited'; what: string; user?: Identity | undefined }
  | { event: 'invitation_opened'; email?: string }
  /** `operator`: the operating system's user who ran a command. */
  | { event: 'opted_out'; result: 'done' | 'undone'; email?: string; operator?: string }
  | { event: 'bounced' | 'forgotten'; email: string; operator: string }
  /** `released`: emails about a mass disconnect, or an app marked as connected. */
  | { event: 'released' | 'removed' | 'confirmed'; datasource: string | undefined; operator: string }
  /** A person's new address (`former`: the old one), from an operator, the list, or a sign-in. */
  | {
      event: 'renamed'
      result: 'done' | 'refused'
      email: string
      former: string
      operator?: string
      user?: Identity
    }
  /** An admin viewed or downloaded data about people. `person`: the address, if it was about one person. */
  | { event: 'admin_viewed'; user: Identity; what: string; person?: string }
  | { event: 'admin_viewed'; by: 'report_token'; what: string }
  | { event: 'report_refused' }

/** `waiting`: the service doesn't show the consent yet. */
type StepResult = 'connected' | 'waiting' | 'unconfirmed' | 'off' | 'blocked' | 'skipped'

type Identity = { issuer: string; subject: string; email?: string }

export type Audit = (event: AuditEvent) => void

const MAX_DATASOURCES = 50

export function createAudit(
  log: Pick<Log, 'info'>,
  registry: Registry,
  ids: ReturnType<typeof createAuditIds>,
): Audit {
  const counter = new Counter({
    name: 'onramp_events_total',
    help: 'Audit events, by result and datasource',
    labelNames: ['event', 'result', 'datasource'] as const,
    registers: [registry],
  })
  const labels = new Set<string>()

  /** The datasource without its instance number. The set is bounded, because Prometheus keeps labels for ever. */
  function labelOf(datasource = ''): string {
    const kind = datasource.replace(/_\d+$/, '').slice(0, 40)
    if (labels.has(kind)) return kind
    if (labels.size >= MAX_DATASOURCES) return 'other'
    labels.add(kind)
    return kind
  }

  return (auditEvent) => {
    const noFields = { user: undefined, email: undefined, former: undefined, person: undefined }
    const { event, user, email, former, person, ...rest } = { ...noFields, ...auditEvent }
    const idOf = (address: string | undefined) => (address === undefined ? undefined : ids.ofEmail(address))
    const addressIds = { formerEmailId: idOf(former), personEmailId: idOf(person) }
    const emailId = idOf(email ?? user?.email)
    const who = omitUndefined({ user: user && ids.ofUser(user), emailId, ...addressIds })
    const result = 'result' in auditEvent ? auditEvent.result : 'by' in auditEvent ? auditEvent.by : ''
    counter.inc({
      event,
      result,
      datasource: labelOf('datasource' in auditEvent ? auditEvent.datasource : ''),
    })
    log.info({ audit: event, ...rest, ...who }, event)
  }
}

/** 64 bits, so that no two people of a company share an ID. */
const HEX_DIGITS = 16

/**
 * Pseudonymous IDs: a keyed hash (HMAC), because a company's few addresses could be guessed from an unkeyed one.
 * @param secret the first of INVITE_SECRET, or SESSION_SECRET: the IDs change with it
 */
export function createAuditIds([secret]: readonly string[], normalized: (address: string) => string) {
  if (secret === undefined) throw new RangeError('createAuditIds needs a secret')
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp audit 1', 32)))
  const id = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, HEX_DIGITS)
  return {
    /** Derived from issuer and subject (OpenID Connect Core 2). */
    ofUser: ({ issuer, subject }: Identity) => id(JSON.stringify(['user', issuer, subject])),
    /** Derived from the normalized address: operators can compute it with `onramp audit-id`. */
    ofEmail: (email: string) => id(JSON.stringify(['email', normalized(email)])),
  }
}
