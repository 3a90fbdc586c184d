// What happened, for the record: one log line an event and one count, with who (a hash) and never with a secret.
// People's names and addresses stay out; the hash is the same for a person each time.
import { hash } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'

export type AuditEvent =
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
  | {
      event: 'step_result'
      user: Identity
      datasource: string
      result: 'connected' | 'waiting' | 'unconfirmed'
    }
  | { event: 'skipped' | 'blocked'; user: Identity; datasource: string }
  | { event: 'limited'; what: string }
  | { event: 'invitation_opened' }
  | { event: 'opted_out'; result: 'done' | 'undone' }
  /** An administrator looked at, or took away, what is known of people. */
  | { event: 'admin_viewed'; user: Identity; what: string }

type Identity = { issuer: string; subject: string }

export type Note = (event: AuditEvent) => void

/** A person in the log: the same each time, and not to be turned back into an address. */
export const pseudonym = ({ issuer, subject }: Identity): string =>
  hash('sha256', `onramp audit\n${issuer}\n${subject}`, 'hex').slice(0, 16)

const MOST_DATASOURCES = 50

export type AuditParts = { log: { info(fields: object, message: string): void }; registry: Registry }

export function createAudit({ log, registry }: AuditParts): Note {
  const counter = new Counter({
    name: 'onramp_events_total',
    help: 'What people did and what came of it',
    labelNames: ['event', 'result', 'datasource'] as const,
    registers: [registry],
  })
  const known = new Set<string>()

  /** The kind of datasource, not the instance, and not without end: labels are kept for ever. */
  function labelOf(datasource: string): string {
    const kind = datasource.replace(/_\d+$/, '').slice(0, 40)
    if (known.has(kind)) return kind
    if (known.size >= MOST_DATASOURCES) return 'other'
    known.add(kind)
    return kind
  }

  return (happened) => {
    const { event, ...rest } = happened
    const user = 'user' in happened && happened.user !== undefined ? { user: pseudonym(happened.user) } : {}
    const result = 'result' in happened ? happened.result : 'by' in happened ? happened.by : ''
    counter.inc({ event, result, datasource: 'datasource' in happened ? labelOf(happened.datasource) : '' })
    log.info({ audit: event, ...rest, ...user }, event)
  }
}
