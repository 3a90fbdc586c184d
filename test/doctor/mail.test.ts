// The mail server of SMTP_URL, and what the doctor says of it.
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { startMailCatcher } from '../../packages/sandbox/src/mail.ts'
import { systemCode } from '../../src/doctor/settings/mail.ts'
import { freePort } from '../helpers/running.ts'
import { examined, newFolder, newSecret, selfSigned } from './set-up.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

const found = async (check: string, changed: Record<string, string>) => {
  const env = {
    PUBLIC_URL: 'https://onramp.acme.test',
    SESSION_SECRET: newSecret() + newSecret(),
    ...changed,
  }
  return (await examined(env)).findings.filter((finding) => finding.check === check)
}

/** @returns its port */
async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A mail server that greets, and answers commands by their first word. @returns its port */
const speaking = (greeting: string, answers: Record<string, string> = {}): Promise<number> =>
  listening(
    createSocketServer((socket) => {
      socket.on('error', () => {})
      socket.write(`${greeting}\r\n`)
      socket.on('data', (line) => {
        const word = String(line).split(/[ \r]/, 1)[0] ?? ''
        socket.write(`${answers[word] ?? '250 ok'}\r\n`)
      })
    }),
  )

describe('the mail server', () => {
  const look = async (url: string) => {
    const from = { SMTP_URL: url, MAIL_FROM: 'search@acme.test' }
    return (await found('settings.mail', from))[0]
  }

  it('that answers is in order, and gets no mail', async () => {
    const catcher = await startMailCatcher(0)
    open.push(() => catcher.close())
    expect((await look(catcher.url))?.status).toBe('ok')
    expect(catcher.mails).toEqual([])
  })

  it('is said to accept a sign-in only where SMTP_URL has a user', async () => {
    const answers = { EHLO: '250-mail\r\n250 AUTH PLAIN', AUTH: '235 2.7.0 in' }
    const port = await speaking('220 mail ESMTP', answers)
    const [without, withUser] = [`smtp://127.0.0.1:${port}`, `smtp://search:secret@127.0.0.1:${port}`]
    expect(await look(withUser)).toMatchObject({ status: 'ok', says: expect.stringContaining('accepts') })
    const told = await look(without)
    expect(told).toMatchObject({ status: 'ok', says: expect.not.stringContaining('accepts') })
    expect(told?.says).toMatch(/sign-in wasn't tested.*To test delivery.*invite preview --to/)
  })

  it('that is not there, or speaks no TLS, is a failure, and no password is told', async () => {
    const closed = await look(`smtp://search:hunter2-hunter2@127.0.0.1:${await freePort()}`)
    expect(closed).toMatchObject({
      status: 'fail',
      settings: ['SMTP_URL'],
      says: expect.stringContaining('connection refused'),
    })
    expect(JSON.stringify(closed)).not.toContain('hunter2')
    const plain = createSocketServer((socket) => void socket.end('220 plain ESMTP\r\n'))
    expect((await look(`smtps://127.0.0.1:${await listening(plain)}`))?.says).toContain('not a TLS server')
  })

  it('of a name that is not known, or with a certificate that nothing vouches for, is told so', async () => {
    expect((await look('smtp://mail.invalid:587'))?.says).toContain('host not found')
    const made = newFolder()
    open.push(() => rmSync(made, { recursive: true }))
    const port = await listening(createTlsServer(selfSigned(made)))
    const told = await look(`smtps://127.0.0.1:${port}`)
    expect(told?.says).toContain('its certificate is self-signed')
    expect(told?.fix).toContain('NODE_EXTRA_CA_CERTS')
  })

  it('that refuses the password, or this machine, is told apart', async () => {
    const password = newSecret()
    const refusing = await speaking('220 mail ESMTP', {
      EHLO: '250-mail\r\n250 AUTH PLAIN LOGIN',
      AUTH: '535 5.7.8 canary bad credentials',
    })
    const wrong = await look(`smtp://search:${password}@127.0.0.1:${refusing}`)
    expect(wrong).toMatchObject({ status: 'fail', says: expect.stringContaining('username and password') })
    expect(JSON.stringify(wrong)).not.toMatch(new RegExp(`canary|${password}`))
    const closed = await look(`smtp://127.0.0.1:${await speaking('554 no service for you')}`)
    expect(closed).toMatchObject({ status: 'fail', says: expect.stringContaining('this machine (554)') })
  })

  it.each([
    '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.',
    '534 5.7.9 Application-specific password required.',
    '503 5.5.1 Error: authentication not enabled',
    '504 5.7.4 Unrecognized authentication type',
  ])('that takes no such sign-in is quoted, and no password is blamed (%s)', async (AUTH) => {
    const port = await speaking('220 mail ESMTP', { EHLO: '250-mail\r\n250 AUTH PLAIN LOGIN', AUTH })
    const told = await look(`smtp://search:hunter2-hunter2@127.0.0.1:${port}`)
    expect(told).toMatchObject({ status: 'fail', says: expect.stringContaining(`sign-in. It says: ${AUTH}`) })
    expect(told?.says).not.toMatch(/rejected the username|hunter2/)
  })

  it.each([
    '535 5.7.3 Authentication unsuccessful',
    '535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.',
  ])('that says the password is wrong is told from one that wants another sign-in (%s)', async (AUTH) => {
    const port = await speaking('220 mail ESMTP', { EHLO: '250-mail\r\n250 AUTH PLAIN LOGIN', AUTH })
    expect((await look(`smtp://search:secret@127.0.0.1:${port}`))?.says).toContain('rejected the username')
  })

  it.each([
    ['sign-in', '220 mail ESMTP', '454 4.7.0 Temporary authentication failure', 454],
    ['sign-in', '220 mail ESMTP', '451 Authentication failed: Maximum credits exceeded', 451],
    ['connection', '421 4.3.2 too many connections', '', 421],
  ])(
    'that takes no %s for now (%s, %s) is told so, and no password is blamed',
    async (what, greeting, AUTH, code) => {
      const port = await speaking(greeting, { EHLO: '250-mail\r\n250 AUTH PLAIN LOGIN', AUTH })
      const told = await look(`smtp://search:secret@127.0.0.1:${port}`)
      expect(told).toMatchObject({
        status: 'fail',
        says: `The mail server is temporarily rejecting ${what}s (${code}).`,
      })
      expect(told?.fix).toContain('try again later')
    },
  )

  it('that says nothing is given up on', async () => {
    const silent = await listening(createSocketServer((socket) => void socket.on('error', () => {})))
    expect((await look(`smtp://127.0.0.1:${silent}`))?.says).toContain('timed out')
  }, 30_000)

  it("whose name is not known is known by the mail library's own code too", () => {
    expect(systemCode(Object.assign(new Error('x'), { code: 'EDNS' }))).toBe('ENOTFOUND')
  })

  it('that is not set is no fault', async () => {
    expect(await found('settings.mail', {})).toMatchObject([{ status: 'skip' }])
  })

  it('without a sender sends nothing, which is warned of', async () => {
    const catcher = await startMailCatcher(0)
    open.push(() => catcher.close())
    const findings = await found('settings.mail', { SMTP_URL: catcher.url })
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'warn'])
  })
})
