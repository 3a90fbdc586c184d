// The current request, for log lines, spans and outbound calls.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { createTraceState } from '@opentelemetry/api'

type CurrentRequest = {
  /** The reference of a failure on pages and in log lines. */
  id: string
  traceId: string | undefined
  trace: TraceContext | undefined
}

const requests = new AsyncLocalStorage<CurrentRequest>()

export const currentRequest = (): CurrentRequest | undefined => requests.getStore()

export const duringRequest = (request: CurrentRequest, work: () => void): void => requests.run(request, work)

/** 48 random bits: short enough to be read aloud. */
export const newRequestId = (): string => randomUUID().slice(-12)

/** Valid headers of W3C Trace Context. Anyone can send them, and the service gets them. */
type TraceContext = { traceId: string; headers: { traceparent: string; tracestate?: string } }

/** Version 00 has 55 characters; later ones may have more fields. */
const TRACEPARENT =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-((?!0+-)[\da-f]{32})-((?!0+-)[\da-f]{16})-([\da-f]{2})(?:-.*)?$/
/** `sampled` and `random` (Level 2); unknown flags aren't passed on. */
const KNOWN_FLAGS = 0b11

/** @returns undefined if missing or malformed (W3C Trace Context 3.2, 4.3) */
export function traceContextOf(traceparent = '', tracestate = ''): TraceContext | undefined {
  const [, traceId, parentId, flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined) return undefined
  const knownFlags = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16)
  const parent = { traceparent: `00-${traceId}-${parentId}-0${knownFlags}` }
  // Drops malformed members, and all of them above 512 characters.
  const state = createTraceState(tracestate).serialize()
  return { traceId, headers: state === '' ? parent : { ...parent, tracestate: state } }
}
