// One event: signed as receivers verify it, with what it says, and when it is tried again.
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { newPerson } from '../../src/people/person.ts'
import { pauseMs } from '../../src/webhooks/webhooks.ts'
import { eventBody, signatureHeaders } from '../../src/webhooks/sender.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const former = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
const at = Date.UTC(2026, 10, 2)
const email = 'ada@acme.example'

const arrival = { ...newPerson(email, at), group: 'Sales' }
const piece = { id: 'msg_one', type: 'app.connected', at, tries: 0, dueAt: at } as const
const app = { instance: 'slack_1', name: 'Slack – “EU”' }
const body = eventBody({ ...piece, app }, arrival)

it('an event’s signature is valid for each of the secrets, and for no other', () => {
  const headers = signatureHeaders([secret, former], piece.id, Date.now(), body)
  const expected = {
    type: piece.type,
    timestamp: '2026-11-02T00:00:00.000Z',
    data: { email, group: 'Sales', app },
  }
  for (const known of [secret, former]) expect(new Webhook(known).verify(body, headers)).toEqual(expected)
  expect(() => new Webhook(secret).verify(body.replace('ada', 'eve'), headers)).toThrow(
    'No matching signature',
  )
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature')
})

it('an event has no app or group if there is none', () => {
  expect(JSON.parse(eventBody(piece, newPerson(email, at)))).toMatchObject({ data: { email } })
  expect(eventBody(piece, newPerson(email, at))).not.toMatch(/app"|group/)
})

it('an event is retried after seconds, then hours, or when the receiver requests it', () => {
  const pauses = Array.from({ length: 9 }, (_, index) => pauseMs(index + 1, 0, 0.5) / 1000)
  expect(pauses).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 7200, 7200])
  expect(pauseMs(1, 90, 0.5)).toBe(90_000)
  expect(pauseMs(1, 1e9, 0.5)).toBe(7_200_000)
  expect(new Set([pauseMs(1), pauseMs(1), pauseMs(1)]).size).toBeGreaterThan(1)
})
