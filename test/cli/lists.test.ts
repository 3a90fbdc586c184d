// Messages about a list: its columns, and at most twenty invalid lines.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { runCommand } from './run-command.ts'
import { REQUIRED } from '../helpers/settings-faults.ts'

const folder = useFolder()
const list = join(folder, 'people.csv')

const env = {
  ...REQUIRED,
  SERVICE_GLOBAL_TOKEN: 'global-token',
  MAIL_FROM: 'search@acme.example',
  DATA_DIR: join(folder, 'data'),
}

/** The lines of stderr of a command for a list with so many invalid lines. */
async function stderrOf(command: readonly string[], invalid: number, more = ''): Promise<string[]> {
  writeFileSync(list, `email,Phone\n${'nobody,7\n'.repeat(invalid)}${more}`)
  const { err } = await runCommand([...command, list, '--dry-run'], env)
  return err.trim().split('\n')
}

it.each([
  ['keep', ['keep'], 'onramp keep: the list has no one on it. Nothing was done.'],
  ['invite send', ['invite', 'send'], expect.stringContaining('fix these lines') as string],
])('%s names the columns, and twenty lines of an entirely invalid list', async (...given) => {
  const [, command, end] = given
  const columns = 'Columns: email. Ignored: "Phone".'
  const line = (at: number) => `line ${at}: "nobody" is not a valid email address`
  const twenty = Array.from({ length: 20 }, (_, one) => line(one + 2))
  expect(await stderrOf(command, 300)).toEqual([columns, ...twenty, '280 more lines are invalid', end])
  expect(await stderrOf(command, 20)).toEqual([columns, ...twenty, end])
})

it('keep continues with the valid lines, and names twenty invalid ones', async () => {
  const lines = await stderrOf(['keep'], 21, 'ada@acme.example,7\n')
  expect(lines.filter((line) => line.startsWith('line '))).toHaveLength(20)
  expect(lines).toContain('1 more lines are invalid')
})

it('keep reports two people with one address as it reports invalid lines', async () => {
  writeFileSync(list, 'email,id\nada@acme.example,E1\nada@acme.example,E2\nbob@acme.example,E3\n')

  const { err } = await runCommand(['keep', list, '--dry-run'], env)

  expect(err).toMatch(/^ada@acme\.example is the address of "E1" and "E2", so it gets no email/m)
  expect(err).toContain('people on the list: 1')
})

it.each([
  ['ada@acme.example,1\n', 'Ignored 1 id: it is a row number.'],
  ['ada@acme.example,1\nbob@acme.example,2\n', expect.stringMatching(/^Ignored 2 ids: they are shared/)],
])('ids of %j that tell no one apart are ignored', async (rows, line) => {
  writeFileSync(list, `email,id\n${rows}`)
  const { err } = await runCommand(['keep', list, '--dry-run'], env)
  expect(err.split('\n')).toContainEqual(line)
})

it.each([
  ['keep', ['keep', list, '--dry-run']],
  ['person rename', ['person', 'rename', 'a@acme.example']],
  ['an invalid option', ['keep', list, '--pause-until', 'x']],
])('a message is as wide as the terminal, and one line elsewhere: %s', async (_title, args) => {
  writeFileSync(list, `email,Phone\nada@acme.example,7\n${'x'.repeat(90)},8\n`)
  const outputOf = async (terminal = {}) => {
    const { err } = await runCommand(args, env, { input: '', ...terminal })
    return err.trimEnd().split('\n')
  }
  const [lines, whole] = [await outputOf({ isTTY: true, columns: 80 }), await outputOf()]
  expect(lines.filter((line) => line.length > 80 && line.includes(' '))).toEqual([])
  expect(lines.join(' ').split(/\s+/)).toEqual(whole.join(' ').split(/\s+/))
})
