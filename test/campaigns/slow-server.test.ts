// A mail server that takes its time, or says nothing at all: what it took is not sent twice, and every run ends.
import { afterEach, describe, expect, it } from 'vitest'
import { createMailServer, type MailServerParts } from '../../src/campaigns/mail/server.ts'
import { LIMITS } from '../../src/campaigns/mail/smtp-connection.ts'
import { createRefusals } from '../../src/campaigns/refusals.ts'
import { startSmtpServer, type Script, type Stage } from './smtp-server.ts'
import { mail } from './sample-mail.ts'

let server: Awaited<ReturnType<typeof startSmtpServer>> | undefined
afterEach(() => server?.close())

const SHORT = { check: 50, greeting: 5_000, reply: 5_000, slow: 5_000, stop: 10, again: LIMITS.again }

async function posted(script: Script, { limits, ...parts }: MailServerParts) {
  server = await startSmtpServer(script)
  const mailServer = createMailServer(server.url, { ...parts, limits: { ...SHORT, ...limits } })
  return await mailServer.post(mail).finally(() => mailServer.close())
}

/** Says nothing at this stage, where the run is perhaps to stop. */
const silentAt =
  (at: Stage, stop?: AbortController): Script =>
  ({ stage }) => {
    if (stage === at) stop?.abort()
    return stage === at ? '' : undefined
  }

describe('a mail server that is slow', () => {
  it.each<Stage>(['connect', 'RCPT', 'end'])('is waited for longer than the test takes: %s', async (at) => {
    const slowly: Script = ({ stage }) => (stage === at ? 120 : undefined)
    expect(await posted(slowly, {})).toEqual({ outcome: 'sent' })
  })

  it('has the time that RFC 5321 4.5.3.2 gives it', () => {
    expect(LIMITS.greeting).toBe(300_000)
    expect(LIMITS.reply).toBe(600_000)
  })

  it('is told about while it is waited for', async () => {
    let hints = 0
    const slowly: Script = ({ stage }) => (stage === 'end' ? 60 : undefined)
    await posted(slowly, { onSlow: () => hints++, limits: { ...SHORT, slow: 20 } })
    expect(hints).toBe(1)
  })
})

describe('a mail server that never replies', () => {
  const limits = { ...SHORT, reply: 60 }
  const reply = 'no answer within 0.06 seconds'

  it('to the end of an email may have taken it, and onramp says that it stopped waiting', async () => {
    const unknown = await posted(silentAt('end'), { limits })
    expect(unknown).toEqual({ outcome: 'unknown', reply })
    expect(createRefusals(1).note(unknown, { email: mail.to, reminder: 0 }, true)).toContain(
      `What happened: ${reply}`,
    )
  })

  it('before that has not taken it, and is not tried three times over', async () => {
    const began = Date.now()
    expect(await posted(silentAt('RCPT'), { limits })).toEqual({
      outcome: 'refused',
      reply,
      blame: 'closing',
    })
    expect(Date.now() - began).toBeLessThan(180)
  })

  it('holds up no one who ends the run', async () => {
    const stop = new AbortController()
    expect(await posted(silentAt('end', stop), { signal: stop.signal })).toEqual({
      outcome: 'unknown',
      reply: 'no answer before the run was stopped',
    })
  })

  it('holds up no one who ends the run before the email has left, and that email counts as not tried', async () => {
    const stop = new AbortController()
    await expect(posted(silentAt('RCPT', stop), { signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })

  it('to a greeting is not used, and it says how long onramp waited', async () => {
    server = await startSmtpServer(silentAt('connect'))
    await expect(createMailServer(server.url, { limits: SHORT }).check()).rejects.toThrow(
      'cannot be reached, or not used (no answer within 0.05 seconds)',
    )
  })
})

describe('a mail server that closes nothing', () => {
  it('but replies without end is told as that', async () => {
    const endless: Script = ({ stage }) =>
      stage === 'RCPT' ? `${'550-5.1.1 no\r\n'.repeat(90_000)}550 no` : undefined
    const refused = await posted(endless, {})
    expect(refused).toMatchObject({ outcome: 'refused', reply: 'its reply is too long' })
    const why = createRefusals(1).note(refused, { email: mail.to, reminder: 0 }, true)
    expect(why).toContain('accepted no email (its reply is too long)')
    expect(why).not.toContain('closes')
  })
})
