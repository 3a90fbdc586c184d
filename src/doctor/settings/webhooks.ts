// WEBHOOK_URL: does the receiver take a signed event? One of the type `webhook.test` is sent, which is about no one.
import { randomUUID } from 'node:crypto'
import { silenceInWords } from '../../client-api/silence.ts'
import { createPost } from '../../webhooks/post.ts'
import { signatureHeaders, testBody } from '../../webhooks/signature.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, unreached, type Finding } from '../finding.ts'

const settings = ['WEBHOOK_URL']

export async function webhooks({ settings: read, now }: Subject): Promise<Finding> {
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets } = read
  if (url === undefined || secrets === undefined)
    return skip('WEBHOOK_URL or WEBHOOK_SECRET is not set, so onramp sends no events.')
  const post = createPost(url, 1)
  try {
    const body = testBody(now())
    const outcome = await post.send(signatureHeaders(secrets, `msg_${randomUUID()}`, now(), body), body)
    if (outcome.kind === 'taken') return ok('The receiver at WEBHOOK_URL took a signed test event.')
    if (outcome.kind === 'silent')
      return fail(
        `The receiver at WEBHOOK_URL can't be reached: ${silenceInWords(outcome.why)}.`,
        unreached(outcome.why, settings),
      )
    return fail(`The receiver at WEBHOOK_URL refused a signed test event (${outcome.why}).`, {
      settings: ['WEBHOOK_SECRET', 'WEBHOOK_URL'],
      fix: "check that it has the same secret and answers 2xx to types that it doesn't know, such as webhook.test; redirects are not followed",
    })
  } finally {
    await post.close()
  }
}
