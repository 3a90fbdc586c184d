// Lists of people from spreadsheets and directories: recognized columns, and errors.
import { expect, it } from 'vitest'
import { UnreadableList } from '../../src/campaigns/people-columns.ts'
import { toArray } from '../helpers/people.ts'
import { readPeopleList, type ListEntry } from '../../src/campaigns/people-file.ts'

/** The text in chunks of so many bytes, like from a pipe. */
async function* inPieces(text: string | Uint8Array, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const rowsOf = (text: string | Uint8Array, size = 65_536) => toArray(readPeopleList(inPieces(text, size)))

/** Each row by its line: the person's address and name, or the fault. */
const read = async (text: string | Uint8Array, size?: number) =>
  (await rowsOf(text, size)).map((row) =>
    `${row.line} ${row.kind === 'fault' ? row.fault : `${row.person.email} ${row.person.name ?? ''}`}`.trim(),
  )

const people = async (text: string) =>
  (await rowsOf(text)).map((row) => (row.kind === 'fault' ? row.fault : row.person))

const ada = 'ada@acme.example'

it.each([
  ['with commas', 'email,name\nada@acme.example,"Lovelace, Ada"\n'],
  ['with semicolons, and commas in the cells', 'name;mail\nLovelace, Ada;ada@acme.example\n'],
  ['with tabs', 'Full name\tUser principal name\nLovelace, Ada\tada@acme.example\n'],
  ['as a spreadsheet writes it', '\uFEFFE-Mail,Name\r\n ADA@acme.example , "Lovelace, Ada"\r\n'],
  ['with old line ends', 'email,name\rada@acme.example,"Lovelace, Ada"\r'],
  ['with more columns than it needs', 'badge,email,floor,name\n1,ada@acme.example,7,"Lovelace, Ada"\n'],
  ['with no line end at its end', 'email,name\nada@acme.example,"Lovelace, Ada"'],
  ['of JSON lines', '\n{"name":"Lovelace, Ada","email":"ada@acme.example"}\n'],
])('a list %s is read, whole or in pieces', async (_title, text) => {
  for (const size of [65_536, 7, 1]) {
    const found = (await rowsOf(text, size)).map((row) => row.kind === 'person' && row.person)
    expect(found).toEqual([{ email: ada, name: 'Lovelace, Ada' }])
  }
})

it('numbers of JSON lines count in every column, as in a CSV', async () => {
  expect(await people('{"email":"ada@acme.example","id":77,"group":4711,"name":7}\n')).toEqual([
    { email: ada, id: '77', group: '4711', name: '7' },
  ])
})

it('a list without a header has one address per line, in any cell', async () => {
  expect(await read('ada@acme.example\n\nbob@acme.example\n')).toEqual([`1 ${ada}`, '3 bob@acme.example'])
  expect(await people('7,ada@acme.example\n')).toEqual([{ email: ada }])
})

it('a row that spans lines is named by its first line', async () => {
  const text = 'email,name\nada@acme.example,"A\nda"\n , \nnobody,\n"bob@acme.example","Bob"\r\n'
  expect(await read(text)).toEqual([
    '2 the name contains a line break or a control character',
    '5 "nobody" is not a valid email address',
    '6 bob@acme.example Bob',
  ])
})

it('a row with more cells than the header is invalid', async () => {
  const text = `email,name\nada@acme.example,Lovelace, Ada\n${ada},Ada,\n${ada},Ada\n${ada}\n`
  expect(await read(text)).toEqual([
    '2 3 cells, and the header has 2: quote cells with commas',
    '3 3 cells, and the header has 2: quote cells with commas',
    `4 ${ada} Ada`,
    `5 ${ada}`,
  ])
})

it.each([
  ['E-Mail,Full name,Dept', 'Columns: email ("E-Mail"), name ("Full name"), group ("Dept"). Ignored: none.'],
  ['id,mail,user.id', 'Columns: email ("mail"), id. Ignored: "user.id".'],
  ...['Object Id', 'objectId', 'employeeId', 'Employee ID', 'Worker ID', 'employeeNumber', 'user.id'].map(
    (id) => [`mail,${id}`, `Columns: email ("mail"), id ("${id}"). Ignored: none.`],
  ),
  ['mail,number,guid,paid', 'Columns: email ("mail"). Ignored: "number", "guid", "paid".'],
  ['Phone,mail,City', 'Columns: email ("mail"). Ignored: "Phone", "City".'],
  [
    `email,${Array.from({ length: 12 }, (_, one) => `c${one}`).join()}`,
    expect.stringMatching(/^Columns: email\. Ignored: "c0", .*"c9", 2 more\.$/) as string,
  ],
  ['7,ada@acme.example', 'No header: the addresses are in column 2.'],
])('a list that begins with %s notes its columns once', async (line, words) => {
  const output: string[] = []
  const list = inPieces(`${line}\n${ada}\n${ada}\n`, 9)
  await toArray(readPeopleList(list, (notified) => output.push(notified)))
  expect(output).toEqual([words])
})

it('each invalid JSON line is reported with its fault', async () => {
  const lines = [
    `{"email":"${ada}"}`,
    '"bob@acme.example"',
    '7',
    '{"email":',
    '{"mail":"x"}',
    '{"name":"y"}',
    '{"work email":"ada@acme.example","manager email":"bob@acme.example"}',
    '{"email":7}',
  ]

  expect(await read(lines.join('\n'))).toEqual([
    `1 ${ada}`,
    '2 bob@acme.example',
    '3 neither an object nor an address',
    '4 not valid JSON',
    '5 "x" is not a valid email address',
    '6 missing email address',
    '7 which column has the addresses, "work email" or "manager email"? Rename it to "email", and the others to something else',
    '8 "7" is not a valid email address',
  ])
})

const bytes = (...all: number[]) => Buffer.from(all)
it.each([
  ['UTF-16', Buffer.from('email\nada@acme.example\n', 'utf16le'), 'UTF-16 ("Unicode text" in Excel)'],
  ['UTF-16 with a mark', bytes(0xff, 0xfe, 0x61, 0x62), 'UTF-16'],
  ['UTF-16 with the other mark', bytes(0xfe, 0xff, 0x61, 0x62), 'UTF-16'],
  ['an Excel workbook', Buffer.from('PK\u0003\u0004\u0014\u0000\u0006'), 'an Excel workbook'],
  ['an older workbook', bytes(0xd0, 0xcf, 0x11, 0xe0, 0, 0, 0, 0), 'an Excel workbook'],
  ['a NUL', Buffer.from('email\nada@acme.example\u0000\n'), 'NUL characters'],
  ['Latin-1', Buffer.from('email\nada@acme.example,\u00e9\n', 'latin1'), 'UTF-8. Save it as "CSV UTF-8"'],
  ['half a character at its end', Buffer.from('email,name\nada@acme.example,é').subarray(0, -1), 'UTF-8'],
  ['no column of addresses', Buffer.from('id,person\n7,Ada\n'), 'no email address: "id", "person"'],
  ['an array of JSON that is cut off', Buffer.from('\n[\n {"email":"a'), 'NDJSON) with `jq -c .[]`'],
])('a list is refused for %s, with advice', async (_title, content, message) => {
  for (const size of [65_536, 100]) {
    await expect(rowsOf(content, size)).rejects.toThrow(UnreadableList)
    await expect(rowsOf(content, size)).rejects.toThrow(message)
  }
})

it('a list with an unclosed quote is refused, with the line before it', async () => {
  const text = `email,name\nada@acme.example,Ada\nbob@acme.example,"Bob\n${'eve@acme.example,Eve\n'.repeat(20)}`
  await expect(rowsOf(text)).rejects.toThrow(expect.objectContaining({ name: 'UnreadableCsv' }))
  await expect(rowsOf(text)).rejects.toThrow('after line 2: an unclosed quote')
  await expect(rowsOf(`email\n${'x'.repeat(70_000)}\n`)).rejects.toThrow('after line 1')
})

/** The column that is read as the address, or the refusal. */
async function addressAmong(...names: string[]): Promise<string | undefined> {
  const cells = names.map((_name, n) => `p${n}@acme.example`)
  try {
    const [row] = await rowsOf(`${names.join(',')}\n${cells.join(',')}\n`)
    return row?.kind === 'person' ? names[cells.indexOf(row.person.email)] : row?.fault
  } catch (error) {
    return (error as Error).message
  }
}

const NONE = expect.stringContaining('no "email" column') as string
// prettier-ignore
it.each<[others: string[], names: string[], taken?: string]>([
  [['mail', 'upn', 'work email'], ['email', 'E-Mail', 'Email Address', 'email_address', 'emailaddress']],
  [['upn', 'work email'], ['Mail']],
  [['work email'], ['UPN', 'User Principal Name', 'userPrincipalName']],
  [['id'], ['work email', 'Work E-Mail', 'email (work)', 'E-Mail_2']],
  [['name'], ['remail', 'emails', 'hotmail', 'email2', 'xupn', 'User Name'], NONE],
])('beside the columns %j the addresses are in the one called %j', async (others, names, taken) => {
  for (const name of names) expect(await addressAmong(...others, name)).toEqual(taken ?? name)
})

it('a list with several columns of addresses is refused: one may be the manager’s', async () => {
  expect(await addressAmong('E-mail', 'email')).toBe(
    'which column has the addresses, "E-mail" or "email"? Rename it to "email", and the others to something else',
  )
  expect(await addressAmong('Manager Email', 'Work Email')).toContain('"Manager Email" or "Work Email"?')
  await expect(rowsOf('bob@acme.example,ada@acme.example\n')).rejects.toThrow(
    'which column has the addresses, "bob@acme.example" or "ada@acme.example"? Add a first line that calls it "email"',
  )
})

it('a message quotes columns briefly and safely', async () => {
  const message = await addressAmong(` \u0007${'x'.repeat(39)} `, 'y'.repeat(41))
  expect(message).toMatch(/: "[?]x{39}", "y{40}…"$/)
  const many = Array.from({ length: 11 }, (_, n) => `c${n}`)
  expect(await addressAmong(...many)).toMatch(/"c9", 1 more$/)
})

it.each<[keyof ListEntry | 'nothing', names: string[], value: string]>([
  ['name', ['name', 'Full name', 'display-name', 'firstname', 'Given Name'], 'Ada'],
  ['group', ['group', 'Department', 'dept', 'team', 'office', 'cost center', 'CostCentre'], 'R&D'],
  ['group', ['location', 'division', 'cost_centre'], 'Berlin'],
  ['language', ['language', 'Lang', 'LOCALE', 'preferredLanguage', 'email_language'], 'de'],
  ['nothing', ['surname', 'nickname', 'groups', 'subgroup', 'languages', 'my language'], 'x'],
])('columns are read as %s by their names: %j', async (key, names, value) => {
  for (const name of names) {
    const person = { email: ada, ...(key !== 'nothing' && { [key]: value }) }
    expect([name, await people(`email,${name}\n${ada},${value}\n`)]).toEqual([name, [person]])
  }
})

it('a row that could harm an email, a terminal or a page is a fault', async () => {
  const long = 'é'.repeat(100)
  const rows: [string, unknown][] = [
    [`${ada}, Ada , R&D , de_at `, { email: ada, name: 'Ada', group: 'R&D', language: 'de-AT' }],
    [`${ada},${long},${long},`, { email: ada, name: long, group: long }],
    [`${ada},${long}x,,`, 'the name is too long'],
    [`${ada},,${long}x,`, 'the group is too long'],
    [`${ada},A\u2028da,,`, 'the name contains a line break or a control character'],
    [`${ada},,a\u202Eb,`, 'the group contains a line break or a control character'],
    [`${ada},,,zh_Hant_TW`, { email: ada, language: 'zh-Hant-TW' }],
    [`b\u0000b@acme.example,,,`, '"b?b@acme.example" is not a valid email address'],
    [',Bob,,', 'missing email address'],
  ]
  const found = await people(`email,name,group,language\n${rows.map(([row]) => row).join('\n')}\n`)
  expect(found).toEqual(rows.map(([, what]) => what))
})
