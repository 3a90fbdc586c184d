// invite report and dry runs agree with /admin.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { summarizeAll } from '../../src/admin/person-summary.ts'
import { createReport } from '../../src/admin/report.ts'
import { crowdOf } from '../helpers/crowd.ts'
import { useFolder } from '../helpers/folder.ts'
import { runCommand } from './run-command.ts'
import { useStoredPeople } from './stored-people.ts'

const list = join(useFolder(), 'people.csv')
const NOW = Date.parse('2027-01-18T10:00:00Z')
const now = () => NOW
const { env, withPeople } = useStoredPeople({ SERVICE_GLOBAL_TOKEN: 'token' }, now)

it('a dry run shows its time and list until the first real run', async () => {
  const state = () => withPeople((_people, keepState) => keepState.load())
  writeFileSync(list, 'email\nada@acme.example\nno address\n')
  await runCommand(['keep', list, '--dry-run'], env, { now })
  expect((await state()).dryRun).toEqual({ at: NOW, people: 1, faults: 1 })
  await withPeople(async (_people, keepState) =>
    keepState.save({ ...(await keepState.load()), lastRunAt: NOW }),
  )
  await runCommand(['keep', list, '--dry-run'], env, { now: () => NOW + 1 })
  expect((await state()).dryRun?.at).toBe(NOW)
})

it('a dry run with a pause saves no pause', async () => {
  writeFileSync(list, 'email\nada@acme.example\n')
  await runCommand(['keep', list, '--dry-run', '--pause-until', '2027-02-01'], env, { now })
  const state = await withPeople((_people, keepState) => keepState.load())
  expect(state.dryRun?.at).toBe(NOW)
  expect(state.pausedUntil).toBeUndefined()
})

it.each([
  ['2027-01-18T08:59:59Z', '', '1 person leave from 9 am where they are (the first on Mon, Jan 18)'],
  ['2027-01-18T09:00:00Z', 'ada@acme.example  invitation\n', undefined],
  ['2027-01-22T15:59:59Z', 'ada@acme.example  invitation\n', undefined],
  ['2027-01-22T16:00:00Z', '', '1 person leave from 9 am where they are (the first on Mon, Jan 25)'],
])('a dry run at %s lists who gets an email now, and counts later ones', async (at, listed, later) => {
  writeFileSync(list, 'email\nada@acme.example\n')

  const { out, err } = await runCommand(['keep', list, '--dry-run', '--now', at], env, { now })

  expect(out).toBe(listed)
  expect(/Emails to (.*)\. Add --now \S+T09:00:00.000Z to list them\.\n/.exec(err)?.[1]).toBe(later)
})

it.each([
  ['has fewer people', (row: string, at: number) => (at < 3 ? row : []), '2 of the 5 .* no longer on it'],
  ['has new addresses', (row: string) => `new-${row}`, '5 of the 5 .* have another address'],
  ['has new ids', (row: string) => row.replace(',', ',X'), '5 of the 5 .* have another id'],
])('a dry run refuses a list that %s for many, as the run would', async (_title, changed, refusal) => {
  const rows = Array.from({ length: 5 }, (_, at) => `p${at}@acme.example,E${at}${at}`)
  await withPeople(async (people) => {
    for (const row of rows) {
      const [email = '', id = ''] = row.split(',')
      await people.change(email, (person) => ({ ...person, id, listedAt: NOW }))
    }
  })
  writeFileSync(list, ['email,id', ...rows.flatMap(changed)].join('\n'))

  const dryRun = await runCommand(['keep', list, '--dry-run'], env, { now })
  const narrow = await runCommand(['keep', list, '--dry-run'], env, { now, isTTY: true, columns: 80 })
  const confirmed = await runCommand(['keep', list, '--dry-run', '--confirm'], env, { now })

  expect(dryRun).toEqual({ exit: 1, out: '', err: expect.stringMatching(refusal) as string })
  expect(narrow.err.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(/"/.test(narrow.err)).toBe(narrow.err.includes('"npm run onramp -- person rename --file FILE"'))
  expect(confirmed.exit).toBe(0)
})

it('invite report and the funnel have the same counts', async () => {
  const { funnel, hadToConnect, nothing } = await withPeople(async (people) => {
    for (const person of crowdOf(60, NOW)) await people.change(person.email, () => person)
    return await createReport(summarizeAll(people.all()), NOW)
  })
  const { out } = await runCommand(['invite', 'report'], env, { now })
  const numberOf = (what: string) => Number(new RegExp(`(\\d+)  ${what}`).exec(out)?.[1])
  const stages = ['invited by email', 'opened the invitation', 'signed in', 'connected a first app']
  expect(stages.map(numberOf)).toEqual([funnel.invited, funnel.opened, funnel.signedIn, funnel.connecting])
  expect(numberOf('fully connected')).toBe(funnel.finished)
  expect(['had something', 'had nothing'].map(numberOf)).toEqual([hadToConnect, nothing])
  const json = JSON.parse((await runCommand(['invite', 'report', '--json'], env, { now })).out)
  expect(json).toMatchObject({ funnel })
  for (const name of ['lostByDay', 'newByDay']) expect(json).not.toHaveProperty(name)
})
