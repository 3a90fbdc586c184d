// What a mailbox rule, a script or an operator reports about people, and the script of the docs that does.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { openPeople, withStore } from '../../src/cli/store.ts'
import type { Person } from '../../src/people/person.ts'
import type { People } from '../../src/people/people.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { REQUIRED, runCommand } from './run-command.ts'

const ada = 'ada@acme.example'
const bob = 'bob@acme.example'

let folder: string
let env: Record<string, string>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onramp-marks-'))
  env = {
    ...REQUIRED,
    DATA_DIR: join(folder, 'data'),
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

const withPeople = <T>(work: (people: People) => Promise<T>): Promise<T> => {
  const settings = loadSettings(env)
  return withStore(settings, (records) => work(openPeople({ records, settings, now: Date.now })))
}
const stateOf = (person: Person | undefined) =>
  person?.campaigns.flatMap(({ emails }) => emails.map(({ state }) => state))
const states = (email: string) => withPeople(async (people) => stateOf(await people.get(email)))

/** An invitation and a reminder have left. */
const emailed = (email: string) =>
  withPeople((people) =>
    people.change(email, (before) => {
      const email = { campaign: 'onboarding', state: 'sent' } as const
      const invited = withEmail(before, { ...email, reminder: 0, now: 1 })
      return withEmail(invited, { ...email, reminder: 1, now: 2 })
    }),
  )

const audited = (err: string): unknown[] =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as unknown)
const idOf = async (email: string) => (await runCommand(['audit-id', email], env)).out.trim()

it('onramp invite bounced marks the newest email as rejected once, and audits the operator', async () => {
  await emailed(ada)
  const first = await runCommand(['invite', 'bounced', 'Ada@acme.example', bob], env)
  expect([first.exit, first.out]).toEqual([
    0,
    `${ada}: marked as bounced\n${bob}: unchanged: no email to them, or marked before\n`,
  ])
  const line = { level: 'info', audit: 'bounced', emailId: await idOf(ada), operator: userInfo().username }
  expect(audited(first.err)).toMatchObject([line])
  expect(first.err).not.toContain('ada@')
  expect(await states(ada)).toEqual(['sent', 'failed'])
  // The same report once more changes nothing, and an address that onramp doesn't know is not written down.
  const again = await runCommand(['invite', 'bounced', ada], env)
  expect([again.exit, audited(again.err), await states(ada)]).toEqual([0, [], ['sent', 'failed']])
  expect(await states(bob)).toBeUndefined()
  const { out } = await runCommand(['invite', 'report', '--csv'], env)
  expect(out).toMatch(/"ada@acme\.example".*,"failed",/)
})

it('onramp invite bounced takes a list too, and names the lines that are no address', async () => {
  await emailed(ada)
  await emailed(bob)
  const input = `${bob}\nnobody\n`
  const { exit, out, err } = await runCommand(['invite', 'bounced', ada, '--list', '-'], env, { input })
  expect([exit, out]).toEqual([1, `${ada}: marked as bounced\n${bob}: marked as bounced\n`])
  expect(err).toContain('line 2: "nobody" is not a valid email address')
  expect((await runCommand(['invite', 'bounced'], env)).exit).toBe(2)
  expect((await runCommand(['invite', 'bounced', '--list', '-'], env, { input: '' })).exit).toBe(0)
})

it('onramp opt-out remembers that someone wants no emails, also before they had one', async () => {
  const first = await runCommand(['opt-out', 'Ada@acme.example'], env)
  expect([first.exit, first.out]).toEqual([0, `${ada}: gets no more emails\n`])
  expect(audited(first.err)).toEqual([
    expect.objectContaining({ audit: 'opted_out', result: 'done', emailId: await idOf(ada) }),
  ])
  const mayHaveLeft = () => withPeople(async (people) => (await people.get(ada))?.optedOutAt)
  const at = await mayHaveLeft()
  expect(at).toBeGreaterThan(0)
  const again = await runCommand(['opt-out', ada], env)
  expect([again.out, audited(again.err), await mayHaveLeft()]).toEqual([
    `${ada}: unchanged: had opted out before\n`,
    [],
    at,
  ])
})

/** A report as RFC 3464 has it. */
const report = (...fields: string[]) => `From: MAILER-DAEMON@mail.acme.example
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.acme.example

${fields.join('\n')}

--b--
`
const REPORTS = {
  postfix: report(
    'Final-Recipient: rfc822; ada.l@new.example',
    `Original-Recipient: rfc822;${ada}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
  ),
  exchange: report(`Final-Recipient: rfc822;${bob}`, 'Action: failed', 'Status: 5.1.10').replaceAll(
    '\n',
    '\r\n',
  ),
  full: report('Final-Recipient: rfc822; dan@acme.example', 'Action: failed', 'Status: 5.2.2'),
  late: report('Final-Recipient: rfc822; eve@acme.example', 'Action: delayed', 'Status: 4.4.1'),
  policy: report('Final-Recipient: rfc822; fay@acme.example', 'Action: failed', 'Status: 5.7.1'),
  answer: 'From: gus@acme.example\nSubject: Out of office\n\nStatus: 5.1.1\n',
}

it('the script in the docs reports only unknown addresses, and moves the emails it read', () => {
  const docs = readFileSync(new URL('../../docs/invitations.md', import.meta.url), 'utf8')
  const script = /```sh\n(cd "\$HOME\/Maildir"[^]*?)```/.exec(docs)?.[1] ?? ''
  const box = join(folder, 'Maildir')
  for (const name of ['new', 'cur']) mkdirSync(join(box, name), { recursive: true })
  for (const [name, text] of Object.entries(REPORTS)) writeFileSync(join(box, 'new', name), text)
  // In place of the command: what it is given.
  const onramp = join(folder, 'onramp')
  writeFileSync(onramp, `#!/bin/sh\necho "$@" >"${folder}/called"\ncat >>"${folder}/called"\n`)
  chmodSync(onramp, 0o755)
  const run = () =>
    execFileSync('sh', ['-c', script], {
      env: { HOME: folder, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    })
  run()
  expect(readFileSync(join(folder, 'called'), 'utf8').split('\n').toSorted()).toEqual(
    ['', ada, bob, 'invite bounced --list -'].toSorted(),
  )
  expect([readdirSync(join(box, 'new')), readdirSync(join(box, 'cur')).length]).toEqual([[], 6])
  rmSync(join(folder, 'called'))
  run()
  expect(existsSync(join(folder, 'called'))).toBe(false)
})
