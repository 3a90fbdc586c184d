// Invitations and reminders of `invite send`, from the list to the inbox.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import PostalMime from 'postal-mime'
import { expect, it } from 'vitest'
import { runCommand } from '../cli/run-command.ts'
import { useCompany } from './command.ts'
import { startSmtpServer } from './smtp-server.ts'

const { company, received, recipients, run, send, list } = useCompany()

const parsed = (index = 0) => PostalMime.parse(received()[index]?.raw ?? '')

const EVERYBODY = 'email,name\nada@acme.example,Ada\nbob@acme.example,Bob\ncarol@acme.example,Carol\n'

it('people with something to connect are emailed once, however often the command runs', async () => {
  const args = [list(EVERYBODY)]
  expect(await send(args)).toMatchObject({ code: 0 })
  expect(recipients().sort()).toEqual(['ada@acme.example', 'bob@acme.example'])
  expect(await send(args)).toMatchObject({ code: 0 })
  expect(received()).toHaveLength(2)
})

it.each(['the mail server', 'the store'])('a run that loses %s says how to resume it', async (lost) => {
  const server = await startSmtpServer(({ stage }) => {
    if (lost === 'the mail server') return stage === 'connect' ? '554 closed' : undefined
    const database = new DatabaseSync(join(company().env.DATA_DIR, 'onramp.sqlite'))
    if (stage === 'connect') database.exec('DROP TABLE records')
    database.close()
    return undefined
  })
  const { code, stderr } = await send([list(EVERYBODY)], { env: { SMTP_URL: server.url } })
  await server.close()
  expect([code, stderr]).toEqual([1, expect.stringContaining('Run the same command again to resume.')])
})

it('a person with a known id and a new address is not invited again', async () => {
  const at = (email: string) => [list(`email,id\n${email},E7\nbob@acme.example,E8\n`)]
  await send(at('ada@acme.example'))
  company().sandbox.people.push({
    id: 'king',
    name: 'Ada',
    email: 'king@acme.example',
    datasources: [{ instance: 'x_1' }],
  })

  const dry = await send([...at('king@acme.example'), '--dry-run', '--json'])
  expect([dry.code, dry.stderr]).toEqual([0, expect.not.stringContaining('"audit"')])
  const { code, stderr } = await send(at('king@acme.example'))
  expect([code, stderr.match(/"audit":"renamed"/g)]).toEqual([0, ['"audit":"renamed"']])
  expect(recipients().sort()).toEqual(['ada@acme.example', 'bob@acme.example'])

  const swapped = list('email,id\nking@acme.example,E8\nbob@acme.example,E7\n')
  const refused = await send([swapped])
  expect([refused.code, refused.stderr.match(/two people never become one/g)?.length]).toEqual([3, 2])
  expect(received()).toHaveLength(2)
})

it('blocked people and guests get no email', async () => {
  const people = 'mail,userType,accountEnabled\nada@acme.example,Guest,True\nbob@acme.example,Member,False\n'
  const args = [list(`${people}carol@acme.example,Member,True\n`)]
  const without = await send(args)
  expect([recipients(), without.stderr]).toEqual([
    [],
    expect.stringMatching(
      /Left out: 1 is blocked there, 1 is a guest \(see --include-guests\)\.\n.*1 {2}person\n/s,
    ),
  ])
  const { stderr } = await send([...args, '--include-guests'])
  expect([recipients(), stderr]).toEqual([
    ['ada@acme.example'],
    expect.stringContaining('Left out: 1 is blocked there.\n'),
  ])
})

it('people are checked with the global token and their own address', async () => {
  await send([list('email\nADA@Acme.Example\n')])
  const [alone, request] = company().sandbox.requests.filter(
    ({ operation }) => operation === 'checkdatasourceauth',
  )
  // Without a person, the service rejects a global token and accepts a personal one.
  expect([alone?.status, alone?.headers['x-service-actas']]).toEqual([401, undefined])
  expect(request?.headers['x-service-actas']).toBe('ada@acme.example')
  expect(request?.headers.authorization).toBe(`Bearer ${company().sandbox.serviceTokens.global}`)
})

it.each([
  ['invite send', ['invite', 'send']],
  ['a dry run', ['invite', 'send', '--dry-run']],
  ['keep', ['keep']],
])('%s emails no one if SERVICE_GLOBAL_TOKEN is the token of a person', async (_title, command) => {
  const env = { ...company().env, SERVICE_GLOBAL_TOKEN: company().sandbox.serviceTokens.user('bob') }
  const { exit, out, err } = await runCommand([...command, list('email\nada@acme.example\n')], env)
  expect([exit, out, received()]).toEqual([1, '', []])
  expect(err).toMatch(/SERVICE_GLOBAL_TOKEN holds a personal token.*Nothing was sent\. Set a global token/)
})

it('a person is reminded after so many days, three times, while an app is unconnected', async () => {
  const args = [list(EVERYBODY), '--remind-after', '7']
  const day = (days: number) => ({ now: () => Date.now() + days * 86_400_000 })
  await send(args)
  await send(args, day(6))
  expect(received()).toHaveLength(2)
  company().sandbox.authorize('bob', 'slack_1')
  company().sandbox.authorize('bob', 'gdrive_1')
  await send(args, day(7))
  expect(recipients().slice(2)).toEqual(['ada@acme.example'])
  expect((await parsed(2)).subject).toMatch(/^\d apps left\./)
  for (const days of [14, 21, 28]) await send(args, day(days))
  expect(received()).toHaveLength(5)
})

const faultyList = `email,name\nada@acme.example,Ada\nnobody,"No\nbody"\n"b@x, c@y",\nbob@acme.example,"B\nBcc: x@y"\n`

it('invalid rows stop a run before the first email', async () => {
  expect(await send(['-'], { input: faultyList })).toMatchObject({ code: 1, stdout: '' })
  const { code, stderr } = await send([list(faultyList)])
  expect([code, received()]).toEqual([1, []])
  expect(stderr).toContain('line 3: "nobody" is not a valid email address')
  expect(stderr).toContain('line 5: "b@x, c@y" is not a valid email address')
  expect(stderr).toContain('line 6: the name contains a line break')
})

it('invalid rows are skipped on demand', async () => {
  expect((await send([list(faultyList), '--on-invalid', 'skip'])).code).toBe(3)
  expect(recipients()).toEqual(['ada@acme.example'])
})

it('a person unknown to the service is counted, and the others get their emails', async () => {
  const { code, stderr } = await send([list('email\nghost@acme.example\nada@acme.example\n')])
  expect(code).toBe(0)
  expect(stderr).toContain('ghost@acme.example: unknown to the search service')
  expect(stderr).toContain('1  unknown to the service')
  expect(recipients()).toEqual(['ada@acme.example'])
})

/** Control characters, and characters that change the text direction. */
const ACTS = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

it('names of apps can’t control the terminal, in a dry run and in the report', async () => {
  const escape = 'email,name\n"a\u001b[2Jda@acme.example",x\neve@acme.example,"E\u001b]0;title\u0007ve"\n'
  const result = await send([list(escape), '--on-invalid', 'skip'])
  expect(result.stderr.replaceAll('\n', '')).not.toMatch(ACTS)
  const eve = list('email\neve@acme.example\n')
  const dry = await send([eve, '--dry-run'])
  expect(dry.stdout.trimEnd().split('\n')).toHaveLength(1)
  await send([eve])
  const report = await run(['invite', 'report'])
  for (const text of [dry.stdout, report.stdout]) expect(text.replaceAll('\n', '')).not.toMatch(ACTS)
})

it('with --datasource only people with that app are emailed', async () => {
  await send([list(EVERYBODY), '--datasource', 'github'])
  expect(recipients()).toEqual(['ada@acme.example'])
  expect(await parsed()).toMatchObject({ subject: 'Connect GitHub to search' })
  expect((await parsed()).text).toContain('\n\n  - GitHub\n\n')
})

it('an email and its record hold no one-time path and no other address', async () => {
  await send([list(EVERYBODY)])
  const { stdout } = await run(['invite', 'report', '--csv'])
  const emails = received().map(({ raw }) => raw)
  expect(`${emails.join()}${stdout}`).not.toMatch(/\/auth\/datasource|token=/)
  expect(received()[0]?.raw.includes(recipients()[1] ?? '')).toBe(false)
})
