// What happened, for the record: one log line an event and one count, with who (ids that only the server's secret can
// make) and never with a secret. People's names and addresses stay out.
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { Counter, type Registry } from 'prom-client'
import { omitUndefined } from '../omit-undefined.ts'
import type { ProblemCode } from '../problem.ts'

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
  | {
      event: 'step_result'
      user: Identity
      datasource: string
      result: StepResult
    }
  /** `datasource`: undefined where a click named none, or none that the person has. */
  | { event: 'step_failed'; user: Identity; datasource: string | undefined; code: ProblemCode }
  | { event: 'skipped' | 'blocked' | 'declined'; user: Identity; datasource: string }
  | { event: 'limited'; what: string; user?: Identity | undefined }
  | { event: 'invitation_opened'; email?: string }
  /** `operator`: the operating system's user who ran a command. */
  | { event: 'opted_out'; result: 'done' | 'undone'; email?: string; operator?: string }
  | { event: 'bounced'; email: string; operator: string }
  /** An administrator looked at, or took away, what is known of people. */
  | { event: 'admin_viewed'; user: Identity; what: string }
  | { event: 'admin_viewed'; by: 'report_token'; what: string }
  /** Another token than REPORT_TOKEN. */
  | { event: 'report_refused' }

/** How the app is doing after a return from it. */
export type StepResult = 'connected' | 'waiting' | 'unconfirmed' | 'off' | 'blocked' | 'skipped'

type Identity = { issuer: string; subject: string; email?: string }

export type Audit = (event: AuditEvent) => void

const MAX_DATASOURCES = 50

type AuditParts = {
  log: { info(fields: object, message: string): void }
  registry: Registry
  ids: AuditIds
}

export function createAudit({ log, registry, ids }: AuditParts): Audit {
  const counter = new Counter({
    name: 'onramp_events_total',
    help: 'What people did and what came of it',
    labelNames: ['event', 'result', 'datasource'] as const,
    registers: [registry],
  })
  const known = new Set<string>()

  /** The kind of datasource, not the instance, and not without end: labels are kept for ever. */
  function labelOf(datasource = ''): string {
    const kind = datasource.replace(/_\d+$/, '').slice(0, 40)
    if (known.has(kind)) return kind
    if (known.size >= MAX_DATASOURCES) return 'other'
    known.add(kind)
    return kind
  }

  return (happened) => {
    const { event, user, email, ...rest } = { user: undefined, email: undefined, ...happened }
    const address = email ?? user?.email
    const emailId = address === undefined ? undefined : ids.ofEmail(address)
    const who = omitUndefined({ user: user && ids.ofUser(user), emailId })
    const result = 'result' in happened ? happened.result : 'by' in happened ? happened.by : ''
    counter.inc({ event, result, datasource: labelOf('datasource' in happened ? happened.datasource : '') })
    log.info({ audit: event, ...rest, ...who }, event)
  }
}

type AuditIds = {
  /** Of the identity: issuer and subject (OpenID Connect Core 2). */
  ofUser(user: { issuer: string; subject: string }): string
  /** Of the address alone, however it is written: what an operator can work out again, by `onramp audit-id`. */
  ofEmail(email: string): string
}

/** 64 bits: no two people of a company share one. */
const HEX_DIGITS = 16

/**
 * What stands for a person: the same each time, and worth nothing without the server's secret. An unkeyed hash would be
 * undone by guessing, as there are only so many addresses in a company.
 * @param secrets INVITE_SECRET, or SESSION_SECRET: the first one makes the ids, which change when it does
 * @param normalized the form in which addresses are compared, so that an id never names two people
 */
export function createAuditIds(
  [secret]: readonly string[],
  normalized: (address: string) => string,
): AuditIds {
  if (secret === undefined) throw new RangeError('createAuditIds needs a secret')
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'onramp audit 1', 32)))
  const id = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, HEX_DIGITS)
  return {
    ofUser: ({ issuer, subject }) => id(JSON.stringify(['user', issuer, subject])),
    ofEmail: (email) => id(JSON.stringify(['email', normalized(email)])),
  }
}
