// What a try to hand over an email came to, and when it is tried again: no server is needed to tell.
import { describe, expect, it } from 'vitest'
import {
  attemptOf,
  MailServerUnusable,
  type Attempt,
  type BeforeAgain,
  type Posted,
} from '../../src/campaigns/mail/outcome.ts'
import type { SmtpError } from '../../src/campaigns/mail/smtp-trouble.ts'
import { createTries } from '../../src/campaigns/mail/tries.ts'
import { mail } from './sample-mail.ts'

const name = 'mail.acme.example:587'
const limits = { greeting: 3_000, reply: 5_000 }
type Given = Omit<Partial<SmtpError>, 'name'>
const errorOf = (given: Given) => Object.assign(new Error('Failed'), given)
const came = (given: Given, isOver = false) => attemptOf(errorOf(given), { name, isOver, limits })

const replied = (response: string, command = 'RCPT TO') => ({
  code: 'EENVELOPE',
  response,
  responseCode: Number(response.slice(0, 3)),
  command,
})

describe('what a mail server replies', () => {
  it.each<[Given, Attempt]>([
    [replied('550 5.1.1 no'), { outcome: 'failed', reply: '550 5.1.1 no', blame: 'person' }],
    [replied('500-So\r\n500 what'), { outcome: 'refused', reply: '500-So what', blame: 'system' }],
    [replied('500 5.1.1 no'), { outcome: 'failed', reply: '500 5.1.1 no', blame: 'person' }],
    [replied('550 Odd'), { outcome: 'failed', reply: '550 Odd', blame: 'unclear' }],
    [replied('550 5.7.60 no'), { outcome: 'refused', reply: '550 5.7.60 no', blame: 'sender' }],
    [replied('450 4.1.8 no'), { outcome: 'refused', reply: '450 4.1.8 no', blame: 'sender' }],
    [replied('450 4.2.1 no'), { outcome: 'deferred', reply: '450 4.2.1 no' }],
    [replied('421 closing'), { outcome: 'not-handed-over', reply: '421 closing' }],
    // To MAIL FROM everything is about the sender, but what is about the machine.
    [replied('550 Odd', 'MAIL FROM'), { outcome: 'refused', reply: '550 Odd', blame: 'sender' }],
    [replied('450 Odd', 'MAIL FROM'), { outcome: 'deferred', reply: '450 Odd' }],
    [replied('550 is spam', 'MAIL FROM'), { outcome: 'refused', reply: '550 is spam', blame: 'system' }],
  ])('%j is an outcome: %j', (given, attempt) => {
    expect(came(given)).toEqual(attempt)
    expect(came(given, true)).toEqual(attempt)
  })

  it.each<[Given, boolean, Attempt]>([
    [{ code: 'ECONNECTION' }, false, { outcome: 'not-handed-over', reply: 'the connection broke' }],
    [{ code: 'ECONNECTION' }, true, { outcome: 'unknown', reply: 'the connection broke' }],
    [{ code: 'ESOCKET', response: '250 ok' }, true, { outcome: 'unknown', reply: 'the connection broke' }],
    [{ code: 'ESOCKET', responseCode: 250 }, true, { outcome: 'unknown', reply: 'the connection broke' }],
    [{ code: 'ETIMEDOUT' }, true, { outcome: 'unknown', reply: 'no answer within 5 seconds' }],
    [
      { code: 'ETIMEDOUT' },
      false,
      { outcome: 'refused', reply: 'no answer within 5 seconds', blame: 'closing' },
    ],
    [{ code: 'EPROTOCOL' }, false, { outcome: 'refused', reply: 'its reply is too long', blame: 'closing' }],
  ])('may be missing: %j, and the end of the email has left: %j', (given, isOver, attempt) => {
    expect(came(given, isOver)).toEqual(attempt)
  })

  it.each<[Given, string]>([
    [{ code: 'EAUTH', response: '535 no', responseCode: 535 }, 'rejects the username and password (it says'],
    [{ code: 'ETLS', response: '454 no', responseCode: 454 }, 'cannot be reached, or not used (TLS failed'],
    [{ code: 'EDNS', originalCode: 'ENOTFOUND' }, 'cannot be reached, or not used (host not found'],
  ])('to no email at all ends the run: %j', (given, words) => {
    const message = expect.stringContaining(`the mail server ${name} ${words}`) as string
    expect(() => came(given)).toThrow(
      expect.objectContaining({ name: 'MailServerUnusable', message, cause: errorOf(given) }) as Error,
    )
  })

  it('is not looked for in a mistake of ours', () => {
    for (const mistake of [new TypeError('mistake'), { code: 'EAUTH' }])
      expect(() => attemptOf(mistake, { name, isOver: true, limits })).toThrow(mistake)
  })
})

/** Tries against a mail server that does these things, one after the other. */
function tries(
  attempts: Attempt[],
  { signal, isThere = true }: { signal?: AbortSignal; isThere?: boolean } = {},
) {
  const done: string[] = []
  const post = createTries({
    attempt: () => {
      done.push('email')
      return Promise.resolve(attempts.shift() ?? { outcome: 'sent' })
    },
    check: () => {
      done.push('check')
      return isThere ? Promise.resolve() : Promise.reject(new MailServerUnusable('gone'))
    },
    pausesMs: [1, 1, 1],
    signal,
  })
  return { done, post: (beforeAgain?: BeforeAgain) => post(mail, beforeAgain) }
}

const broke: Attempt = { outcome: 'not-handed-over', reply: 'the connection broke' }
const closing = (words: string): Attempt => ({ outcome: 'not-handed-over', reply: `421 ${words}` })
const unknown: Posted = { outcome: 'unknown', reply: 'the connection broke' }

describe('an email whose connection breaks', () => {
  it('too early goes out again, once the server is known to be there', async () => {
    const { done, post } = tries([broke, closing('x')])
    expect(await post()).toEqual({ outcome: 'sent' })
    expect(await post()).toEqual({ outcome: 'sent' })
    expect(done).toEqual(['email', 'check', 'email', 'check', 'email', 'email'])
  })

  it.each<[Attempt[], string]>([
    [[broke, broke, broke], 'the connection broke'],
    [[broke, closing('one'), broke], '421 one'],
    [[closing('one'), closing('two'), broke], '421 one'],
  ])('three times is refused, with what the server said last where it did: %j', async (attempts, reply) => {
    const { done, post } = tries(attempts)
    expect(await post()).toEqual({ outcome: 'refused', reply, blame: 'closing' })
    expect(done.filter((what) => what === 'email')).toHaveLength(3)
  })

  it('is tried again only after asking whether it may, each time', async () => {
    const { done, post } = tries([broke, broke, broke])
    const asked = () => Promise.resolve(void done.push('asked'))
    expect(await post(asked)).toMatchObject({ outcome: 'refused' })
    expect(done).toEqual(['email', 'check', 'asked', 'email', 'check', 'asked', 'email'])
    const taken = tries([broke])
    await expect(taken.post(() => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
    expect(taken.done).toEqual(['email', 'check'])
  })

  it('behind its end is not sent again, and the next one only where the server is there', async () => {
    const { done, post } = tries([unknown], { isThere: false })
    expect(await post()).toEqual(unknown)
    await expect(post()).rejects.toThrow(MailServerUnusable)
    expect(done).toEqual(['email', 'check'])
  })

  it('is not tried again once the run is to stop', async () => {
    const stop = new AbortController()
    const { done, post } = tries([broke, broke], { signal: stop.signal })
    stop.abort()
    await expect(post()).rejects.toMatchObject({ name: 'AbortError' })
    expect(done).toEqual(['email'])
  })

  it('has the server looked for once, not by every email beside it', async () => {
    const done: string[] = []
    const held = Promise.withResolvers<Attempt>()
    const attempts = [Promise.resolve(unknown), held.promise]
    const post = createTries({
      attempt: () => (done.push('email'), attempts.shift() ?? Promise.resolve({ outcome: 'sent' })),
      check: () => Promise.resolve(void done.push('check')),
      pausesMs: [1],
      signal: undefined,
    })
    await post(mail)
    const first = post(mail)
    await new Promise((resolve) => setImmediate(resolve))
    await post(mail)
    held.resolve({ outcome: 'sent' })
    await first
    expect(done).toEqual(['email', 'check', 'email', 'email'])
  })
})
