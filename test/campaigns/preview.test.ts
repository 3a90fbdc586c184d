import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { startCompany, type Company } from './command.ts'

let company: Company
let folder: string

beforeAll(async () => {
  company = await startCompany()
  folder = mkdtempSync(join(tmpdir(), 'onramp-preview-'))
})
afterAll(async () => {
  await company.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => company.sandbox.reset())

const mails = () => company.sandbox.mail?.mails ?? []

describe('a preview', () => {
  it('is the invitation and the reminder as files, and asks, sends and writes nothing', async () => {
    const into = join(folder, 'new', 'preview')
    const { code, stdout } = await company.run(['invite', 'preview', into])
    expect(code).toBe(0)
    expect(stdout.trim().split('\n').toSorted()).toEqual(
      readdirSync(into)
        .map((file) => join(into, file))
        .toSorted(),
    )
    const eml = await PostalMime.parse(readFileSync(join(into, 'invitation.eml')))
    expect(eml).toMatchObject({
      subject: 'Connect 3 apps to search',
      from: { address: 'search@acme.example' },
    })
    expect(eml.text).toContain('http://localhost:3000/invite/')
    expect(readFileSync(join(into, 'reminder.txt'), 'utf8')).toMatch(/^Subject: Reminder: connect 3 apps/)
    expect(readFileSync(join(into, 'invitation.html'), 'utf8')).toContain('<bdi>Google Drive</bdi></td>')
    expect(company.sandbox.requests).toEqual([])
    expect(mails()).toEqual([])
    expect(existsSync(company.env['DATA_DIR'] ?? '')).toBe(false)
  })

  it('says that it replaced files, and where it cannot write', async () => {
    const into = join(folder, 'again')
    const preview = (path: string) => runCommand(['invite', 'preview', path], company.env)
    expect((await preview(into)).err).toBe('')
    expect(await preview(into)).toMatchObject({
      exit: 0,
      err: '6 files that were there have been replaced.\n',
    })
    for (const file of readdirSync(into).slice(1)) rmSync(join(into, file))
    expect((await preview(into)).err).toBe('One file that was there has been replaced.\n')
    for (const [path, code] of [
      [join(into, 'invitation.txt'), 'EEXIST'],
      [join(into, 'invitation.txt', 'below'), 'ENOTDIR'],
    ] as const) {
      const { exit, err } = await preview(path)
      expect(exit).toBe(2)
      expect(err).toContain(`can't write to ${path} (${code})`)
    }
  })

  it('is sent to one address, to see it in a real mail program', async () => {
    const { code, stderr } = await company.run(['invite', 'preview', '--to', 'Me@acme.example'])
    expect([code, stderr]).toEqual([0, 'Sent to me@acme.example.\n'])
    expect(mails().map(({ to }) => to)).toEqual([['me@acme.example']])
  })

  it('says what is wrong with a template, or with the mail server', async () => {
    const template = await company.run(['invite', 'preview', folder, '--template', '/nowhere'])
    expect(template).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('/nowhere has no') as string,
    })
    const server = await company.run(['invite', 'preview', '--to', 'me@acme.example'], {
      env: { SMTP_URL: 'smtp://127.0.0.1:1' },
    })
    expect(server.code).toBe(1)
    expect(server.stderr).toContain('127.0.0.1:1 cannot be reached, or not used (connection refused')
    expect(await company.run(['invite', 'preview'])).toMatchObject({ code: 2 })
    expect(await company.run(['invite', 'preview', folder, '--to', 'me@acme.example'])).toMatchObject({
      code: 2,
    })
  })
})

describe('forgetting', () => {
  it('removes what is known of one person, who then counts as new', async () => {
    const list = company.list('two.csv', 'ada@acme.example\nbob@acme.example\n')
    const send = ['invite', 'send', list, '--rate', '100']
    await company.run(send)
    expect(await company.run(['invite', 'forget', 'Ada@acme.example'])).toMatchObject({
      code: 0,
      stdout: 'Deleted all data for ada@acme.example\n',
    })
    const again = await company.run(['invite', 'forget', 'ada@acme.example'])
    expect(again.stdout).toMatch(/^No data for ada@acme\.example \(SQLite in \//)
    const { stdout } = await company.run(['invite', 'report', '--csv'])
    expect(stdout).toContain('bob@acme.example')
    expect(stdout).not.toContain('ada@')
    await company.run(send)
    const to = mails().map((mail) => mail.to[0])
    expect(new Set(to.slice(0, 2))).toEqual(new Set(['ada@acme.example', 'bob@acme.example']))
    expect(to.slice(2)).toEqual(['ada@acme.example'])
  })
})
