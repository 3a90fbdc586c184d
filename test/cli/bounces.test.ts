// invite bounced and opt-out.
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { withEmail } from '../../src/campaigns/campaign.ts'
import { withAction, type Person } from '../../src/people/person.ts'
import { runCommand } from './run-command.ts'
import { useStoredPeople } from './stored-people.ts'

const ada = 'ada@acme.example'
const bob = 'bob@acme.example'

const { env, withPeople } = useStoredPeople()
const stateOf = (person: Person | undefined) =>
  person?.campaigns.flatMap(({ emails }) => emails.map(({ state }) => state))
const emailStatesOf = (email: string) => withPeople(async (people) => stateOf(await people.get(email)))

/** Sends an invitation and a reminder. */
const emailed = (email: string) =>
  withPeople((people) =>
    people.change(email, (before) => {
      const invitation = { campaign: 'onboarding', state: 'sent' } as const
      const invited = withEmail(before, { ...invitation, reminder: 0, now: 1 })
      return withEmail(invited, { ...invitation, reminder: 1, now: 2 })
    }),
  )

const audited = (err: string): unknown[] =>
  err
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as unknown)
const idOf = async (email: string) => (await runCommand(['audit-id', email], env)).out.trim()

const bounced = (...emails: string[]) => runCommand(['invite', 'bounced', ...emails], env)

it('onramp invite bounced marks the newest email as rejected', async () => {
  await emailed(ada)
  const { exit, out } = await bounced('Ada@acme.example', bob)
  const unchanged = `${bob}: unchanged: no email to that address, or marked before\n`
  expect([exit, out]).toEqual([0, `${ada}: marked as bounced\n${unchanged}`])
  expect(await emailStatesOf(ada)).toEqual(['sent', 'failed'])
  const report = await runCommand(['invite', 'report', '--csv'], env)
  expect(report.out).toMatch(/"ada@acme\.example".*,"failed",/)
})

it('onramp invite bounced audits the operator, without the address', async () => {
  await emailed(ada)
  const { err } = await bounced('Ada@acme.example', bob)
  const line = { level: 'info', audit: 'bounced', emailId: await idOf(ada), operator: userInfo().username }
  expect(audited(err)).toMatchObject([line])
  expect(err).not.toContain('ada@')
})

it('a repeated bounce changes nothing, and an unknown address isn’t recorded', async () => {
  await emailed(ada)
  await bounced(ada)
  const { exit, err } = await bounced(ada, bob)
  expect([exit, audited(err)]).toEqual([0, []])
  expect([await emailStatesOf(ada), await emailStatesOf(bob)]).toEqual([['sent', 'failed'], undefined])
})

it.each([
  ['has an email tried again that was sent to it', 3, ['sent', 'deferred'], 'marked as bounced'],
  ['says nothing about an email to the present one', 2, ['sent', 'sent'], 'unchanged'],
])('a bounce of a former address %s', async (_title, at, expected, message) => {
  await emailed(ada)
  const change = (person: Person) => withAction(person, { at, what: 'renamed', by: 'root' })
  await withPeople((people) => people.rename(ada, bob, { change }))
  expect((await runCommand(['invite', 'bounced', ada], env)).out).toContain(message)
  expect(await emailStatesOf(bob)).toEqual(expected)
  expect((await runCommand(['invite', 'bounced', ada], env)).out).toContain('unchanged')
  expect(await emailStatesOf(bob)).toEqual(expected)
})

it('a bounce stays in the export of a person whose email is sent again', async () => {
  const again = 'again@acme.example'
  await emailed(again)
  await runCommand(['invite', 'bounced', again], env)
  await runCommand(['person', 'rename', again, 'new@acme.example'], env)
  const email = { campaign: 'onboarding', reminder: 1, state: 'sent', now: 9 } as const
  await withPeople((people) => people.change('new@acme.example', (person) => withEmail(person, email)))

  const { out } = await runCommand(['person', 'new@acme.example', '--json'], env)

  const { events } = JSON.parse(out) as { events: { what: string; at: string; outcome?: string }[] }
  const reminders = events.filter(({ what }) => what === 'reminder').map(({ at, outcome }) => [at, outcome])
  expect(reminders).toEqual([
    ['1970-01-01T00:00:00.009Z', 'sent'],
    ['1970-01-01T00:00:00.002Z', 'failed'],
  ])
})

it('a bounce belongs to the newest sent email of all campaigns', async () => {
  await emailed(ada)
  await withPeople((people) =>
    people.change(ada, (before) => {
      const afterLapse = withEmail(before, { campaign: 'lapses', state: 'sent', reminder: 0, now: 3 })
      return withEmail(afterLapse, { campaign: 'onboarding', state: 'deferred', reminder: 2, now: 4 })
    }),
  )

  await runCommand(['invite', 'bounced', ada], env)

  expect(await emailStatesOf(ada)).toEqual(['failed', 'sent', 'sent', 'deferred'])
})

it('onramp invite bounced also reads a list, and names the lines without an address', async () => {
  await emailed(ada)
  await emailed(bob)
  // A guest of the directory is one of those who were emailed.
  const input = `email,user type\n${bob},Guest\nnobody,\n`
  const { exit, out, err } = await runCommand(['invite', 'bounced', ada, '--list', '-'], env, { input })
  expect({ exit, out }).toEqual({ exit: 1, out: `${ada}: marked as bounced\n${bob}: marked as bounced\n` })
  expect(err).toContain('line 3: "nobody" is not a valid email address')
  expect((await runCommand(['invite', 'bounced'], env)).exit).toBe(2)
  expect((await runCommand(['invite', 'bounced', '--list', '-'], env, { input: '' })).exit).toBe(0)
})

it('onramp opt-out records the wish for no emails, also before the first one', async () => {
  const first = await runCommand(['opt-out', 'Ada@acme.example'], env)
  expect({ exit: first.exit, out: first.out }).toEqual({ exit: 0, out: `${ada}: gets no more emails\n` })
  expect(audited(first.err)).toEqual([
    expect.objectContaining({ audit: 'opted_out', result: 'done', emailId: await idOf(ada) }),
  ])
  const mayHaveLeft = () => withPeople(async (people) => (await people.get(ada))?.optedOutAt)
  const at = await mayHaveLeft()
  expect(at).toBeGreaterThan(0)
  const again = await runCommand(['opt-out', ada], env)
  expect(again.out).toBe(`${ada}: unchanged: had opted out before\n`)
  expect(audited(again.err)).toEqual([])
  expect(await mayHaveLeft()).toEqual(at)
})
