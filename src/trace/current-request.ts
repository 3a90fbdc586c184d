// The request that the code is working for, wherever it is: for log lines, for spans, and for the calls that it leads to.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { createTraceState } from '@opentelemetry/api'

export type CurrentRequest = {
  /** What people are told as the reference of a failure, and what log lines are found by. */
  id: string
  /** Of the span that stands for the request, or of the trace that it came with. */
  traceId: string | undefined
  /** The trace that it came with. */
  trace: TraceContext | undefined
}

const requests = new AsyncLocalStorage<CurrentRequest>()

/** Undefined outside of a request. */
export const currentRequest = (): CurrentRequest | undefined => requests.getStore()

/** Whatever the work starts belongs to the request too. */
export const duringRequest = (request: CurrentRequest, work: () => void): void => requests.run(request, work)

/** 48 random bits: short enough to be read out. */
export const newRequestId = (): string => randomUUID().slice(-12)

/** The headers of W3C Trace Context, checked: anyone can send them, and they go on to the service. */
type TraceContext = { traceId: string; headers: { traceparent: string; tracestate?: string } }

const TRACEPARENT = /^([\da-f]{2})-((?!0+-)[\da-f]{32})-((?!0+-)[\da-f]{16})-([\da-f]{2})(?:-.*)?$/
const LENGTH_OF_VERSION_00 = 55
/** `sampled` and `random` (Level 2): what other bits mean is not known yet, so they are not passed on. */
const KNOWN_FLAGS = 0b11

/** @returns undefined for what is missing or malformed: then the trace begins here, or not at all (3.2, 4.3) */
export function traceContextOf(traceparent = '', tracestate = ''): TraceContext | undefined {
  const [, version, traceId, parentId, flags = ''] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || traceId === undefined || version === 'ff') return undefined
  if (version === '00' && traceparent.length !== LENGTH_OF_VERSION_00) return undefined
  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16)
  const parent = { traceparent: `00-${traceId}-${parentId}-0${known}` }
  // Drops malformed members, and all of them above 512 characters.
  const state = createTraceState(tracestate).serialize()
  return { traceId, headers: state === '' ? parent : { ...parent, tracestate: state } }
}
