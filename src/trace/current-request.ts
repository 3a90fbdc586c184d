// The request that the code is working for, wherever it is: for log lines, for spans, and for the calls that it leads to.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { TraceContext } from './trace-context.ts'

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
