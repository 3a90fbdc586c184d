// The event of an app that many people lost at once, as its receiver gets it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { massDisconnectEvent, sendEventOnce } from '../../src/webhooks/sender.ts'
import { faultInEvent } from '../helpers/openapi.ts'

const secrets = [Buffer.alloc(32, 7), Buffer.alloc(24, 9)].map((key) => `whsec_${key.toString('base64')}`)

it('an app that many people lost is one event without names, signed with each secret', async () => {
  const taken: { body: string; headers: Record<string, string> }[] = []
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      taken.push({ body, headers: req.headers as Record<string, string> })
      res.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver = { WEBHOOK_URL: `http://127.0.0.1:${port}`, WEBHOOK_SECRET: secrets }
  const noticedAt = Date.UTC(2027, 0, 14)
  const found = { instance: 'slack_1', name: 'Slack', noticedAt, since: 0, lapsed: 412, had: 450 }
  expect(await sendEventOnce(receiver, massDisconnectEvent(found), Date.now())).toEqual({ kind: 'delivered' })
  const { WEBHOOK_URL } = receiver
  for (const none of [{}, { WEBHOOK_URL }])
    expect(await sendEventOnce(none, massDisconnectEvent(found), Date.now())).toBeUndefined()
  await new Promise((resolve) => server.close(resolve))
  expect(taken.map(({ body }) => faultInEvent(body))).toEqual([undefined])
  const event = {
    type: 'app.disconnected_for_many',
    timestamp: '2027-01-14T00:00:00.000Z',
    data: { app: { instance: 'slack_1', name: 'Slack' }, people: 412, of: 450 },
  }
  const verified = secrets.flatMap((secret) =>
    taken.map(({ body, headers }) => new Webhook(secret).verify(body, headers)),
  )
  expect(verified).toEqual([event, event])
})
