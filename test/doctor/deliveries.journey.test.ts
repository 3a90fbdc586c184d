// The doctor's checks of SMTP_URL and WEBHOOK_URL on real servers.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:https'
import { Webhook } from 'standardwebhooks'
import { expect, it, onTestFinished } from 'vitest'
import { startSmtpServer } from '../campaigns/smtp-server.ts'
import { useFolder } from '../helpers/folder.ts'
import { listen } from '../helpers/listen.ts'
import { makeCertificates, pem } from '../helpers/tls.ts'
import { faultInEvent } from '../helpers/openapi.ts'
import { runDoctor, newSecret, startScriptedServer } from './setup.ts'

const findingFor = async (name: string, changed: Record<string, string>) => {
  const env = { PUBLIC_URL: 'https://onramp.example', SESSION_SECRET: newSecret() + newSecret(), ...changed }
  return (await runDoctor(env)).findings.findLast(({ check }) => check === name)
}

it('a sender rejected by the mail server is reported in its words, without an email', async () => {
  const lines: string[] = []
  const server = await startSmtpServer(({ stage, line }) => {
    lines.push(line)
    return stage === 'MAIL' && !line.includes('<search@acme.test>')
      ? '553 5.7.1 not an address of yours'
      : undefined
  })
  onTestFinished(() => server.close())
  const sender = async (from: string) =>
    await findingFor('settings.mail', { SMTP_URL: server.url, MAIL_FROM: `Search <${from}>` })

  expect(await sender('search@acme.test')).toMatchObject({ status: 'ok' })
  expect(await sender('ceo@acme.test')).toMatchObject({
    says: 'The mail server rejects ceo@acme.test as a sender: 553 5.7.1 not an address of yours.',
    settings: ['MAIL_FROM', 'SMTP_URL'],
  })
  expect(lines.filter((line) => /^(RCPT|DATA)/.test(line))).toEqual([])
})

const folder = useFolder()

it('a certificate that ends in two days is reported with its setting', async () => {
  makeCertificates(folder, { hook: ['localhost'] })
  const server = createServer(pem(folder, 'hook'), (_req, res) => res.writeHead(204).end())
  const port = await listen(server, 'localhost')
  onTestFinished(() => void server.close())
  const settings = {
    WEBHOOK_URL: `https://localhost:${port}/`,
    WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  }

  expect(await findingFor('settings.certificates', settings)).toMatchObject({
    status: 'warn',
    says: expect.stringContaining(`certificate of localhost:${port} expires on 2`),
    settings: ['WEBHOOK_URL'],
  })

  const plain = { ...settings, WEBHOOK_URL: `http://localhost:${port}/` }
  expect(await findingFor('settings.certificates', plain)).toBeUndefined()
})

it('the receiver gets one signed event without a person, and its address is never shown', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  let verified: unknown
  const receiver = await startScriptedServer((req, res) => {
    req.on('data', (body: Buffer) => {
      verified = new Webhook(secret).verify(body.toString(), req.headers as Record<string, string>)
      res.writeHead(204).end()
    })
  })
  onTestFinished(() => receiver.close())
  const WEBHOOK_URL = `${receiver.url}/hooks?code=planted`

  const finding = await findingFor('settings.webhooks', { WEBHOOK_URL, WEBHOOK_SECRET: secret })

  expect(finding).toMatchObject({ status: 'ok' })
  expect(JSON.stringify(finding)).not.toContain('planted')
  expect(verified).toMatchObject({ type: 'webhook.test', data: {} })
  expect(faultInEvent(JSON.stringify(verified))).toBeUndefined()
})
