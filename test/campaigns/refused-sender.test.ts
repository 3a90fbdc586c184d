// A mail server that refuses us says so of each recipient (Postfix: smtpd_delay_reject). None of them may pay for it.
import { afterEach, describe, expect, it } from 'vitest'
import { useCompany } from './command.ts'
import { startSmtpServer, type Script } from './smtp-server.ts'

const { company, send, fresh, list } = useCompany({ company: 80 })

let server: Awaited<ReturnType<typeof startSmtpServer>> | undefined
afterEach(() => server?.close())

async function runs(script: Script, most = 80) {
  server = await startSmtpServer(script)
  const emails = company()
    .sandbox.people.map(({ email }) => email)
    .slice(0, most)
  const people = list(`${emails.join('\n')}\n`)
  const args = [people, ...fresh(), '--ask-again-after', '0', '--json']
  const again = async (...more: string[]) => {
    const { code, stdout, stderr } = await send([...args, ...more], { env: { SMTP_URL: server?.url ?? '' } })
    return { code, stderr, tally: JSON.parse(stdout) as Record<string, number> }
  }
  return { again, taken: server.recipients }
}

const atRcpt =
  (reply: (line: string) => string | undefined): Script =>
  ({ stage, line }) =>
    stage === 'RCPT' ? reply(line) : undefined

/** Replies of real servers at RCPT TO or at the end of the mail that are about the sender. */
const ABOUT_THE_SENDER = [
  '553 5.7.1 <search@acme.example>: Sender address rejected: not owned by user search',
  '554 5.7.1 <search@acme.example>: Sender address rejected: Access denied',
  '550 5.1.8 <search@acme.example>: Sender address rejected: Domain not found',
  '450 4.1.8 <search@acme.example>: Sender address rejected: Domain not found',
  '550 5.1.7 <search@acme.example>: Sender address rejected: undeliverable address',
  '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
  '550 5.7.23 <ada@acme.example>: Recipient address rejected: Message rejected due to: SPF fail - not authorized',
  '550-5.7.26 Unauthenticated email from acme.example is not accepted\r\n550 5.7.26 due to domain policy',
  '530 5.7.57 Client not authenticated to send mail',
  '530 Authentication required',
  '553 sorry, that domain of sender is not allowed here',
]

describe('a mail server that refuses the sender', () => {
  it.each(ABOUT_THE_SENDER)(
    'ends the run at once, is quoted, and the next run reaches everyone: %s',
    async (reply) => {
      let isMisconfigured = true
      const { again, taken } = await runs(atRcpt(() => (isMisconfigured ? reply : undefined)))
      const { code, stderr, tally } = await again()
      expect(code).toBe(1)
      expect(stderr).toContain('refuses the sender')
      expect(stderr).toContain(reply.split('\r\n')[0])
      expect(stderr).toContain('MAIL_FROM')
      expect(tally).toMatchObject({ sent: 0, failed: 0, deferred: 0 })
      isMisconfigured = false
      const next = await again()
      expect(next.code).toBe(0)
      expect(next.tally).toMatchObject({ failed: 0, deferred: 0 })
      expect(new Set(taken).size).toBe(taken.length)
      expect(taken).toHaveLength(next.tally['sent'] ?? -1)
    },
  )

  it('behind the first mails marks no one, stops, and the next run reaches the rest', async () => {
    let isMisconfigured = true
    const { again, taken } = await runs(({ stage, taken }) =>
      isMisconfigured && stage === 'RCPT' && taken >= 10 ? ABOUT_THE_SENDER[0] : undefined,
    )
    const first = await again()
    expect(first.code).toBe(1)
    expect(first.tally).toMatchObject({ failed: 0 })
    isMisconfigured = false
    expect((await again()).code).toBe(0)
    expect(new Set(taken).size).toBe(taken.length)
  })

  it('at the end of the mail (DMARC) ends the run too, and marks no one', async () => {
    const reply = '550 5.7.26 This mail has been blocked because the sender is unauthenticated'
    const { again } = await runs(({ stage }) => (stage === 'end' ? reply : undefined))
    const { code, stderr, tally } = await again()
    expect(code).toBe(1)
    expect(stderr).toContain(`refuses the sender, so no email can leave (it says: ${reply})`)
    expect(tally).toMatchObject({ failed: 0 })
  })

  it('at MAIL FROM is quoted too', async () => {
    const { again } = await runs(({ stage }) => (stage === 'MAIL' ? '550 5.1.0 go away' : undefined))
    expect((await again()).stderr).toContain(
      'refuses the sender, so no email can leave (it says: 550 5.1.0 go',
    )
  })
})

describe('a mail server that refuses this machine', () => {
  it.each([
    '554 5.7.1 <ada@acme.example>: Relay access denied',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '550 5.7.1 relaying denied',
    '550 5.7.25 The IP address sending this message does not have a PTR record',
    '550 5.4.5 Daily user sending quota exceeded. o65sm25351206pga.71 - gsmtp',
    '454 Throttling failure: Daily message quota exceeded.',
  ])('is stopped at within a few mails, and marks no one: %s', async (reply) => {
    let isMisconfigured = true
    const { again, taken } = await runs(atRcpt(() => (isMisconfigured ? reply : undefined)))
    const { code, stderr, tally } = await again()
    expect(code).toBe(1)
    expect(stderr).toContain(`The mail server says: ${reply}`)
    expect(tally).toMatchObject({ sent: 0, failed: 0 })
    expect(tally['notTaken']).toBeLessThan(10)
    isMisconfigured = false
    expect((await again()).code).toBe(0)
    expect(new Set(taken).size).toBe(taken.length)
  })

  it.each(['MAIL', 'RCPT', 'end'])('in the middle of a list marks no one: a quota at %s', async (where) => {
    let isUsedUp = true
    const { again, taken } = await runs(({ stage, taken }) =>
      isUsedUp && stage === where && taken >= 10 ? '550 5.4.5 Daily user sending quota exceeded' : undefined,
    )
    const { code, stderr, tally } = await again()
    expect(code).toBe(1)
    expect(stderr).toContain('The mail server says: 550 5.4.5 Daily user sending quota exceeded')
    expect(tally).toMatchObject({ sent: taken.length, failed: 0 })
    isUsedUp = false
    expect(await again()).toMatchObject({ code: 0, tally: { failed: 0 } })
    expect(new Set(taken).size).toBe(taken.length)
  })

  it('for one address alone (another domain) is passed by, and the others get their mail', async () => {
    const { again } = await runs(
      atRcpt((line) => (line.includes('ada@') ? '554 5.7.1 Relay access denied' : undefined)),
    )
    const { code, tally, stderr } = await again()
    expect(code).toBe(3)
    expect(tally).toMatchObject({ notTaken: 1, failed: 0 })
    expect(tally['sent']).toBeGreaterThan(20)
    expect(stderr).toContain('ada@acme.example: not accepted: the mail server')
  })

  it('and has a short list refused whole, says so and is no success', async () => {
    const { again } = await runs(
      atRcpt(() => '554 5.7.1 Relay access denied'),
      2,
    )
    const { code, stderr } = await again()
    expect(code).toBe(1)
    expect(stderr).toContain('accepted no email (it says: 554 5.7.1 Relay access denied)')
  })
})

describe('a mail server that refuses one after the other in words that tell nothing', () => {
  it('is stopped at after five, and the next run reaches everyone', async () => {
    let isMisconfigured = true
    const { again, taken } = await runs(atRcpt(() => (isMisconfigured ? '550 5.7.1 no' : undefined)))
    const { code, tally, stderr } = await again()
    expect(code).toBe(1)
    expect(tally['notTaken']).toBeLessThan(10)
    expect(tally).toMatchObject({ failed: 0 })
    expect(stderr).toContain('None of these people counts as rejected. The mail server says: 550 5.7.1 no')
    isMisconfigured = false
    const next = await again()
    expect(next.code).toBe(0)
    expect(taken).toHaveLength(next.tally['sent'] ?? -1)
  })

  it('and has a list too short for five marks no one, and the next run reaches everyone', async () => {
    let isMisconfigured = true
    const { again } = await runs(
      atRcpt(() => (isMisconfigured ? '554 5.7.1 Access denied' : undefined)),
      2,
    )
    const { code, tally, stderr } = await again()
    expect(code).toBe(1)
    expect(tally).toMatchObject({ sent: 0, failed: 0, notTaken: 2 })
    expect(stderr).toContain('accepted no email (it says: 554 5.7.1 Access denied)')
    isMisconfigured = false
    expect((await again()).tally).toMatchObject({ sent: 2, failed: 0 })
  })

  it('for every other mail is stopped at once more were refused than taken', async () => {
    let isMisconfigured = true
    let mails = 0
    const { again } = await runs(
      atRcpt(() => (isMisconfigured && mails++ % 3 !== 0 ? '550 5.1.1 User unknown' : undefined)),
    )
    const { code, tally, stderr } = await again()
    expect(code).toBe(1)
    expect(tally).toMatchObject({ failed: 0 })
    expect(stderr).toContain('more emails were refused than taken')
    isMisconfigured = false
    expect((await again()).code).toBe(0)
  })
})
