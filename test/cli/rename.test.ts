// onramp person rename: the output for the operator, and the records.
import { userInfo } from 'node:os'
import { expect, it } from 'vitest'
import { withMilestone } from '../../src/people/person.ts'
import { runCommand } from './run-command.ts'
import { useStoredPeople } from './stored-people.ts'

const [ada, lovelace, bob, eve] = ['ada', 'lovelace', 'bob', 'eve'].map((name) => `${name}@acme.example`) as [
  string,
  string,
  string,
  string,
]

const { env, withPeople } = useStoredPeople()
const store = (...emails: string[]) =>
  withPeople(async (people) => {
    for (const email of emails) await people.change(email, (before) => withMilestone(before, 'optedOutAt', 1))
  })
const idOf = async (email: string) => (await runCommand(['audit-id', email], env)).out.trim()
const rename = (...args: string[]) => runCommand(['person', 'rename', ...args], env)

it('a rename is audited and recorded', async () => {
  await store(ada)
  const { exit, out, err } = await rename('Ada@acme.example', lovelace)
  expect({ exit, out }).toEqual({ exit: 0, out: `${ada}: is ${lovelace} now\n` })

  const by = userInfo().username
  expect(JSON.parse(err)).toMatchObject({
    audit: 'renamed',
    result: 'done',
    emailId: await idOf(lovelace),
    formerEmailId: await idOf(ada),
    operator: by,
  })
  expect(err).not.toContain('@')

  const person = await withPeople((people) => people.get(lovelace))
  expect(person).toMatchObject({ optedOutAt: 1, actions: [{ what: 'renamed', by }] })
})

it('commands about a former address follow a rename', async () => {
  await store(ada)
  await rename(ada, lovelace)
  expect(await rename(ada, lovelace)).toMatchObject({
    exit: 0,
    out: `${ada}: unchanged: is ${lovelace} already\n`,
    err: '',
  })
  expect((await runCommand(['opt-out', ada], env)).out).toContain(`${lovelace}: unchanged`)
  expect((await runCommand(['invite', 'forget', ada], env)).out).toBe(`Deleted all data for ${lovelace}\n`)
})

it('a second rename by the former address finds the person, with the opt-out', async () => {
  await store(ada)
  await rename(ada, lovelace)
  expect(await rename(ada, eve)).toMatchObject({ exit: 0, out: `${lovelace}: is ${eve} now\n` })
  const [former, person] = await withPeople((people) => Promise.all([people.get(ada), people.get(eve)]))
  expect(former).toBeUndefined()
  expect(person?.optedOutAt).toBe(1)
  // The address belongs to someone else now.
  await store(ada)
  expect(await rename(ada, bob)).toMatchObject({ exit: 0, out: `${ada}: is ${bob} now\n` })
})

it('a file of renames is applied in any order, and each refused line is named', async () => {
  await store(ada, bob, eve)
  const lines = [
    'old,new',
    `${ada},${bob}`,
    `${bob},${lovelace}`,
    `${eve},${ada}`,
    `${eve},x`,
    `no@acme.example,${eve}`,
  ]
  const input = { input: lines.join('\n') }

  const { exit, out, err } = await runCommand(['person', 'rename', '--file', '-'], env, input)

  expect(exit).toBe(1)
  expect(out.split('\n')).toEqual([
    `${bob}: is ${lovelace} now`,
    `${ada}: is ${bob} now`,
    `${eve}: is ${ada} now`,
    '',
  ])
  expect(err.split('\n').filter((line) => line.startsWith('line'))).toEqual([
    `line 5: expects two addresses, the former and the new one: "${eve}", "x"`,
    'line 6: no@acme.example: unchanged: there is no data for this address',
  ])
})

it('exchanged addresses are refused, and both people keep their data', async () => {
  await store(ada, bob)
  const input = { input: `${ada},${bob}\n${bob},${ada}\n` }
  const { exit, out, err } = await runCommand(['person', 'rename', '--file', '-'], env, input)
  expect({ exit, out }).toEqual({ exit: 1, out: '' })
  expect(err.match(/^line \d: .* never become one.* use a third one\)$/gm)).toHaveLength(2)
  expect((await rename(ada, bob)).err).toMatch(
    /use a third one\), or if it is the same .*, and any opt-out with it: .* invite forget/,
  )
  const stored = await withPeople((people) => Promise.all([people.get(ada), people.get(bob)]))
  expect(stored).toMatchObject([ada, bob].map((email) => ({ email, optedOutAt: 1 })))
  expect(stored.map((person) => person?.formerEmails)).toEqual([undefined, undefined])
})

it.each([
  ['one address', [ada]],
  ['a file beside addresses', [ada, lovelace, '--file', 'x.csv']],
])('a rename of %s is wrong usage', async (_title, args) => {
  expect(await rename(...args)).toMatchObject({ exit: 2 })
})

it.each([
  ['', 2, 'the file is empty'],
  ['old,new\n', 0, ''],
])('a file of renames without addresses, %j, exits with %i', async (input, expected, words) => {
  const { exit, err } = await runCommand(['person', 'rename', '--file', '-'], env, { input })
  expect(exit).toBe(expected)
  expect(err).toContain(words)
})
