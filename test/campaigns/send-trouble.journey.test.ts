// What can go wrong while invitations are sent, and what does not come of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, describe, it } from 'vitest'
import { ended, useCompany } from './command.ts'

const { company, mails, recipients, send, fresh, list } = useCompany()

const EVERYBODY = 'email,name\nada@acme.example,Ada\nbob@acme.example,Bob\ncarol@acme.example,Carol\n'

describe('the list', () => {
  it.each(['', 'email,name\n'])(
    'that holds no one (%j) is an error, from a pipe as from a file',
    async (input) => {
      for (const file of [list(input), '-']) {
        const { code, stderr } = await send([file, ...fresh()], { input })
        expect(code).toBe(1)
        expect(stderr).toContain('the list is empty')
      }
    },
  )

  it('that somebody types in ends at Ctrl-C', async () => {
    const child = company().start(['invite', 'send', '-', ...fresh(), '--min-gap', '0'])
    const end = ended(child)
    child.stdin.write('ada@acme.example\nbob@acme.exa')
    while (mails().length < 1) await sleep(20)
    child.kill('SIGINT')
    const { code, stderr } = await end
    expect(code).toBe(130)
    expect(stderr).toContain('Interrupted. Run the same command again to resume.')
    expect(recipients()).toEqual(['ada@acme.example'])
  })

  it('goes on behind --limit with the next run', async () => {
    const campaign = fresh()
    const everybody = list('ada@acme.example\nbob@acme.example\ndan@acme.example\n')
    const first = await send([everybody, ...campaign, '--limit', '2', '--at-once', '1'])
    expect(first.code).toBe(0)
    expect(first.stderr).toContain('--limit 2 reached. Run the same command again')
    expect(await send([everybody, ...campaign])).toMatchObject({ code: 0 })
    expect(recipients().toSorted()).toEqual(['ada@acme.example', 'bob@acme.example', 'dan@acme.example'])
  })
})

describe('a dry run', () => {
  it('shows people and programs who would get what, a line each, and sends and writes nothing', async () => {
    const args = [list(EVERYBODY), ...fresh(), '--at-once', '1']
    const dry = async (...more: string[]) =>
      await send([...args, '--dry-run', ...more], { env: { SMTP_URL: '', MAIL_FROM: '' } })
    expect((await dry()).stdout).toBe(
      'ada@acme.example  invitation  Slack, GitHub, Google Drive, Jira, Confluence\n' +
        'bob@acme.example  invitation  Slack, Google Drive\n',
    )
    const { stdout, stderr } = await dry('--json')
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ email: 'ada@acme.example', reminder: 0 }),
      { email: 'bob@acme.example', reminder: 0, apps: ['Slack', 'Google Drive'] },
      expect.objectContaining({ rows: 3, wouldSend: 2 }),
    ])
    expect([stderr, mails()]).toEqual(['Columns: email, name. Ignored: none.\n', []])
    await send(args)
    expect(mails()).toHaveLength(2)
  })
})

describe('the service', () => {
  it('that says 429 is waited for as it says', async () => {
    company().sandbox.switches.set({ rateLimit: { perSecond: 5, burst: 5 }, retryAfterDate: true })
    const people = 'email\nada@acme.example\nbob@acme.example\ndan@acme.example\ngrace@acme.example\n'
    const more = 'carol@acme.example\neve@acme.example\nfrank@acme.example\n'
    const { code } = await send([list(people + more), ...fresh(), '--at-once', '7'])
    expect(code).toBe(0)
    expect(recipients()).toHaveLength(6)
    const { refused, tooEarly } = company().sandbox.rate()
    expect(refused).toBeGreaterThan(0)
    // Those that were on their way when the first refusal came.
    expect(tooEarly).toBeLessThanOrEqual(6)
  })
})

describe('two runs of one campaign', () => {
  it('exclude each other; another campaign goes its own way', async () => {
    company().sandbox.switches.set({ latencyMs: { checkdatasourceauth: 6_000 } })
    const campaign = fresh()
    const first = send([list('ada@acme.example\n'), ...campaign])
    await sleep(300)
    const second = await send([list('bob@acme.example\n'), ...campaign])
    expect(second.code).toBe(4)
    expect(second.stderr).toContain('is already running')
    expect((await first).code).toBe(0)
    expect(recipients()).toEqual(['ada@acme.example'])
  })
})
