// Arguments of every command. An error is one line that quotes only names of commands and options, because a value may
// be a pasted token.
import { Command } from '@commander-js/extra-typings'
import { describe, expect, it } from 'vitest'
import { onramp } from '../../src/cli/commands.ts'
import { VERSION } from '../../src/version.ts'
import { runCommand } from './run-command.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

type Called = { path: string[]; isGroup: boolean }
type Tree = { name: () => string; commands: readonly Tree[] }

const program = new Command()
onramp(program, { ...process, stdin: process.stdin, now: Date.now }, () => Promise.resolve())

const calledBelow = ({ commands }: Tree, above: string[] = []): Called[] =>
  commands.flatMap((command) => {
    const path = [...above, command.name()]
    return [{ path, isGroup: command.commands.length > 0 }, ...calledBelow(command, path)]
  })

const commands = calledBelow(program as Tree).map((called) => [called.path.join(' '), called] as const)
const actions = commands.filter(([, { isGroup }]) => !isGroup)

const SECRET = 'Canary7e1f-9Zk'
const PERSON = 'ada@acme.example'

/** These commands exit with 2 for a finding, so wrong usage exits with 1. */
const wrongUsage = (path: readonly string[]) => (path.join(' ').startsWith('deprecations check') ? 1 : 2)

/** Expects one line on standard error that names the help, and nothing on standard output. */
async function refusal(args: string[]): Promise<string> {
  const ran = await runCommand(args, {}, {})
  expect({ exit: ran.exit, out: ran.out }).toEqual({ exit: wrongUsage(args), out: '' })
  expect(ran.err).toMatch(/^onramp[^\n]* See onramp[a-z -]* --help\.\n$/)
  expect(ran.err).not.toContain(SECRET)
  return ran.err
}

it.each(commands)(
  'help of %s is on standard output, and fits a terminal of 80 columns',
  async (name, { path }) => {
    const { exit, out, err } = await runCommand([...path, '--help'], {})
    expect({ exit, err }).toEqual({ exit: 0, err: '' })
    expect(out.startsWith(`Usage: onramp ${name}`)).toBe(true)
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    for (const args of [
      [...path, '-h'],
      [...path.slice(0, -1), 'help', ...path.slice(-1)],
    ])
      expect(await runCommand(args, {})).toEqual({ exit: 0, out, err: '' })
  },
)

it.each(actions)(
  'help of %s is printed despite other errors, and lists the exit codes',
  async (_, { path }) => {
    const { exit, out } = await runCommand([...path, '--nonsense', SECRET, '--help'], {})
    expect(exit).toBe(0)
    expect(out).toMatch(/Exit codes:[^]*usage error/)
  },
)

it('help of onramp lists every command', async () => {
  const { out } = await runCommand(['--help'], {})
  const top = commands.filter(([, { path }]) => path.length === 1)
  expect(top.filter(([name]) => !out.includes(`\n  ${name} `))).toEqual([])
})

it.each([[[]], [['invite']], [['registration']]])(
  'help of %j is on standard error if a command is missing',
  async (args) => {
    const { exit, out, err } = await runCommand(args, {})
    expect({ exit, out }).toEqual({ exit: 2, out: '' })
    expect(err).toMatch(/^Usage: onramp/)
  },
)

it('--version prints the version', async () => {
  expect(await runCommand(['--version'], {})).toMatchObject({ exit: 0, out: `${VERSION}\n` })
})

describe.each(actions)('%s', (name, { path }) => {
  it.each([
    ['--nonsense', ['--nonsense', SECRET], 'unknown option --nonsense'],
    ['--nonsense=…', [`--nonsense=${SECRET}`], 'unknown option --nonsense'],
    ['--…', [`--${SECRET}`], 'unknown option.'],
    ['-z…', [`-z${SECRET}`], 'unknown option.'],
    ['--constructor', ['--constructor'], 'unknown option --constructor'],
  ])('the unknown option %s is rejected', async (_title, given, shown) => {
    expect(await refusal([...path, ...given])).toContain(`onramp ${name}: ${shown}`)
  })
})

// Commands of deprecations, and invite bounced, accept any number of arguments.
it.each(actions.filter(([name]) => !/^(deprecations |invite bounced$)/.test(name)))(
  '%s rejects extra arguments',
  async (_title, { path }) => {
    expect(await refusal([...path, PERSON, SECRET, SECRET])).toContain('too many arguments')
    expect(await refusal([...path, '--', PERSON, SECRET, SECRET])).toContain('too many arguments')
  },
)

it.each(['invite link --json', 'doctor --offline', 'deprecations check --ignore-broken'])(
  'a flag rejects a value: %s',
  async (line) => {
    const path = line.split(' ')
    const option = path.pop() ?? ''
    const needed = line.startsWith('invite link') ? [PERSON] : []
    expect(await refusal([...path, ...needed, `${option}=${SECRET}`])).toContain(
      `${option} doesn't accept a value`,
    )
  },
)

it.each([
  'invite link --days',
  'invite link --datasource',
  'invite send --template',
  'doctor --as',
  'deprecations check --waivers',
  'deprecations calendar --within',
])('an option without its value is a usage error: %s', async (line) => {
  const args = line.split(' ')
  for (const given of [args, [...args, ''], [...args, '--json'], [...args, `-${SECRET}`]])
    expect(await refusal(given)).toContain(`${args.at(-1)} requires a value`)
})

it.each([
  [['nonsense'], 'onramp: unknown command nonsense.'],
  [[SECRET], 'onramp: unknown command.'],
  [['docter'], 'onramp: unknown command docter; did you mean doctor?'],
  [[''], 'onramp: unknown command.'],
  [['--jsno'], 'onramp: unknown option --jsno.'],
  [['deprecations', SECRET], 'onramp deprecations: unknown command.'],
  [['deprecations', 'lst'], 'onramp deprecations: unknown command; did you mean list?'],
  [['deprecations', '--jsn'], 'onramp deprecations: unknown option --jsn; did you mean --json?'],
  [['doctor', '--ofline'], 'onramp doctor: unknown option --ofline; did you mean --offline?'],
  [['backup', '-'], 'it needs a file, not standard output'],
  [['invite', 'link'], 'onramp invite link: EMAIL is missing.'],
  [['invite', 'link', PERSON, '--days', SECRET], '--days expects a whole number from 1 to 90'],
  [['invite', 'link', PERSON, '--datasource', `${SECRET}\n`], '--datasource expects an identifier'],
  [['invite', 'link', SECRET], 'EMAIL must be an email address'],
  [['invite', 'send', '-', '--on-invalid', 'skp'], '--on-invalid expects stop or skip; did you mean skip?'],
  [['invite', 'send', SECRET], 'file not found'],
  [['keep', '/'], 'expects a file, and this is a folder'],
  [['keep', '-', '--pause-until', '2027-02-30'], '--pause-until expects a day'],
  [['keep', '-', '--pause-until', '2027-01'], '--pause-until expects a day'],
  [['person', 'rename', SECRET, PERSON], 'OLD must be an email address'],
  [['person', 'rename', PERSON, SECRET], 'NEW must be an email address'],
  [['doctor', '--as', SECRET], '--as must be an email address'],
  [['status', '--timeout', '1e1'], '--timeout expects a whole number from 1 to 120'],
  [['status', SECRET], 'must be an email address'],
  [['deprecations', 'list', '--as-of', SECRET], '--as-of expects a date'],
  [['deprecations', 'calendar', '--api', SECRET], '--api expects client or indexing.'],
  [['deprecations', 'schema', SECRET], 'the name expects schedule or waivers.'],
  [['deprecations', 'check', '--input', SECRET, '-'], '--input expects har,'],
])('an invalid or missing argument is explained and not quoted: %j', async (args, words) => {
  expect(await refusal(args)).toContain(words)
})

it('one faulty setting is reported on one line, and several are listed', async () => {
  const one = await runCommand(['status', PERSON], {})
  expect(one).toMatchObject({ exit: 78, out: '' })
  expect(one.err).toMatch(/^onramp status: SERVICE_BASE_URL [^\n]+\.\n$/)
  for (const args of [['link', PERSON], ['send', '-'], ['report']]) {
    const { exit, out, err } = await runCommand(['invite', ...args], {})
    expect({ exit, out }).toEqual({ exit: 78, out: '' })
    expect(err).toMatch(
      /^onramp invite [a-z]+: 4 settings need to be fixed:\n( {2}- [A-Z_]+ is required: .+\n){4}$/,
    )
  }
})

it('faults include settings that only sending needs', async () => {
  const { exit, err } = await runCommand(['invite', 'send', '-'], REQUIRED)
  expect(exit).toBe(78)
  for (const name of ['SERVICE_GLOBAL_TOKEN', 'SMTP_URL', 'MAIL_FROM'])
    expect(err).toContain(`- ${name} is required for this command: `)
  const dry = await runCommand(['invite', 'send', '-', '--dry-run'], REQUIRED)
  expect(dry.err).toMatch(/^onramp invite send: SERVICE_GLOBAL_TOKEN is required for this command: [^\n]+\n$/)
})
