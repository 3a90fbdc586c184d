// How long others take: the service, the authorization server, the store, the mail server. For the server's metrics, and
// for a command that has none.
import type { Registry } from 'prom-client'
import type { OnOperation } from '../../records/store.ts'
import type { OnCall } from '../../trace/calls.ts'
import { Timings } from './timings.ts'

export type CallTimings = {
  observeService: OnCall
  observeAuthorizationServer: OnCall
  observeStore: OnOperation
  observeEmail: (email: { outcome: string; seconds: number }) => void
}

/** `2xx` of 204. */
export const classOf = (status: number): string => `${Math.floor(status / 100)}xx`

export function callTimings(registry: Registry): CallTimings {
  const service = httpTimings(
    registry,
    'onramp_service_call_duration_seconds',
    'Calls of the service, to the end of its answer; status "none": there was no usable one',
  )
  const authorizationServer = httpTimings(
    registry,
    'onramp_authorization_server_call_duration_seconds',
    'Requests to the authorization server, by its endpoint; status "none": there was no usable answer',
  )
  const store = new Timings({
    name: 'onramp_store_operation_duration_seconds',
    help: 'Operations of the store, Redis or SQLite; result: done or failed',
    labelNames: ['operation', 'result'],
    registry,
  })
  const emails = new Timings({
    name: 'onramp_email_duration_seconds',
    help: 'Handing an email to the mail server; outcome: what became of it',
    labelNames: ['outcome'],
    registry,
  })
  return {
    observeService: service,
    observeAuthorizationServer: authorizationServer,
    observeStore: ({ operation, isDone, seconds }) =>
      store.count({ operation, result: isDone ? 'done' : 'failed' }, seconds),
    observeEmail: ({ outcome, seconds }) => emails.count({ outcome }, seconds),
  }
}

function httpTimings(registry: Registry, name: string, help: string): OnCall {
  const timings = new Timings({ name, help, labelNames: ['operation', 'status'], registry })
  return ({ operation, status, seconds }) =>
    timings.count({ operation, status: status === undefined ? 'none' : classOf(status) }, seconds)
}
