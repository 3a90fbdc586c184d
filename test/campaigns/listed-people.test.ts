// A row of a list matches the person with its id, or the holder of its address, and never someone else.
import { expect, it } from 'vitest'
import {
  isSuspiciouslyMany,
  ListedPeople,
  withUsableIds,
  type AddressChange,
} from '../../src/campaigns/listed-people.ts'
import { isVacated, vacatedAddress } from '../../src/people/address.ts'

// Rows and people are written as text. `ada E1 Ada`: address, id and name. `ada@gone`: the address of someone whose own
// was reassigned. `king E1 formerly ada`: a person with a former address. `ada → king`: a change of address.
const row = (text: string) => {
  const [name = '', id] = text.split(' ')
  const isGone = name.endsWith('@gone')
  return { email: isGone ? vacatedAddress(name, 'E1') : `${name}@x.example`, ...(id && { id }) }
}
const person = (text: string) => {
  const [own = '', former] = text.split(' formerly ')
  return { ...row(own), ...(former && { formerEmails: former.split(',').map((name) => row(name).email) }) }
}
const namedRow = (text: string) => ({ ...row(text), ...(text.split(' ')[2] && { name: text.split(' ')[2] }) })
const refuse = (change: AddressChange) => ({ ...change, fault: '' })
const shown = ({ email, id = '' }: { email: string; id?: string }) =>
  `${email.split('@')[0]}${isVacated(email) ? '@gone' : ''} ${id}`.trim()

const changesOf = ({ changes }: ListedPeople) =>
  changes.map(({ from, to }) => `${shown({ email: from })} → ${shown({ email: to })}`)

/** `currentIfRefused`: once the changes are refused; a reassigned address is still the former person’s. */
// prettier-ignore
type Matching = { what: string; list: string[]; known: string[]; changes: string[]; current: string[]; currentIfRefused?: string[] }
// prettier-ignore
it.each<Matching>([
  { what: 'a known address', list: ['ada E1'], known: ['ada E1'], changes: [], current: ['ada E1'] },
  { what: 'a known address without an id', list: ['ada E1'], known: ['ada'], changes: [], current: ['ada E1'] },
  { what: 'another id at a known address', list: ['ada E2'], known: ['ada E1'], changes: ['ada → ada@gone'], current: ['ada E2'], currentIfRefused: [] },
  { what: 'another id at the address of someone without an id', list: ['ada E2'], known: ['ada'], changes: [], current: ['ada E2'] },
  { what: 'a known address of someone with an id', list: ['ada'], known: ['ada E1'], changes: [], current: ['ada'] },
  { what: 'a known id back at the address it lost', list: ['ada E1'], known: ['ada@gone E1 formerly ada'], changes: ['ada@gone → ada'], current: ['ada E1'], currentIfRefused: [] },
  { what: 'a former address of an id whose own was reassigned', list: ['ada E1', 'king E2'], known: ['king E1 formerly ada'], changes: ['king → ada'], current: ['ada E1', 'king E2'], currentIfRefused: [] },
  { what: 'someone new', list: ['bob E2'], known: ['ada E1'], changes: [], current: ['bob E2'] },
  { what: 'a known id with a new address', list: ['king E1'], known: ['ada E1'], changes: ['ada → king'], current: ['king E1'], currentIfRefused: [] },
  { what: 'a new address, and another person', list: ['king E1', 'bob'], known: ['ada E1', 'bob'], changes: ['ada → king'], current: ['king E1', 'bob'], currentIfRefused: ['bob'] },
  { what: 'a former address', list: ['ada'], known: ['king formerly ada'], changes: [], current: ['king'] },
  { what: 'a former address with the id', list: ['ada E1'], known: ['king E1 formerly ada'], changes: [], current: ['king E1'] },
  { what: 'a former address of someone without an id', list: ['ada E1'], known: ['king formerly ada'], changes: [], current: ['king E1'] },
  { what: 'a former address, but another id: someone new', list: ['ada E2'], known: ['king E1 formerly ada'], changes: [], current: ['ada E2'] },
  { what: 'a former address that has a person', list: ['ada'], known: ['king formerly ada', 'ada'], changes: [], current: ['ada'] },
  { what: 'both addresses', list: ['ada', 'king'], known: ['king formerly ada'], changes: [], current: ['king'] },
  { what: 'a new address, and the former one', list: ['king E1', 'ada'], known: ['ada E1'], changes: ['ada → king'], current: ['king E1'], currentIfRefused: [] },
  { what: 'an address that is passed on', list: ['king E1', 'ada E2'], known: ['ada E1'], changes: ['ada → king'], current: ['king E1', 'ada E2'], currentIfRefused: [] },
  { what: 'two exchanged', list: ['bob E1', 'ada E2'], known: ['ada E1', 'bob E2'], changes: ['ada → bob', 'bob → ada'], current: ['bob E1', 'ada E2'], currentIfRefused: [] },
])('a list with $what is matched by id, then by address', ({ list, known, changes, current, currentIfRefused = current }) => {
  const rows = new ListedPeople(list.map(row))
  for (const one of known) rows.matchRow(person(one))
  expect(changesOf(rows)).toEqual(changes)
  expect(rows.rowsByCurrentAddress([]).map(shown)).toEqual(current)
  expect(rows.rowsByCurrentAddress(rows.changes.map(refuse)).map(shown)).toEqual(currentIfRefused)
})

// prettier-ignore
it.each<[title: string, known: string[], list: string[], changes: string[]]>([
  ['a name, and the former id nowhere', ['ada E1 Ada'], ['ada E9 Ada'], []],
  ['a name, and the former id with another one', ['ada E1 Ada'], ['ada E9 Ada', 'bob E1 Bob'], []],
  ['a name, and the former id without one', ['ada E1 Ada'], ['ada E9 Ada', 'bob E1'], []],
  ['a name, and the former id with it, too', ['ada E1 Ada'], ['ada E9 Ada', 'bob E1 Ada'], ['ada → bob']],
  ['names, and exchanged ids', ['ada E1 Ada', 'bob E2 Bob'], ['ada E2 Ada', 'bob E1 Bob'], []],
  ['one name, and exchanged ids', ['ada E1 J', 'bob E2 J'], ['ada E2 J', 'bob E1 J'], ['ada → bob', 'bob → ada']],
  ['another name, and the former id nowhere', ['ada E1 Ada'], ['ada E9 Bea'], ['ada → ada@gone']],
  ['another name, and the former id elsewhere', ['ada E1 Ada'], ['ada E9 Bea', 'bob E1 Ada'], ['ada → bob']],
  ['no names, and the former id nowhere', ['ada E1'], ['ada E9'], ['ada → ada@gone']],
  ['no names, and the former id elsewhere', ['ada E1'], ['ada E9', 'bob E1'], ['ada → bob']],
  ['no names, and exchanged ids', ['ada E1', 'bob E2'], ['ada E2', 'bob E1'], ['ada → bob', 'bob → ada']],
  ['a name of someone who had left', ['ada E1 Ada left'], ['ada E9 Ada'], []],
  ['another name than someone who had left', ['ada E1 Ada left'], ['ada E9 Bea'], ['ada → ada@gone']],
  ['another name at an address that an operator gave', ['ada E1 Ada unlisted'], ['ada E9 Bea'], []],
  ['the former id elsewhere, too', ['ada E1 Ada unlisted'], ['ada E9 Bea', 'bob E1 Ada'], ['ada → bob']],
  ['another name there, after a list without them', ['ada E1 Ada unlisted left'], ['ada E9 Bea'], []],
])('addresses with %s are matched by name, then by id', (_title, known, list, changes) => {
  const rows = new ListedPeople(list.map(namedRow))
  for (const text of known)
    rows.matchRow({
      ...namedRow(text),
      listedAt: 1,
      ...(text.includes(' unlisted') && { hasUnlistedAddress: true }),
      ...(text.endsWith(' left') && { leftAt: 2 }),
    })
  expect(changesOf(rows)).toEqual(changes)
  expect(rows.rowsByCurrentAddress([])).toHaveLength(list.length)
})

it.each([
  ['both addresses of a person', ['ada', 'king'], { current: 1, faults: [expect.stringContaining('ada@')] }],
  ['both addresses, with different ids', ['ada E2', 'king E1'], { current: 2, faults: [] }],
  ['the former address only', ['ada'], { current: 1, faults: [] }],
])('a list with %s skips an ambiguous row and reports it', (_title, list, expected) => {
  const rows = new ListedPeople(list.map(row))
  rows.matchRow(person('king E1 formerly ada'))
  expect({ current: rows.rowsByCurrentAddress([]).length, faults: rows.faults }).toEqual(expected)
})

// prettier-ignore
it.each<{ what: string; list: string[]; known: string[]; left: string[]; withoutRecord?: string[]; faultCount: number }>([
  { what: 'of someone’s former and new address', list: ['ada E1', 'king E1'], known: ['ada E1'], left: ['ada'], faultCount: 1 },
  { what: 'of two new addresses', list: ['king E1', 'queen E1'], known: ['ada E1'], left: [], faultCount: 2 },
  { what: 'of someone’s address, and of one that another person has', list: ['ada E1', 'bob E1'], known: ['ada E1', 'bob E2'], left: ['ada', 'bob'], faultCount: 0 },
  { what: 'of two people without a record', list: ['ada E1', 'bob E1'], known: [], left: ['ada', 'bob'], withoutRecord: ['ada', 'bob'], faultCount: 0 },
  { what: 'of a third address, too', list: ['ada E1', 'king E1', 'admin E1'], known: ['ada E1'], left: ['ada'], faultCount: 2 },
  { what: 'of one address twice, and of another', list: ['ada E1', 'ada E1', 'king E1'], known: ['ada E1'], left: ['ada', 'ada'], faultCount: 1 },
  { what: 'of four addresses, as a placeholder is', list: ['ada E1', 'bob E1', 'eve E1', 'joe E1'], known: ['ada E1'], left: ['ada', 'bob', 'eve', 'joe'], withoutRecord: ['bob', 'eve', 'joe'], faultCount: 0 },
  { what: 'of a new address, and of the former one on record', list: ['ada E1', 'king E1'], known: ['king E1 formerly ada'], left: ['king'], faultCount: 1 },
])('an id $what leaves out rows that may be someone’s second one', ({ list, known, left, withoutRecord = [], faultCount }) => {
  const rows = new ListedPeople(withUsableIds([...list, 'zoe E9'].map(row)).list)
  for (const one of known) expect(rows.matchRow({ ...person(one), listedAt: 1 })).toBeDefined()
  expect(rows.rowsByCurrentAddress([]).map(shown)).toEqual([...left, 'zoe E9'])
  expect(rows.faults).toHaveLength(faultCount)
  expect(rows.rowsWithoutRecord().map(shown)).toEqual([...withoutRecord, 'zoe E9'])
  expect(rows.changes).toEqual([])
})

const king = { ...row('king'), signIns: ['new'], campaigns: [] }

// prettier-ignore
it.each<[what: string, known: Parameters<ListedPeople['matchRow']>[0][], left: string[]]>([
  ['a person and a later sign-in', [person('ada E1'), king], ['ada']],
  ['a sign-in and a later person', [king, person('ada E1')], ['ada']],
  ['only a sign-in', [king], ['ada', 'king']],
  ['a person and a sign-in that was emailed', [person('ada E1'), { ...king, campaigns: [{ name: 'c', emails: [] }] }], ['ada', 'king']],
  ['a person and a sign-in that opted out', [person('ada E1'), { ...king, optedOutAt: 1 }], ['ada', 'king']],
  ['a person and a sign-in that lists had', [person('ada E1'), { ...king, listedAt: 1 }], ['ada', 'king']],
])('a shared id leaves out no known person’s address: %s', (_title, known, left) => {
  const rows = new ListedPeople(withUsableIds(['ada E1', 'king E1', 'zoe E9'].map(row)).list)
  for (const one of known) rows.matchRow(one)
  expect(rows.rowsByCurrentAddress([]).map(shown)).toEqual([...left, 'zoe E9'])
  expect(rows.faults).toHaveLength(2 - left.length)
  const emails = known.map(({ email }) => email)
  expect(rows.rowsWithoutRecord().map(({ email }) => emails.includes(email))).not.toContain(true)
})

it('a list without ids has no row for someone whose address is another person’s now', () => {
  const rows = new ListedPeople([row('ada')])
  expect(rows.matchRow(person('ada@gone E1 formerly ada'))).toBeUndefined()
  expect(rows.matchRow(person('ada E2'))).toEqual(row('ada'))
  expect(rows.rowsByCurrentAddress([]).map(shown)).toEqual(['ada'])
  expect([rows.outdated, rows.changes]).toEqual([[], []])
})

it('the next run finishes an interrupted rename', () => {
  const rows = new ListedPeople([row('king E1')])
  expect(rows.matchRow({ ...person('king E1 formerly ada'), renamingFrom: row('ada').email })).toEqual(
    row('king E1'),
  )
  expect(rows.changes).toEqual([{ from: row('ada').email, to: row('king').email }])
})

it.each<[title: string, string[], unused: number]>([
  ['usable if each is one person’s', ['ada E1', 'bob E2', 'eve'], 0],
  ['unusable if two people share one', ['ada E1', 'bob E1', 'eve E2'], 2],
  ['usable if a row is repeated', ['ada E1', 'ada E1', 'eve E2'], 0],
  ['unusable if they number the rows', ['ada 1', 'bob 2', 'eve 3'], 3],
  ['unusable if they number the rows in steps', ['ada 2', 'bob 4', 'eve 6'], 3],
  ['usable if they are numbers in unequal steps', ['ada 2', 'bob 4', 'eve 7'], 0],
  ['usable if they are numbers out of order', ['ada 2', 'bob 1', 'eve 3'], 0],
  ['usable if a row has no number', ['ada 1', 'bob 2', 'eve'], 0],
])('the ids of a list are %s', (_title, list, unused) => {
  expect(withUsableIds(list.map(row)).unused).toBe(unused)
})

it.each<[title: string, string[], faults: string[]]>([
  ['are a fault with two ids', ['ada E1', 'ada E2', 'eve E3'], ['"E1" and "E2"']],
  ['are a fault with two ids and names', ['ada E1 Ada', 'ada E2 Bob', 'eve E3'], ['"E1" and "E2"']],
  ['are one person with two ids and one name', ['ada E1 Ada', 'ada E2 Ada', 'eve E3'], []],
  ['are one person with one id', ['ada E1', 'ada E1', 'eve E3'], []],
  ['are a fault with two ids and a third row', ['ada', 'ada E1', 'ada E2'], ['"E1" and "E2"']],
  ['are one person with one id in one of them', ['ada', 'ada E1', 'eve E2'], []],
  ['are one person with row numbers for ids', ['ada 1', 'ada 2', 'eve 3'], []],
])('rows with one address %s', (_title, list, ids) => {
  const { faults, list: left } = withUsableIds(list.map(namedRow))

  expect(faults.map((fault) => /^ada@x\.example is the address of (.*), so/.exec(fault)?.[1])).toEqual(ids)
  expect(left.map(({ email }) => email).includes('ada@x.example')).toBe(ids.length === 0)
})

it.each([
  ['for three people aren’t suspicious, even if they are everyone', 3, 3, false],
  ['for four people, more than a tenth, are suspicious', 4, 39, true],
  ['for four people, a tenth, aren’t suspicious', 4, 40, false],
  ['for five people, more than a tenth, are suspicious', 5, 40, true],
])('new addresses %s', (_title, changes, people, expected) => {
  expect(
    isSuspiciouslyMany(
      Array.from({ length: changes }, () => ({ from: '', to: '' })),
      people,
    ),
  ).toBe(expected)
})
