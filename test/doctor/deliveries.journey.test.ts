// The mail server of SMTP_URL and the receiver of events, tried for real.
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, it } from 'vitest'
import { startMailCatcher } from '../../packages/sandbox/src/mail.ts'
import { faultInEvent } from '../helpers/openapi.ts'
import { examined, newSecret, startFaulty } from './set-up.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

const found = async (check: string, changed: Record<string, string>) => {
  const env = { PUBLIC_URL: 'https://onramp.example', SESSION_SECRET: newSecret() + newSecret(), ...changed }
  return (await examined(env)).findings.find((finding) => finding.check === check)
}

it('a mail server that answers is in order, and gets no mail', async () => {
  const catcher = await startMailCatcher(0)
  open.push(() => catcher.close())
  const settings = { SMTP_URL: catcher.url, MAIL_FROM: 'search@acme.test' }
  expect(await found('settings.mail', settings)).toMatchObject({ status: 'ok' })
  expect(catcher.mails).toEqual([])
})

it('the receiver of events gets one signed event about no one, and its address is never shown', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  let verified: unknown
  const receiver = await startFaulty((req, res) => {
    req.on('data', (body: Buffer) => {
      verified = new Webhook(secret).verify(body.toString(), req.headers as Record<string, string>)
      res.writeHead(204).end()
    })
  })
  open.push(() => receiver.close())
  const WEBHOOK_URL = `${receiver.url}/hooks?code=planted`
  const finding = await found('settings.webhooks', { WEBHOOK_URL, WEBHOOK_SECRET: secret })
  expect(finding).toMatchObject({ status: 'ok' })
  expect(JSON.stringify(finding)).not.toContain('planted')
  expect(verified).toMatchObject({ type: 'webhook.test', data: {} })
  expect(faultInEvent(JSON.stringify(verified))).toBeUndefined()
})
