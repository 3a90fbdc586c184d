// The mail server of SMTP_URL and the receiver of events, tried for real.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { startMailCatcher } from '../../packages/sandbox/src/mail.ts'
import { examined, newSecret, startFaulty } from './set-up.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

const found = async (check: string, changed: Record<string, string>) => {
  const env = { PUBLIC_URL: 'https://onramp.example', SESSION_SECRET: newSecret() + newSecret(), ...changed }
  return (await examined(env)).findings.find((finding) => finding.check === check)
}

/** A mail server that refuses each sign-in with this reply. @returns its port */
async function refusing(reply: string): Promise<number> {
  const server = createServer((socket) => {
    open.push(() => socket.destroy())
    socket.on('error', () => {}).write('220 mail ESMTP\r\n')
    socket.on('data', (line) =>
      socket.write(String(line).startsWith('EHLO') ? '250-mail\r\n250 AUTH PLAIN\r\n' : `${reply}\r\n`),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close())
  return (server.address() as AddressInfo).port
}

describe('the mail server', () => {
  const look = (url: string) => found('settings.mail', { SMTP_URL: url, MAIL_FROM: 'search@acme.test' })

  it('that answers is in order, and gets no mail', async () => {
    const catcher = await startMailCatcher(0)
    open.push(() => catcher.close())
    expect(await look(catcher.url)).toMatchObject({ status: 'ok' })
    expect(catcher.mails).toEqual([])
  })

  it.each([
    ['535 5.7.8 bad credentials', /rejects the username and password/],
    ['535 5.7.139 SmtpClientAuthentication is disabled', /SmtpClientAuthentication is disabled/],
    ['454 4.7.0 Temporary authentication failure', /454 4\.7\.0 Temporary/],
  ])('that answers a sign-in with %s is told apart, and no password is shown', async (reply, says) => {
    const finding = await look(`smtp://search:hunter2-hunter2@127.0.0.1:${await refusing(reply)}`)
    const expected = { status: 'fail', settings: ['SMTP_URL'], says: expect.stringMatching(says) }
    expect(finding).toMatchObject(expected)
    expect(JSON.stringify(finding)).not.toContain('hunter2')
  })

  it('that is not there is told so', async () => {
    const says = expect.stringMatching(/connection refused/)
    expect(await look('smtp://127.0.0.1:9')).toMatchObject({ status: 'fail', says })
  })
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
})
