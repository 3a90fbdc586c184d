// What a refusal leaves behind for the next runs: no one pays for what a mail server holds against us, or against another.
import { afterEach, describe, expect, it } from 'vitest'
import { useCompany } from './command.ts'
import { startSmtpServer } from './smtp-server.ts'

const { send, fresh, list } = useCompany()

let server: Awaited<ReturnType<typeof startSmtpServer>> | undefined
afterEach(() => server?.close())

const names = ['ada', 'bob', 'dan', 'grace']

/** A run over these people, whose RCPT TO gets `reply` as long as it returns one. */
async function at(reply: (line: string) => string | undefined) {
  server = await startSmtpServer(({ stage, line }) => (stage === 'RCPT' ? reply(line) : undefined))
  const { url, recipients } = server
  const campaign = fresh()
  const run = async (whom: string[]) => {
    const args = [list(`${whom.map((name) => `${name}@acme.example`).join('\n')}\n`), ...campaign, '--json']
    const { code, stdout, stderr } = await send([...args, '--at-once', '1'], { env: { SMTP_URL: url } })
    return { code, stderr, tally: JSON.parse(stdout) as Record<string, number> }
  }
  return { run, taken: recipients }
}

describe('a pilot with a mail server that wants a sign-in of us', () => {
  // Postfix: smtpd_relay_restrictions = permit_sasl_authenticated, reject
  it('marks no one as refused, and the next run reaches everyone', async () => {
    let isMisconfigured = true
    const { run, taken } = await at((line) =>
      isMisconfigured
        ? `554 5.7.1 ${/<.*>/.exec(line)?.[0] ?? ''}: Recipient address rejected: Access denied`
        : undefined,
    )
    const { code, tally, stderr } = await run(names)
    expect(code).toBe(1)
    expect(tally).toMatchObject({ sent: 0, failed: 0, notTaken: 4 })
    expect(stderr).toContain('accepted no email (it says: 554 5.7.1')
    isMisconfigured = false
    expect((await run(names)).tally).toMatchObject({ sent: 4, failed: 0 })
    expect(taken).toHaveLength(4)
  })
})

describe('one recipient whose mailbox refuses the sender', () => {
  it.each([
    'Sender address rejected: Access denied',
    'Recipient address rejected: you are not allowed to send to this list',
  ])('keeps no one behind from their email, in no run (%s)', { timeout: 20_000 }, async (why) => {
    const { run, taken } = await at((line) =>
      line.includes('ada@') ? `554 5.7.1 <ada@acme.example>: ${why}` : undefined,
    )
    const first = await run(['ada', 'bob', 'dan'])
    expect(first).toMatchObject({ code: 3, tally: { sent: 2, notTaken: 1, failed: 0 } })
    expect(await run(['ada', 'bob', 'dan'])).toMatchObject({ code: 3, tally: { sent: 0, notTaken: 1 } })
    expect((await run(['ada', 'bob', 'dan', 'grace'])).tally).toMatchObject({ sent: 1, notTaken: 1 })
    expect(taken).toEqual(['bob', 'dan', 'grace'].map((name) => `${name}@acme.example`))
  })
})
