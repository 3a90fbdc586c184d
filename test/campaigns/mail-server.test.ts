// Mail servers that refuse, break off or stall, and the outcome of the email.
import PostalMime from 'postal-mime'
import { afterEach, expect, it } from 'vitest'
import { MailServerUnusable } from '../../src/campaigns/mail/send-result.ts'
import { SmtpClient } from '../../src/campaigns/mail/smtp-client.ts'
import { Invitations } from '../../src/invites/token.ts'
import { useCompany } from './command.ts'
import { mail } from './sample-email.ts'
import { startSmtpServer, type Script, type Stage } from './smtp-server.ts'

const { company, received } = useCompany()

let server: Awaited<ReturnType<typeof startSmtpServer>> | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const LIMITS = { check: 5_000, greeting: 5_000, reply: 5_000, stop: 10 }

type Settings = ConstructorParameters<typeof SmtpClient>[0]
type Setup = NonNullable<ConstructorParameters<typeof SmtpClient>[1]>

async function open(script: Script, { limits, ...parts }: Setup = {}, settings: Settings = {}) {
  server = await startSmtpServer(script)
  return new SmtpClient({ SMTP_URL: server.url, ...settings }, { ...parts, limits: { ...LIMITS, ...limits } })
}

async function sendThrough(script: Script, parts?: Setup) {
  const opened = await open(script, parts)
  return await opened.send(mail).finally(() => opened.close())
}

/** Replies with a text at a stage, or, with a number, after so many milliseconds. */
const at =
  (where: Stage, answer: string | number, then?: () => void): Script =>
  ({ stage }) => {
    if (stage === where) then?.()
    return stage === where ? answer : undefined
  }

const deferred = (reply: string) => ({ outcome: 'deferred', reply, reason: 'other' })

it.each<Stage>(['connect', 'EHLO', 'MAIL', 'RCPT', 'DATA'])(
  'a connection that breaks before the email leaves (%s) leaves it for a later run',
  async (stage) => {
    const result = await sendThrough(at(stage, 'break'))
    expect(result).toMatchObject({ outcome: 'deferred', reason: 'other' })
  },
)

it('an email through a server whose name DNS rejects stops the run', async () => {
  const client = new SmtpClient({ SMTP_URL: `smtp://${'a'.repeat(64)}.invalid` }, { limits: LIMITS })
  const sending = client.send(mail).finally(() => client.close())
  await expect(sending).rejects.toThrow(MailServerUnusable)
})

it('a connection that breaks after the email and before the reply leaves it unknown', async () => {
  expect(await sendThrough(at('end', 'break'))).toMatchObject({ outcome: 'unknown' })
})

it('a connection that breaks after the reply has sent the email', async () => {
  expect(await sendThrough(at('after', 'break'))).toEqual({ outcome: 'sent' })
})

it.each<Stage>(['MAIL', 'RCPT'])(
  'a connection closed by the server before an email (%s) is replaced',
  async (stage) => {
    let hasBroken = false
    const opened = await open(({ stage: now, taken }) => {
      if (now !== stage || hasBroken || taken === 0) return undefined
      hasBroken = true
      return 'break'
    })
    expect(await opened.send(mail)).toEqual({ outcome: 'sent' })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await opened.send(mail)).toEqual({ outcome: 'sent' })
    opened.close()
    expect([hasBroken, server?.recipients]).toEqual([true, [mail.to, mail.to]])
  },
)

it.each<Stage>(['connect', 'RCPT', 'end'])('a slow mail server is tolerated at %s', async (stage) => {
  expect(await sendThrough(at(stage, 120))).toEqual({ outcome: 'sent' })
})

it('an email that times out after its end has an unknown outcome', async () => {
  const limits = { ...LIMITS, reply: 300 }
  const reply = 'no response within 0.3 seconds'
  expect(await sendThrough(at('end', ''), { limits })).toMatchObject({ outcome: 'unknown', reply })
  expect(await sendThrough(at('RCPT', ''), { limits })).toEqual(deferred(reply))
})

it('a slow mail server doesn’t delay the end of a run', async () => {
  for (const [stage, outcome] of [
    ['end', 'unknown'],
    ['RCPT', 'deferred'],
  ] as const) {
    const stop = new AbortController()
    const results = await sendThrough(
      at(stage, '', () => stop.abort()),
      { signal: stop.signal },
    )
    expect(results).toMatchObject({ outcome, reply: 'no response before the run was stopped' })
  }
})

it('a mail server with a late greeting is reported with the time limit', async () => {
  const opened = await open(at('connect', ''), { limits: { ...LIMITS, check: 50 } })
  await expect(opened.check()).rejects.toThrow('or used (no response within 0.05 seconds)')
})

it.each([
  ['https://onramp.acme.example', 'onramp.acme.example'],
  ['https://onramp.acme.example:8443', 'onramp.acme.example'],
  ['https://xn--bcher-kva.example', 'xn--bcher-kva.example'],
])('a mail server that rejects an IP address gets the host of PUBLIC_URL: %s', async (PUBLIC_URL, host) => {
  const strict: Script = ({ stage, line }) =>
    stage === 'EHLO' && line !== `EHLO ${host}` ? '421 4.7.0 try again later' : undefined
  const opened = await open(strict, {}, { PUBLIC_URL })
  await opened.check()
  expect(await opened.send(mail)).toEqual({ outcome: 'sent' })
  opened.close()
})

it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'https://intranet'])(
  'EHLO never contains an invalid host: %s',
  async (PUBLIC_URL) => {
    const names = new Set<string>()
    const opened = await open(({ line }) => void names.add(line), {}, { PUBLIC_URL })
    await opened.check()
    opened.close()
    expect([...names]).not.toContain(`EHLO ${new URL(PUBLIC_URL).hostname}`)
  },
)

it('a local mail server with STARTTLS but no certificate gets the email without TLS', async () => {
  const script: Script = ({ stage, line }) => {
    if (stage === 'EHLO') return '250-mail.acme.example\r\n250 STARTTLS'
    return line.startsWith('STARTTLS') ? '454 4.7.0 TLS not available due to local problem' : undefined
  }
  expect(await sendThrough(script)).toEqual({ outcome: 'sent' })
})

// An encrypted token contains two dots in a row, and SMTP escapes a dot at the start of a line (RFC 5321 4.5.2).
it('every link arrives unchanged, wherever its lines are broken', async () => {
  const audience = 'https://onramp.acme.example'
  const secrets = ['a secret of thirty-two characters']
  const invitations = new Invitations(secrets, audience, Date.now)
  const token = invitations.issue({ email: 'ada@acme.example', datasources: [] }, 14)
  const lines = Array.from({ length: 80 }, (_, indent) => `${'é'.repeat(indent)} ${audience}/invite/${token}`)
  const opened = new SmtpClient({ SMTP_URL: company().env.SMTP_URL })
  await opened.send({
    ...mail,
    text: [...lines, `..${token}`, '.', ''].join('\n'),
    html: lines.map((line) => `<p>${line}</p>`).join('\n'),
    headers: { 'List-Unsubscribe': `<${audience}/invite/${token}/opt-out>` },
  })
  opened.close()

  const { text, html, headers } = await PostalMime.parse(received()[0]?.raw ?? '')

  expect(text?.split('\n').slice(0, 82)).toEqual([...lines, `..${token}`, '.'])
  expect(html?.match(/invite\/[\w.-]+/g)).toEqual(lines.map(() => `invite/${token}`))
  expect(headers.find(({ key }) => key === 'list-unsubscribe')?.value).toContain(`/${token}/`)
})

it.each([
  ['connect', '421 4.7.0 too many connections'],
  ['EHLO', '421 4.7.0 try again later'],
  ['AUTH', '454 4.7.0 Too many login attempts, please try again later'],
  ['MAIL', '450 4.7.1 Error: too much mail from 127.0.0.1'],
  ['DATA', '454 Throttling failure: Maximum sending rate exceeded.'],
] as const)('an email that the mail server throttles at %s is sent later', async (stage, reply) => {
  let isBusy = true
  server = await startSmtpServer(({ stage: now }) => {
    if (now === stage && isBusy) return reply
    if (now === 'EHLO') return '250-mail.acme.example\r\n250 AUTH PLAIN'
    return now === 'AUTH' ? '235 2.7.0 welcome' : undefined
  })
  const signedIn = new SmtpClient({ SMTP_URL: server.url.replace('//', '//search:password@') })
  expect(await signedIn.send(mail)).toMatchObject({ outcome: 'deferred', reason: 'throttled', reply })
  isBusy = false
  expect(await signedIn.send(mail)).toEqual({ outcome: 'sent' })
  signedIn.close()
})
