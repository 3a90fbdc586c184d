// Trace headers of a request (W3C Trace Context), forwarded to the service.
import { expect, it } from 'vitest'
import { traceContextOf } from '../../src/trace/current-request.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const good = `00-${traceId}-${spanId}-01`

it.each([undefined, '', 'no list'])(
  'a traceparent is forwarded unchanged, without a tracestate of %j',
  (state) => {
    expect(traceContextOf(good, state)).toEqual({ traceId, headers: { traceparent: good } })
  },
)

it.each([
  ['missing', undefined],
  ['empty', ''],
  ['of the forbidden version', `ff-${traceId}-${spanId}-01`],
  ['longer than version 00 is', `${good}-x`],
  ['without a trace id', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['without a parent id', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['in capitals', good.toUpperCase()],
  ['two in one', `${good}, ${good}`],
  ['with a line break', `${good}\r\nX-Service-ActAs: eve`],
  ['without flags', `00-${traceId}-${spanId}`],
])('a traceparent that is %s isn’t forwarded', (_title, traceparent) => {
  expect(traceContextOf(traceparent, 'a=1')).toBeUndefined()
})

it('a traceparent of a later version is forwarded as version 00', () => {
  const later = `cc-${traceId}-${spanId}-ff-what-the-future-will-be-like`
  expect(traceContextOf(later)?.headers).toEqual({ traceparent: `00-${traceId}-${spanId}-03` })
  expect(traceContextOf(`cc-${traceId}-${spanId}-01.x`)).toBeUndefined()
})

const stateOf = (tracestate: string) => traceContextOf(good, tracestate)?.headers.tracestate

it.each([
  ['rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
  ['rojo=1 ,\tcongo=t61rcWkgMzE', 'rojo=1,congo=t61rcWkgMzE'],
  ['fw529a3039@dt=FfAAA, ,x=', 'fw529a3039@dt=FfAAA'],
  ['fw529a3039@dt=a b,,', 'fw529a3039@dt=a b'],
  ['a=1,a=2', 'a=1'],
  ['a=1,b=2\r\nX-Service-ActAs: eve', 'a=1'],
  ['A=1', undefined],
  ['a=1=2', undefined],
  ['a=é', undefined],
  ['', undefined],
  [`a=${'v'.repeat(256)},b=${'v'.repeat(256)}`, undefined],
])('the tracestate %j is forwarded as %j', (given, passed) => {
  expect(stateOf(given)).toBe(passed)
})

it('a tracestate of 33 members is forwarded with 32', () => {
  const members = Array.from({ length: 33 }, (_, index) => `k${index}=v`)
  expect(stateOf(members.join())?.split(',').toSorted()).toEqual(members.slice(0, 32).toSorted())
})
