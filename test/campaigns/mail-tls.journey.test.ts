// Certificates, encryption and sign-in of a mail server: each fault is named before any email is sent.
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { makeCertificates, pem } from '../helpers/tls.ts'
import { useCompany } from './command.ts'

const { company, send, list } = useCompany()

const folder = useFolder()
beforeAll(() => makeCertificates(folder, { mail: ['127.0.0.1'] }))

let server: SMTPServer | undefined
afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())))

async function startMailServer(options: SMTPServerOptions): Promise<number> {
  server = new SMTPServer({ authOptional: true, disableReverseLookup: true, ...options })
  server.on('error', () => {})
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
  return (server.server.address() as AddressInfo).port
}

const ada = 'ada@acme.example\n'
const sendThrough = (url: string) => send([list(ada)], { env: { SMTP_URL: url } })

it('a mail server’s private certificate is described, and accepted with NODE_EXTRA_CA_CERTS', async () => {
  const port = await startMailServer({ ...pem(folder, 'mail'), secure: true })
  const env = { SMTP_URL: `smtps://127.0.0.1:${port}` }
  const refused = await sendThrough(env.SMTP_URL)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain("an authority that this machine doesn't trust: set NODE_EXTRA_CA_CERTS")
  // A child process, because Node reads NODE_EXTRA_CA_CERTS only at its start.
  const accepted = await company().run(['invite', 'send', list(ada)], {
    env: { ...env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') },
  })
  expect(accepted.code).toBe(0)
})

it('a self-signed certificate is accepted on this machine, unless a password is sent', async () => {
  const port = await startMailServer(pem(folder, 'mail'))
  expect((await sendThrough(`smtp://127.0.0.1:${port}`)).code).toBe(0)
  for (const url of [`smtp://robot:pw@127.0.0.1:${port}`, `smtp://127.1:${port}`])
    expect((await sendThrough(url)).stderr).toContain('set NODE_EXTRA_CA_CERTS')
})

it('no email is sent to another machine without encryption, and the message names it', async () => {
  const port = await startMailServer({ disabledCommands: ['STARTTLS'] })
  // This machine, by a name that isn't recognized as local.
  const { code, stderr } = await sendThrough(`smtp://127.1:${port}`)
  expect(code).toBe(1)
  expect(stderr).toContain('it offers no encryption (STARTTLS)')
  expect(stderr).toContain('smtps://')
})

it('a refused sign-in at the mail server is quoted without the password', async () => {
  const port = await startMailServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(new Error('5.7.8 authentication failed: no such login')),
  })
  const { code, stderr } = await sendThrough(`smtp://robot:letmein-please@127.0.0.1:${port}`)
  expect(code).toBe(1)
  expect(stderr).toContain('rejects the username and password (reply: 535 5.7.8 authentication failed')
  expect(stderr).not.toContain('letmein')
})

it('a mail server that offers no sign-in is reported before any email is sent', async () => {
  const port = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
  const { code, stderr } = await sendThrough(`smtp://robot:letmein-please@127.0.0.1:${port}`)
  expect(code).toBe(1)
  expect(stderr).toContain('rejects this kind of sign-in (reply: 5')
  expect(stderr).not.toContain('letmein')
})
