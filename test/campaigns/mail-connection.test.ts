// How a mail server is connected to, and what is said of one that is not there.
import { describe, expect, it } from 'vitest'
import { createMailServer, type OnEmail } from '../../src/campaigns/mail/server.ts'
import { LIMITS, serverOf, waitingAtMost } from '../../src/campaigns/mail/smtp-connection.ts'
import { startSmtpServer } from './smtp-server.ts'
import { mail } from './sample-mail.ts'

describe('how a mail server is connected to', () => {
  const safe = { disableFileAccess: true, disableUrlAccess: true }
  const auth = { auth: { user: 'a@b', pass: 'p:/x' }, forceAuth: true }
  it.each([
    ['smtp://mail.acme.example', { host: 'mail.acme.example', port: 587, secure: false, requireTLS: true }],
    ['smtps://mail.acme.example', { host: 'mail.acme.example', port: 465, secure: true, requireTLS: false }],
    ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, secure: false, requireTLS: false }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, requireTLS: false }],
    [
      'smtps://a%40b:p%3A%2Fx@[2001:db8::1]:4465',
      { host: '2001:db8::1', port: 4465, secure: true, requireTLS: false, ...auth },
    ],
  ])('%s', (url, server) => {
    expect(serverOf(url)).toEqual({ ...server, ...safe })
  })

  it('is waited for as long as RFC 5321 asks for, and tried again within seconds', () => {
    expect(LIMITS).toMatchObject({ greeting: 300_000, reply: 600_000, again: [200, 1_000, 3_000] })
    expect(waitingAtMost(1, 2)).toEqual({ connectionTimeout: 1, greetingTimeout: 1, socketTimeout: 2 })
  })
})

describe('a mail server that is not there', () => {
  // Port 1 of this machine: nothing listens there.
  const told: Parameters<OnEmail>[0][] = []
  const open = (signal?: AbortSignal) =>
    createMailServer('smtp://127.0.0.1:1', {
      limits: { ...LIMITS, again: [1, 1, 1] },
      onEmail: (email) => told.push(email),
      ...(signal && { signal }),
    })

  it('is not used, and every email is told of', async () => {
    const server = open()
    const why =
      'the mail server 127.0.0.1:1 cannot be reached, or not used (connection refused (ECONNREFUSED))'
    await expect(server.check()).rejects.toThrow(why)
    await expect(server.post(mail)).rejects.toThrow(why)
    expect(told).toEqual([{ outcome: 'unusable', seconds: expect.any(Number) as number }])
    server.close()
  })

  it('is told of by no email that the end of the run cut off', async () => {
    told.length = 0
    const server = open(AbortSignal.abort())
    await expect(server.post(mail)).rejects.toMatchObject({ name: 'AbortError' })
    expect(told).toEqual([])
    server.close()
  })
})

describe('an email whose connection broke early', () => {
  it('asks before it goes out again, and a no says nothing of the mail server', async () => {
    const told: unknown[] = []
    const smtp = await startSmtpServer(({ stage }) => (stage === 'RCPT' ? 'break' : undefined))
    const server = createMailServer(smtp.url, {
      limits: { ...LIMITS, again: [1, 1, 1] },
      onEmail: (email) => told.push(email),
    })
    await expect(server.post(mail, () => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
    expect(told).toEqual([])
    await expect(server.post(mail, () => Promise.resolve())).resolves.toMatchObject({ outcome: 'refused' })
    expect(told).toMatchObject([{ outcome: 'refused' }])
    server.close()
    await smtp.close()
  })
})
