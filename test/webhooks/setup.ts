// Processes that share a store in memory, and the receiver of their events.
import { Registry } from 'prom-client'
import { createPeople } from '../../src/people/people.ts'
import { withOutbox } from '../../src/people/outbox.ts'
import { createSealer } from '../../src/records/seal.ts'
import type { Outcome } from '../../src/webhooks/post.ts'
import { createWebhooks, type Webhooks } from '../../src/webhooks/webhooks.ts'
import { memoryRecords } from '../helpers/memory-records.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

type Sent = { id: string; type: string }

/** Processes that share a store, and a receiver that answers as it is told. */
export function office() {
  const { records } = memoryRecords()
  const now = () => Date.now()
  const sealer = createSealer(['a secret of thirty-two characters'])
  const people = createPeople({ records, sealer, now, retentionDays: 90 })
  const sent: Sent[] = []
  const logged: string[] = []
  const receiver: { answer: () => Promise<Outcome> } = { answer: () => Promise.resolve({ kind: 'taken' }) }
  const tell = (_fields: object, message: string) => void logged.push(message)
  function process() {
    const registry = new Registry()
    const closed = Promise.withResolvers<Outcome>()
    const webhooks = createWebhooks({
      people: people,
      records,
      post: {
        send: async (headers, body) => {
          sent.push({ id: headers['webhook-id'] ?? '', type: (JSON.parse(body) as Sent).type })
          return await Promise.race([receiver.answer(), closed.promise])
        },
        close: async () => closed.resolve({ kind: 'silent', why: 'cut-off' }),
      },
      secrets: [secret],
      registry,
      log: { info: tell, warn: tell },
      now,
    })
    running.push(webhooks)
    return { webhooks, registry, people: withOutbox(people, now, webhooks.notice) }
  }
  return { people, sent, logged, receiver, process }
}

/** To close after each test. */
export const running: Webhooks[] = []
