// Where in a mail the connection breaks decides whether the mail may have arrived: only behind the final dot.
import { afterEach, describe, expect, it } from 'vitest'
import { useCompany } from './command.ts'
import { startSmtpServer, type Script, type Stage } from './smtp-server.ts'

const { send, fresh, list } = useCompany()

let server: Awaited<ReturnType<typeof startSmtpServer>> | undefined
afterEach(() => server?.close())

async function runs(script: Script) {
  server = await startSmtpServer(script)
  const campaign = fresh()
  const env = { SMTP_URL: server.url }
  const people = list('ada@acme.example\nbob@acme.example\n')
  return { again: () => send([people, ...campaign, '--at-once', '1'], { env }), taken: server.recipients }
}

/** Breaks at the stage once, and serves as usual from then on. */
function breaksOnce(at: Stage, from = 0): Script {
  let hasBroken = false
  let connections = 0
  return ({ stage, taken }) => {
    if (stage === 'connect') connections++
    // The first connection is the question whether it is there at all.
    if (stage !== at || hasBroken || connections < 2 || taken < from) return undefined
    hasBroken = true
    return 'break'
  }
}

describe('a mail whose connection breaks', () => {
  it.each<Stage>(['connect', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'body'])(
    'before the final dot (%s) goes out again in the same run, and arrives once',
    { timeout: 20_000 },
    async (stage) => {
      const { again, taken } = await runs(breaksOnce(stage))
      const { code, stderr } = await again()
      expect(stderr).not.toContain('delivery unknown')
      expect(code).toBe(0)
      expect(taken).toEqual(['ada@acme.example', 'bob@acme.example'])
    },
  )

  it.each<Stage>(['MAIL', 'RCPT', 'DATA', 'body'])(
    'before the final dot (%s), on a connection that served before, goes out again too',
    { timeout: 20_000 },
    async (stage) => {
      const { again, taken } = await runs(breaksOnce(stage, 1))
      const { code, stderr } = await again()
      expect(stderr).not.toContain('delivery unknown')
      expect(code).toBe(0)
      expect(taken).toEqual(['ada@acme.example', 'bob@acme.example'])
    },
  )

  it('behind the final dot and before the reply may have arrived, and is not sent again', async () => {
    const { again, taken } = await runs(breaksOnce('end'))
    const { code, stderr } = await again()
    expect(stderr).toContain('ada@acme.example: delivery unknown')
    expect(code).toBe(3)
    expect((await again()).code).toBe(3)
    expect(taken).toEqual(['bob@acme.example'])
  })

  it('behind the reply has arrived', { timeout: 20_000 }, async () => {
    const { again, taken } = await runs(breaksOnce('after'))
    expect(await again()).toMatchObject({ code: 0 })
    expect((await again()).code).toBe(0)
    expect(taken).toEqual(['ada@acme.example', 'bob@acme.example'])
  })

  it.each<Stage>(['RCPT', 'end'])(
    'because the server is closing (421 at %s) goes out again, for 421 takes nothing',
    { timeout: 20_000 },
    async (at) => {
      const broken = breaksOnce(at)
      const { again, taken } = await runs((said) =>
        broken(said) === 'break' ? '421 4.3.2 closing for maintenance' : undefined,
      )
      expect(await again()).toMatchObject({ code: 0 })
      expect(taken).toEqual(['ada@acme.example', 'bob@acme.example'])
    },
  )

  it('each time costs no one a try, and the run says what the server said', { timeout: 30_000 }, async () => {
    let isBroken = true
    const { again, taken } = await runs(({ stage }) =>
      isBroken && stage === 'RCPT' ? '421 4.3.2 closing for maintenance' : undefined,
    )
    const { code, stderr } = await again()
    expect(code).toBe(1)
    expect(stderr).toContain('closes every connection (it says: 421 4.3.2 closing for maintenance)')
    isBroken = false
    expect(await again()).toMatchObject({ code: 0 })
    expect(taken).toEqual(['ada@acme.example', 'bob@acme.example'])
  })

  it.each([
    ['421 4.7.0 IP not in whitelist for RCPT domain', '421 4.7.0 IP not in whitelist for RCPT domain'],
    ['break', 'the connection broke'],
  ])('at one address alone (%s) is told, and ends no run', { timeout: 30_000 }, async (reply, told) => {
    let isBroken = true
    const { again, taken } = await runs(({ stage, line }) =>
      isBroken && stage === 'RCPT' && line.includes('bob@') ? reply : undefined,
    )
    const { code, stderr } = await again()
    expect(code).toBe(3)
    expect(stderr).toContain('bob@acme.example: not accepted: the mail server')
    expect(stderr).toContain(told)
    isBroken = false
    expect(await again()).toMatchObject({ code: 0 })
    expect(taken).toEqual(['ada@acme.example', 'bob@acme.example'])
  })
})
