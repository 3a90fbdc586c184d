// Certificates, encryption and sign-in of a mail server: what is wrong is said by name, before anything leaves.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCompany } from './command.ts'
import { startSmtpServer } from './smtp-server.ts'

const { company, send, fresh, list } = useCompany()

const folder = mkdtempSync(join(tmpdir(), 'onramp-mail-tls-'))
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
const pem = (name: string) => ({
  key: readFileSync(join(folder, `${name}.key`)),
  cert: readFileSync(join(folder, `${name}.crt`)),
})

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** A certificate that signs itself. */
const made = (name: string, subject: string, ...more: string[]) =>
  openssl('req', '-x509', ...EC, '-keyout', `${name}.key`, '-out', `${name}.crt`, '-subj', subject, ...more)

/** One that the authority `ca` has signed. */
function signed(name: string, names: string): void {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.csr`]
  openssl('req', ...EC, ...files, '-subj', `/CN=${name}`, '-addext', names)
  const from = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-copy_extensions', 'copy']
  openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, '-days', '2', ...from)
}

beforeAll(() => {
  made('self', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1')
  made('ca', '/CN=Test CA')
  signed('private', 'subjectAltName=IP:127.0.0.1')
  signed('elsewhere', 'subjectAltName=DNS:mail.acme.example')
})
afterAll(() => rmSync(folder, { recursive: true }))

let server: SMTPServer | undefined
afterEach(() => new Promise<void>((done) => (server ? server.close(() => done()) : done())))

async function started(options: SMTPServerOptions): Promise<number> {
  server = new SMTPServer({ authOptional: true, disableReverseLookup: true, ...options })
  server.on('error', () => {})
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
  return (server.server.address() as AddressInfo).port
}

const ada = 'ada@acme.example\n'
const sent = (url: string, env: Record<string, string> = {}) =>
  send([list(ada), ...fresh()], { env: { SMTP_URL: url, ...env } })

/** In a process of its own, which trusts the authority. */
const trusting = (port: number) =>
  company().run(['invite', 'send', company().list('one.csv', ada), ...fresh()], {
    env: { SMTP_URL: `smtps://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt') },
  })

describe('the certificate of a mail server', () => {
  it.each(['self', 'private'])('that is %s is named so, by smtps and by STARTTLS', async (name) => {
    for (const [scheme, secure] of [
      ['smtps', true],
      ['smtp', false],
    ] as const) {
      const port = await started({ ...pem(name), secure })
      const { code, stderr } = await sent(`${scheme}://127.0.0.1:${port}`)
      expect(code).toBe(1)
      expect(stderr).toContain("an authority that this machine doesn't trust: set NODE_EXTRA_CA_CERTS")
      expect(stderr).not.toContain('ESOCKET')
      await new Promise<void>((done) => server?.close(() => done()))
    }
  })

  it('that is for another name is named so where its authority is trusted', { timeout: 20_000 }, async () => {
    const port = await started({ ...pem('elsewhere'), secure: true })
    const { code, stderr } = await trusting(port)
    expect(code).toBe(1)
    expect(stderr).toContain('its certificate is for mail.acme.example, not for this name')
  })

  it('that NODE_EXTRA_CA_CERTS vouches for is accepted', { timeout: 20_000 }, async () => {
    const port = await started({ ...pem('private'), secure: true })
    expect((await trusting(port)).code).toBe(0)
  })
})

describe('encryption', () => {
  it('that another machine does not offer is missed by name, and no mail leaves', async () => {
    const port = await started({ disabledCommands: ['STARTTLS'] })
    // The same machine by a name that does not look like it.
    const { code, stderr } = await sent(`smtp://127.1:${port}`)
    expect(code).toBe(1)
    expect(stderr).toContain('it offers no encryption (STARTTLS)')
    expect(stderr).toContain('smtps://')
  })
})

describe('the sign-in at a mail server', () => {
  it('that is refused is quoted without the password', async () => {
    const port = await started({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('5.7.8 authentication failed: no such login')),
    })
    const { code, stderr } = await sent(`smtp://robot:letmein-please@127.0.0.1:${port}`)
    expect(code).toBe(1)
    expect(stderr).toContain('rejects the username and password (it says: 535 5.7.8 authentication failed')
    expect(stderr).not.toContain('letmein')
  })

  it('that is not offered is missed before any mail leaves', async () => {
    const port = await started({ disabledCommands: ['STARTTLS', 'AUTH'] })
    const { code, stderr } = await sent(`smtp://robot:letmein-please@127.0.0.1:${port}`)
    expect(code).toBe(1)
    expect(stderr).toContain("doesn't take this sign-in (it says: 5")
    expect(stderr).not.toContain('letmein')
  })
})

describe('a mail server that turns everyone away at the door', () => {
  it.each(['554 5.7.1 Client host blocked using zen.spamhaus.org', '421 4.7.0 too many connections'])(
    'is quoted: %s',
    async (greeting) => {
      const door = await startSmtpServer(({ stage }) => (stage === 'connect' ? greeting : undefined))
      const { code, stderr } = await sent(door.url)
      await door.close()
      expect(code).toBe(1)
      expect(stderr).toContain(`it says: ${greeting}`)
    },
  )
})
