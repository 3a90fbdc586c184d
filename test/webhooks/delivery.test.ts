// Webhooks from a walk to a receiver over HTTP: verified like receivers do, also after a restart.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { massDisconnectEvent, sendEventOnce } from '../../src/webhooks/sender.ts'
import { faultInEvent } from '../helpers/openapi.ts'
import { answerConsent } from '../helpers/journey.ts'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

type Event = { id: string; type: string; timestamp: string; data: Record<string, unknown> }

async function startReceiver(secrets = [secret]) {
  const events: Event[] = []
  const receiver = { status: 204, url: '', events, faults: [] as string[], calls: 0, close: () => {} }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      receiver.calls++
      const headers = req.headers as IncomingHttpHeaders & Record<string, string>
      const body = Buffer.concat(chunks).toString()
      receiver.faults.push(...[faultInEvent(body)].filter((fault) => fault !== undefined))
      const [event] = secrets.map((one) => new Webhook(one).verify(body, headers) as Event)
      if (event && receiver.status === 204 && req.url === '/hooks?code=abc')
        events.push({ ...event, id: headers['webhook-id'] ?? '' })
      res.writeHead(receiver.status, { location: '/elsewhere' }).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?code=abc`
  receiver.close = () => void server.close()
  return receiver
}

it('an app that many people lost is one event without names, signed with each secret', async () => {
  const secrets = [secret, `whsec_${Buffer.alloc(24, 9).toString('base64')}`]
  const receiver = await startReceiver(secrets)
  const [settings, noticedAt] = [
    { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secrets },
    Date.UTC(2027, 0, 14),
  ]
  const found = { instance: 'slack_1', name: 'Slack', noticedAt, since: 0, lapsed: 412, had: 450 }
  const send = (to: Partial<typeof settings>) => sendEventOnce(to, massDisconnectEvent(found), Date.now())

  expect(await send(settings)).toEqual({ kind: 'delivered' })
  for (const none of [{}, { WEBHOOK_URL: receiver.url }]) expect(await send(none)).toBeUndefined()
  receiver.close()
  const event = {
    id: `msg_slack_1_${noticedAt}`,
    type: 'app.disconnected_for_many',
    timestamp: '2027-01-14T00:00:00.000Z',
    data: { app: { instance: 'slack_1', name: 'Slack' }, people: 412, of: 450 },
  }
  expect([receiver.events, receiver.faults]).toEqual([[event], []])
})

/** Ahead of the machine's clock by these milliseconds. */
let ahead = 0
let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeAll(async () => void (receiver = await startReceiver()))
afterAll(() => receiver.close())
const running = shared(() =>
  run({
    settings: { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: secret },
    now: () => Date.now() + ahead,
  }),
)

const arrived = (type: string) =>
  vi.waitFor(() => expect(receiver.events.map((event) => event.type)).toContain(type), 30_000)

it('webhooks report a sign-in and a connected app', async () => {
  const ada = await signIn(running, 'ada')
  await ada.click('/onboarding/connect/slack_1')
  await answerConsent(ada, 'allow')
  await ada.open('/onboarding')
  await arrived('app.connected')
  expect(receiver.faults).toEqual([])
  expect(receiver.events).toMatchObject([
    { type: 'person.signed_in', data: { email: 'ada@acme.example' } },
    {
      type: 'app.connected',
      data: { email: 'ada@acme.example', app: { instance: 'slack_1', name: 'Slack' } },
    },
  ])
})

it('webhooks survive a restart while the receiver is unreachable, and follow no redirect', async () => {
  receiver.status = 307
  receiver.calls = 0
  await signIn(running, 'bob')
  await vi.waitFor(() => expect(receiver.calls).toBeGreaterThan(0), 30_000)
  await running.stopOnramp()
  ahead = 60_000
  await running.restart()
  receiver.status = 204
  await vi.waitFor(
    () => expect(receiver.events.at(-1)).toMatchObject({ data: { email: 'bob@acme.example' } }),
    30_000,
  )
  expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(receiver.events.length)
  expect(running.log.join('')).not.toMatch(/code=abc|whsec/)
})
