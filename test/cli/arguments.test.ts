// Every command reads its arguments in one way. What is wrong is told in one line that repeats nothing but a name, since
// somebody may have pasted a token.
import { describe, expect, it } from 'vitest'
import type { Action, Command } from '@onramp/deprecations/command-line/shell'
import { commands, onramp } from '../../src/cli/commands.ts'
import { MAX_DAYS } from '../../src/invites/token.ts'
import { runCommand } from './run-command.ts'

type Called = { path: string[]; command: Command }

const calledBelow = (list: readonly Command[], above: string[] = []): Called[] =>
  list.flatMap((command) => {
    const path = [...above, command.name]
    return [{ path, command }, ...('commands' in command ? calledBelow(command.commands, path) : [])]
  })

const all = calledBelow(commands).map((called): [string, Called] => [called.path.join(' '), called])
const isAction = (called: [string, Called]): called is [string, Called & { command: Action }] =>
  'load' in called[1].command
const actions = all.filter(isAction)

const SECRET = 'Canary7e1f-9Zk'
const PERSON = 'ada@acme.example'

/** One line on standard error that says where there is help, nothing on standard output. */
async function refusal(args: string[], exit: number): Promise<string> {
  const ran = await runCommand(args, {}, {})
  expect([ran.exit, ran.out]).toEqual([exit, ''])
  expect(ran.err).toMatch(/^onramp[^\n]* See onramp[a-z -]* --help\.\n$/)
  expect(ran.err).not.toContain(SECRET)
  return ran.err
}

describe('help', () => {
  it.each(all)('of %s is on standard output, however it is asked for', async (name, { path, command }) => {
    const above = path.slice(0, -1)
    for (const args of [
      [...path, '--help'],
      [...path, '-h'],
      [...above, 'help', ...path.slice(-1)],
    ])
      expect(await runCommand(args, {})).toEqual({ exit: 0, out: command.help, err: '' })
    expect(command.help.startsWith(`Usage: onramp ${name}`)).toBe(true)
  })

  it.each(actions)(
    'of %s is given although the rest is wrong, and tells the exit codes',
    async (_name, { path, command }) => {
      const ran = await runCommand([...path, '--nonsense', SECRET, '--help'], {})
      expect(ran).toEqual({ exit: 0, out: command.help, err: '' })
      expect(command.help).toMatch(/Exit codes:[^]*usage error/)
    },
  )

  it.each([...all, ['onramp', { command: onramp }] as const])(
    'of %s fits a terminal of 80 columns',
    (_name, { command }) => {
      expect(command.help.split('\n').filter((line) => line.length > 80)).toEqual([])
    },
  )

  it('of the days that links work says what is checked', async () => {
    for (const name of ['link', 'send'])
      expect((await runCommand(['invite', name, '--help'], {})).out).toContain(`1 to ${MAX_DAYS}`)
  })

  it.each([[[]], [['invite']]])('of %j is on standard error, as a command is missing', async (args) => {
    const { exit, out, err } = await runCommand(args, {})
    expect([exit, out]).toEqual([2, ''])
    expect(err).toMatch(/^Usage: onramp/)
  })
})

describe('what no command takes', () => {
  it.each(actions)('an option that %s does not have', async (name, { path, command }) => {
    const exit = command.wrongUsage ?? 2
    for (const [given, shown] of [
      [['--nonsense', SECRET], 'unknown option --nonsense'],
      [[`--nonsense=${SECRET}`], 'unknown option --nonsense'],
      [[`--${SECRET}`], 'unknown option'],
      [[`-z${SECRET}`], 'unknown option -z'],
      [['--constructor'], 'unknown option --constructor'],
    ] as const)
      expect(await refusal([...path, ...given], exit)).toContain(`onramp ${name}: ${shown}`)
  })

  it.each(actions.filter(([name]) => name !== 'deprecations check'))(
    'more words than %s takes',
    async (_name, { path }) => {
      const words = [PERSON, SECRET, SECRET]
      expect(await refusal([...path, ...words], 2)).toContain('too many arguments')
      expect(await refusal([...path, '--', ...words], 2)).toContain('too many arguments')
    },
  )

  it('a backup to standard output', async () => {
    expect(await refusal(['backup', '-'], 2)).toContain('it goes to a file and not to standard output')
  })

  it.each([
    [['nonsense'], 'onramp: unknown command nonsense.'],
    [[SECRET], 'onramp: unknown command.'],
    [['docter', '--help'], 'onramp: unknown command docter; did you mean doctor?'],
    [['--', 'doctor'], 'onramp: unknown command.'],
    [[''], 'onramp: unknown command.'],
    [['--jsno'], 'onramp: unknown option --jsno.'],
    [['invite', 'lnk'], 'onramp invite: unknown command lnk; did you mean link?'],
    [['invite', SECRET], 'onramp invite: unknown command.'],
    [['invite', '--days', SECRET], 'onramp invite: unknown option --days.'],
    [['deprecations', SECRET], 'onramp deprecations: unknown command.'],
    [['deprecations', '--jsn'], 'onramp deprecations list: unknown option --jsn; did you mean --json?'],
  ])('a command that there is not: %j', async (args, words) => {
    expect(await refusal(args, 2)).toContain(words)
  })
})

describe('the value of an option', () => {
  const flags: [string, number][] = [
    ['invite link --json', 2],
    ['invite send --dry-run', 2],
    ['invite report --csv', 2],
    ['doctor --offline', 2],
    ['status --json', 2],
    ['deprecations list --csv', 2],
    ['deprecations check --ignore-broken', 1],
    ['deprecations diff --json', 2],
  ]
  it.each(flags)('is refused where there is none: %s', async (line, exit) => {
    const [option, ...path] = line.split(' ').toReversed()
    const given = `${option}=${SECRET}`
    expect(await refusal([...path.toReversed(), given], exit)).toContain(`${option} doesn't accept a value`)
  })

  const texts: [string, number][] = [
    ['invite link --days', 2],
    ['invite send --campaign', 2],
    ['doctor --as', 2],
    ['status --timeout', 2],
    ['deprecations list --as-of', 2],
    ['deprecations check --report', 1],
    ['deprecations calendar --within', 2],
  ]
  it.each(texts)('may not be missing or empty: %s', async (line, exit) => {
    const args = line.split(' ')
    const option = args.at(-1)
    for (const given of [args, [...args, ''], [...args, '--json'], [...args, `-${SECRET}`]])
      expect(await refusal(given, exit)).toContain(`${option} requires a value`)
  })

  it.each([
    [['invite', 'link', PERSON, '--days', SECRET], '--days expects a whole number from 1 to 90'],
    [['invite', 'link', PERSON, '--days', '1.5'], '--days expects a whole number'],
    [['invite', 'link', PERSON, '--days=-1'], '--days expects a whole number'],
    [['invite', 'link', PERSON, '--datasource', `${SECRET}\n`], '--datasource expects an identifier'],
    [['invite', 'send', '-', '--on-invalid', 'skp'], '--on-invalid expects stop or skip; did you mean skip?'],
    [['invite', 'send', SECRET], 'file not found'],
    [['doctor', '--as', SECRET], '--as expects an email address'],
    [
      ['invite', 'send', 'people.csv', '--remind-after', '0'],
      '--remind-after expects a whole number from 1 to 365. See onramp invite send --help.',
    ],
    [['status', '--timeout', '1e1'], '--timeout expects a whole number from 1 to 120'],
    [['status', SECRET], 'must be an email address'],
    [['deprecations', 'list', '--as-of', SECRET], '--as-of expects a date'],
    [['deprecations', 'list', '--within', SECRET], '--within expects a whole number from 0'],
    [['deprecations', 'calendar', '--api', SECRET], '--api expects client or indexing.'],
    [['deprecations', 'schema', SECRET], 'the name expects schedule or waivers.'],
  ])('that makes no sense is not repeated: %j', async (args, words) => {
    expect(await refusal(args, 2)).toContain(words)
  })

  it.each([
    [['--input', SECRET], '--input expects har, ndjson, openapi, or log'],
    [['--report', SECRET], '--report expects a kind and a file'],
    [['--report', `${SECRET}=file`], '--report expects text, json, sarif, junit, or annotations'],
  ])('is not repeated by deprecations check either: %j', async (args, words) => {
    expect(await refusal(['deprecations', 'check', ...args, '-'], 1)).toContain(words)
  })
})

it.each([
  [['invite', 'link'], 'expected one email address'],
  [['invite', 'send'], 'expected one list'],
  [['deprecations', 'diff'], 'OLD NEW'],
])('an argument that is missing is asked for: %j', async (args, words) => {
  expect(await refusal(args, 2)).toContain(words)
})

describe('settings that need to be fixed', () => {
  it('are told in one line when there is one, and all at once when there are more', async () => {
    const one = await runCommand(['status', PERSON], {})
    expect(one).toMatchObject({ exit: 78, out: '' })
    expect(one.err).toMatch(/^onramp status: SERVICE_BASE_URL [^\n]+\.\n$/)
    for (const args of [['link', PERSON], ['send', '-'], ['report']]) {
      const { exit, out, err } = await runCommand(['invite', ...args], {})
      expect([exit, out]).toEqual([78, ''])
      expect(err).toMatch(
        /^onramp invite [a-z]+: 4 settings need to be fixed:\n( {2}- [A-Z_]+ is required: .+\n){4}$/,
      )
    }
  })

  it('are also those that only sending needs', async () => {
    const env = {
      PUBLIC_URL: 'https://onramp.acme.test',
      SERVICE_BASE_URL: 'https://acme.test',
      OIDC_ISSUER: 'https://acme.test',
      SESSION_SECRET: 'a-secret-of-more-than-32-characters-0',
    }
    const { exit, err } = await runCommand(['invite', 'send', '-'], env)
    expect(exit).toBe(78)
    for (const name of ['SERVICE_GLOBAL_TOKEN', 'SMTP_URL', 'MAIL_FROM'])
      expect(err).toContain(`- ${name} is required for this command: `)
    const dry = await runCommand(['invite', 'send', '-', '--dry-run'], env)
    expect(dry.err).toMatch(
      /^onramp invite send: SERVICE_GLOBAL_TOKEN is required for this command: [^\n]+\n$/,
    )
  })
})
