// The mail server of SMTP_URL and the receiver of events, tried for real.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it } from 'vitest'
import { startMailCatcher } from '../../packages/sandbox/src/mail.ts'
import { examined, newFolder, newSecret, selfSigned, startFaulty } from './set-up.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

const found = async (check: string, changed: Record<string, string>) => {
  const env = { PUBLIC_URL: 'https://onramp.example', SESSION_SECRET: newSecret() + newSecret(), ...changed }
  return (await examined(env)).findings.find((finding) => finding.check === check)
}

/** @returns its port */
async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close())
  return (server.address() as AddressInfo).port
}

/** A mail server that greets, and answers commands by their first word. @returns its port */
const speaking = (greeting: string, answers: Record<string, string> = {}): Promise<number> =>
  listening(
    createServer((socket) => {
      open.push(() => socket.destroy())
      socket.on('error', () => {}).write(`${greeting}\r\n`)
      socket.on('data', (line) => {
        const word = String(line).split(/[ \r]/, 1)[0] ?? ''
        socket.write(`${answers[word] ?? '250 ok'}\r\n`)
      })
    }),
  )

describe('the mail server', () => {
  const look = (url: string) => found('settings.mail', { SMTP_URL: url, MAIL_FROM: 'search@acme.test' })
  const asking = (AUTH: string) =>
    speaking('220 mail ESMTP', { EHLO: '250-mail\r\n250 AUTH PLAIN LOGIN', AUTH })

  it('that answers is in order, and gets no mail', async () => {
    const catcher = await startMailCatcher(0)
    open.push(() => catcher.close())
    expect(await look(catcher.url)).toMatchObject({ status: 'ok' })
    expect(catcher.mails).toEqual([])
  })

  it.each([
    ['535 5.7.8 bad credentials', /rejects the username and password/],
    [
      '535 5.7.139 SmtpClientAuthentication is disabled for the Tenant',
      /SmtpClientAuthentication is disabled/,
    ],
    ['454 4.7.0 Temporary authentication failure', /454 4\.7\.0 Temporary/],
  ])('that answers a sign-in with %s is told apart, and no password is shown', async (reply, says) => {
    const finding = await look(`smtp://search:hunter2-hunter2@127.0.0.1:${await asking(reply)}`)
    expect(finding).toMatchObject({
      status: 'fail',
      settings: ['SMTP_URL'],
      says: expect.stringMatching(says),
    })
    expect(JSON.stringify(finding)).not.toContain('hunter2')
  })

  it.each([
    ['is not there', async () => 'smtp://127.0.0.1:9', /connection refused/],
    ['has no name', async () => 'smtp://mail.invalid:587', /host not found/],
    [
      'does not want this machine',
      async () => `smtp://127.0.0.1:${await speaking('554 no service for you')}`,
      /554/,
    ],
    [
      'has a certificate that nothing vouches for',
      async () => {
        const made = newFolder()
        open.push(() => rmSync(made, { recursive: true }))
        return `smtps://127.0.0.1:${await listening(createTlsServer(selfSigned(made)))}`
      },
      /self-signed.*NODE_EXTRA_CA_CERTS/,
    ],
  ])('that %s is told so', async (_what, url, says) => {
    expect(await look(await url())).toMatchObject({ status: 'fail', says: expect.stringMatching(says) })
  })
})

describe('the receiver of events', () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`

  it('gets one signed event about no one, and its address is never shown', async () => {
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
})
