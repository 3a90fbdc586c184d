// What a mail server can do instead of taking a mail, and what does not come of it.
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { expect, describe, it } from 'vitest'
import { createMailServer } from '../../src/campaigns/mail/server.ts'
import { createInvitations } from '../../src/invites/token.ts'
import { useCompany } from './command.ts'

const { company, mails, recipients, send, fresh, list } = useCompany()

describe('the mail server', () => {
  // An encrypted token has two dots in a row, and a line of an email that begins with a dot is escaped (RFC 5321 4.5.2).
  it('gets every link whole, wherever its lines are broken', async () => {
    const audience = 'https://onramp.acme.example'
    const secrets = ['a secret of thirty-two characters']
    const invitations = createInvitations({ secrets, audience, now: Date.now })
    const token = await invitations.issue({ email: 'ada@acme.example', datasources: [] }, 14)
    const lines = Array.from(
      { length: 80 },
      (_, indent) => `${'é'.repeat(indent)} ${audience}/invite/${token}`,
    )
    const server = createMailServer(company().env['SMTP_URL'] ?? '')
    await server.post({
      from: { name: '', address: 'search@acme.example' },
      to: 'ada@acme.example',
      subject: 'Links',
      text: [...lines, `..${token}`, '.', ''].join('\n'),
      html: lines.map((line) => `<p>${line}</p>`).join('\n'),
      messageId: '<links@acme.example>',
      headers: { 'List-Unsubscribe': `<${audience}/invite/${token}/opt-out>` },
    })
    server.close()
    const { text, html, headers } = await PostalMime.parse(mails()[0]?.raw ?? '')
    expect(text?.split('\n').slice(0, 82)).toEqual([...lines, `..${token}`, '.'])
    expect(html?.match(/invite\/[\w.-]+/g)).toEqual(lines.map(() => `invite/${token}`))
    expect(headers.find(({ key }) => key === 'list-unsubscribe')?.value).toContain(`/${token}/`)
  })

  it('that refuses for now is tried again by the next run, one that refuses for good is not', async () => {
    const campaign = fresh()
    company().sandbox.mail?.behave({ refuse: { code: 451, message: 'greylisted' } })
    expect((await send([list('ada@acme.example\n'), ...campaign])).stderr).toContain('1  delayed')
    company().sandbox.mail?.behave({ refuse: { code: 550, message: 'no such user' } })
    expect((await send([list('ada@acme.example\n'), ...campaign])).stderr).toContain('1  rejected')
    company().sandbox.mail?.behave({})
    expect(await send([list('ada@acme.example\n'), ...campaign])).toMatchObject({ code: 3 })
    expect(mails()).toHaveLength(0)
  })

  it('that cannot be reached stops nobody from getting their mail later', async () => {
    const campaign = fresh()
    const gone = { env: { SMTP_URL: 'smtp://127.0.0.1:1' } }
    const { code, stderr } = await send([list('ada@acme.example\n'), ...campaign], gone)
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be reached')
    expect(await send([list('ada@acme.example\n'), ...campaign])).toMatchObject({ code: 0 })
    expect(recipients()).toEqual(['ada@acme.example'])
  })
})

describe('a mail server that takes no mail at all', () => {
  const ada = 'ada@acme.example\n'

  it.each([
    [
      'refuses the sender',
      { refuseSender: { code: 550, message: 'not you' } },
      'refuses the sender, so no email can leave (it says: 550 not you)',
    ],
    ['is closing', { refuse: { code: 421, message: 'closing' } }, 'closes every connection'],
  ])(
    'because it %s ends the run, and nobody is left out',
    { timeout: 15_000 },
    async (_what, trouble, said) => {
      const campaign = fresh()
      company().sandbox.mail?.behave(trouble)
      const { code, stderr } = await send([list(ada), ...campaign])
      expect(code).toBe(1)
      expect(stderr).toContain(said)
      company().sandbox.mail?.behave({})
      expect(await send([list(ada), ...campaign])).toMatchObject({ code: 0 })
      expect(recipients()).toEqual(['ada@acme.example'])
    },
  )

  it('because SMTP_URL says TLS and it does not, is told so before anything leaves', async () => {
    const campaign = fresh()
    const env = { SMTP_URL: (company().env['SMTP_URL'] ?? '').replace('smtp:', 'smtps:') }
    const { code, stderr } = await send([list(ada), ...campaign], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /127\.0\.0\.1:\d+ cannot be reached, or not used \(this port does not start with TLS/,
    )
    expect(stderr).toContain('use smtp:// for it')
    expect(await send([list(ada), ...campaign])).toMatchObject({ code: 0 })
  })

  it('because its name is not known here, is told so', async () => {
    const { code, stderr } = await send([list(ada), ...fresh()], {
      env: { SMTP_URL: 'smtp://mail.invalid:587' },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/host not found|the DNS server didn't respond/)
  })

  it('and breaks the connection with the mail in its hands leaves it uncertain, and says whose', async () => {
    const campaign = fresh()
    company().sandbox.mail?.behave({ cut: true })
    const { code, stderr } = await send([list(ada), ...campaign])
    expect(code).toBe(3)
    expect(stderr).toContain('ada@acme.example: delivery unknown')
    company().sandbox.mail?.behave({})
    expect(await send([list(ada), ...campaign])).toMatchObject({ code: 3 })
    expect(recipients()).toHaveLength(1)
    expect(await send([list(ada), ...campaign, '--retry-unknown'])).toMatchObject({ code: 0 })
    expect(recipients()).toHaveLength(2)
  })

  it('is asked again about whom it refused, where that is wanted', async () => {
    const campaign = fresh()
    company().sandbox.mail?.behave({ refuse: { code: 550, message: 'no such user' } })
    expect((await send([list(ada), ...campaign])).stderr).toContain('ada@acme.example: rejected by the mail')
    company().sandbox.mail?.behave({})
    expect(await send([list(ada), ...campaign, '--retry-failed'])).toMatchObject({ code: 0 })
    expect(recipients()).toEqual(['ada@acme.example'])
  })

  it(
    'and is not the one that was there before costs no one their certainty',
    { timeout: 20_000 },
    async () => {
      const { port } = new URL(company().env['SMTP_URL'] ?? '')
      let connections = 0
      const door = createServer((socket) => {
        // The first is the question whether it is there at all.
        if (++connections > 1) return socket.destroy()
        const inside = connect(Number(port), '127.0.0.1')
        socket.pipe(inside).pipe(socket)
        return undefined
      })
      door.listen(0, '127.0.0.1')
      await once(door, 'listening')
      const env = { SMTP_URL: `smtp://127.0.0.1:${(door.address() as AddressInfo).port}` }
      const people = list('ada@acme.example\nbob@acme.example\ndan@acme.example\ngrace@acme.example\n')
      const campaign = fresh()
      const { code, stderr } = await send([people, ...campaign, '--at-once', '1'], { env })
      door.close()
      expect(code).toBe(1)
      expect(stderr).not.toContain('delivery unknown')
      expect((await send([people, ...campaign])).stderr).toContain('4  emails sent')
    },
  )

  it('over a connection that anybody can read is not used, but on this machine', async () => {
    const { port } = new URL(company().env['SMTP_URL'] ?? '')
    // The same machine by a name that does not look like it.
    const { code, stderr } = await send([list(ada), ...fresh()], {
      env: { SMTP_URL: `smtp://127.1:${port}` },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('cannot be reached, or not used')
    expect(mails()).toHaveLength(0)
  })
})
