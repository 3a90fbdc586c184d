// Emails that are deferred, rejected or cut off.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { GREY_SECONDS, team, type Check, type Company } from './company.ts'
import { startCut, type Where } from './cut.ts'
import { headersOf } from './checks.ts'
import { DOMAIN } from './post-office.ts'

export async function checkFailures(check: Check, { office, send, mailboxesSince }: Company): Promise<void> {
  const rejections = (name: string) =>
    office
      .log()
      .split('\n')
      .filter((line) => /reject: RCPT/.test(line) && line.includes(`to=<${name}@`)).length

  async function cutAt(where: Where, names: readonly string[], campaign: string) {
    const cut = await startCut(office.port, where)
    const since = mailboxesSince(names)
    const sent = await send(campaign, names, { env: { SMTP_URL: office.urlOf(cut.port) } })
    assert.ok(cut.hasCut(), 'no connection was cut')
    await cut.close()
    return { ...sent, since }
  }
  await check(
    'a recipient without a mailbox (550 at RCPT) is rejected once, and the others get theirs',
    async () => {
      const since = mailboxesSince(team)
      const { code, stderr } = await send('gone', ['gone', 'ada'])
      assert.equal(code, 3, stderr)
      assert.match(stderr, /gone@acme\.example: rejected by the mail server: 550 5\.1\.1 .*User unknown/)
      assert.equal((await since('ada')).length, 1)
      assert.equal((await send('gone', ['gone', 'ada'])).code, 3)
      assert.equal(rejections('gone'), 1)
    },
  )

  for (const [what, from, reply] of [
    ['that belongs to someone else (553', `other@${DOMAIN}`, '553 5.7.1 .*not owned by user robot'],
    ['that is not allowed (554', `blocked@${DOMAIN}`, '554 5.7.1 .*Sender address rejected: Access denied'],
  ] as const)
    await check(`a sender ${what} at RCPT) ends the run, and is no one's fault`, async () => {
      const campaign = from.split('@')[0] ?? ''
      const since = mailboxesSince(team)
      const { code, stderr } = await send(campaign, team, { env: { MAIL_FROM: from } })
      assert.equal(code, 1, stderr)
      assert.match(stderr, new RegExp(`Reply: ${reply}.*see SMTP_URL and MAIL_FROM`))
      // Three emails are sent at a time.
      assert.match(String(stderr.match(/: not accepted/g)?.length), /^[567]$/)
      const again = await send(campaign, team)
      assert.equal(again.code, 0, again.stderr)
      for (const name of team) assert.equal((await since(name)).length, 1)
    })

  await check('an email that is greylisted (450, postgrey) goes out in a later run', async () => {
    const since = mailboxesSince(['newcomer', 'ada'])
    const first = await send('grey', ['newcomer', 'ada'])
    assert.equal(first.code, 3, first.stderr)
    assert.match(
      first.stderr,
      /newcomer@acme\.example: not accepted by the mail server \(retried next run\): 450 4\.2\.0 .*Greylisted/,
    )
    assert.equal((await send('grey', ['newcomer', 'ada'])).code, 3)
    await pause(GREY_SECONDS * 1_000)
    const last = await send('grey', ['newcomer', 'ada'])
    assert.equal(last.code, 0, last.stderr)
    for (const name of ['newcomer', 'ada']) assert.equal((await since(name)).length, 1)
  })

  for (const [where, what, arrives] of [
    ['middle', 'in the middle of an email', 0],
    ['answer', 'before the reply', 1],
  ] as const)
    await check(
      `a connection that breaks ${what} leaves it unknown, and it is sent again on request`,
      async () => {
        const { code, stderr, since } = await cutAt(where, ['ada', 'bob'], where)
        assert.equal(code, 3, stderr)
        assert.match(stderr, /ada@acme\.example: delivery unknown: the connection broke/)
        assert.equal((await send(where, ['ada', 'bob'])).code, 3)
        assert.equal((await since('ada')).length, arrives)
        const again = await send(where, ['ada', 'bob'], { options: ['--retry-unknown'] })
        assert.equal(again.code, 0, again.stderr)
        const ids = (await since('ada')).flatMap((email) => headersOf(email, 'message-id'))
        assert.equal(ids.length, arrives + 1)
        assert.equal(new Set(ids).size, 1)
        assert.equal((await since('bob')).length, 1)
      },
    )

  await check('a private authority has to be trusted, and a wrong password is never printed', async () => {
    const stranger = await send('tls', ['ada'], { env: { NODE_EXTRA_CA_CERTS: '' } })
    assert.equal(stranger.code, 1)
    assert.match(stranger.stderr, /trust: set NODE_EXTRA_CA_CERTS/)
    const url = office.urlOf(office.port, 'not-the-password')
    const wrong = await send('tls', ['ada'], { env: { SMTP_URL: url } })
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /rejects the username and password \(reply: 535 5\.7\.8/)
    assert.doesNotMatch(wrong.stderr, /not-the-password/)
  })
}

/** Nothing else may send in the meantime. */
export async function checkSigning(check: Check, { office, send, mailboxesSince }: Company): Promise<void> {
  await check('where OpenDKIM is down, no email leaves unsigned and no one counts as tried', async () => {
    await office.stopSigning()
    const since = mailboxesSince(['ada'])
    const { code, stderr } = await send('unsigned', ['ada'])
    assert.equal(code, 1, stderr)
    assert.match(stderr, /it accepts no email for now \(reply: 454 4\.3\.0 .*its filter .*is down/)
    assert.equal((await since('ada')).length, 0)
    await office.startSigning()
    assert.equal((await send('unsigned', ['ada'])).code, 0)
    assert.equal((await since('ada')).length, 1)
  })
}
