import { describe, expect, it } from 'vitest'
import { UnreadableCsv } from '../../src/people/csv.ts'
import { UnreadablePeople } from '../../src/campaigns/invitee.ts'
import { readPeople, type Row } from '../../src/campaigns/people-file.ts'

/** In pieces of so many bytes, as a pipe may hand them over. */
async function* inPieces(text: string | Uint8Array, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string | Uint8Array, size = 65_536): Promise<Row[]> {
  const rows: Row[] = []
  for await (const row of readPeople(inPieces(text, size))) rows.push(row)
  return rows
}

const told = (rows: Row[]) =>
  rows.map((row) =>
    row.kind === 'fault'
      ? `${row.line}: ${row.fault}`
      : `${row.line}: ${row.person.email} ${row.person.name ?? ''}`,
  )

describe('a list of people', () => {
  it.each([
    ['with commas', 'email,name\nada@acme.example,"Lovelace, Ada"\n'],
    ['with semicolons', 'name;e-mail\n"Lovelace, Ada";ada@acme.example\n'],
    ['with semicolons, and commas in the cells', 'name;mail\nLovelace, Ada;ada@acme.example\n'],
    ['with tabs', 'Full name\tUser principal name\nLovelace, Ada\tada@acme.example\n'],
    ['as a spreadsheet writes it', '\uFEFFE-Mail,Name\r\n ADA@acme.example , "Lovelace, Ada"\r\n'],
    ['with old line ends', 'email,name\rada@acme.example,"Lovelace, Ada"\r'],
    ['with more columns than it needs', 'id,email,floor,name\n1,ada@acme.example,7,"Lovelace, Ada"\n'],
    ['with no line end at its end', 'email,name\nada@acme.example,"Lovelace, Ada"'],
    ['of JSON lines', '\n{"name":"Lovelace, Ada","email":"ada@acme.example"}\n'],
  ])('is read %s, whole or in pieces', async (_what, text) => {
    for (const size of [65_536, 7, 1]) {
      const people = (await read(text, size)).map((row) => row.kind === 'person' && row.person)
      expect(people).toEqual([{ email: 'ada@acme.example', name: 'Lovelace, Ada' }])
    }
  })

  it.each(['department', 'Team', 'Cost center'])('takes the column %s for the group', async (header) => {
    const [row] = await read(`work e-mail;${header}\nada@acme.example;R&D\n`)
    expect(row).toMatchObject({ person: { email: 'ada@acme.example', group: 'R&D' } })
  })

  it.each(['language', 'Lang', 'LOCALE', 'preferredLanguage'])(
    'takes the column %s for the language of the email',
    async (header) => {
      const people = await read(
        `email,${header}\na@b.example,pt-br\nc@d.example,de_AT\ne@f.example, \ng@h.example,tlh\n`,
      )
      expect(people.map((row) => row.kind === 'person' && row.person.language)).toEqual([
        'pt-BR',
        'de-AT',
        undefined,
        'tlh',
      ])
    },
  )

  it.each(['German', 'x', 'de--', 'de;q=1', '"de\n"x', '☃'])(
    'has a fault in the row whose language is %j',
    async (tag) => {
      const cell = `"${tag.replaceAll('"', '""')}"`
      const rows = await read(`email,language\nada@acme.example,${cell}\nbob@acme.example,de\n`)
      expect(rows).toMatchObject([
        {
          kind: 'fault',
          line: 2,
          fault: expect.stringMatching(/ is not a language tag like en, de or pt-BR$/) as string,
        },
        { kind: 'person', person: { language: 'de' } },
      ])
    },
  )

  it('of JSON lines may name a language too', async () => {
    const rows = await read(
      '{"email":"ada@acme.example","lang":"de"}\n{"email":"bob@acme.example","lang":"Deutsch"}\n',
    )
    expect(rows).toMatchObject([{ person: { language: 'de' } }, { kind: 'fault' }])
  })

  it('is read without a header, one address a line', async () => {
    expect(told(await read('ada@acme.example\n\nbob@acme.example\n'))).toEqual([
      '1: ada@acme.example ',
      '3: bob@acme.example ',
    ])
  })

  it('says of every row where it begins', async () => {
    const text = 'email,name\nada@acme.example,"A\nda"\n\nnobody,\n"bob@acme.example","Bob"\n'
    expect(told(await read(text))).toEqual([
      '2: the name contains a line break or a control character',
      '5: "nobody" is not a valid email address',
      '6: bob@acme.example Bob',
    ])
  })

  it('takes the column that is called email, whatever others are about emails', async () => {
    const rows = await read('Manager Email,email,Work Email\nbob@acme.example,ada@acme.example,x\n')
    expect(told(rows)).toEqual(['2: ada@acme.example '])
  })

  it.each(['UserPrincipalName,mail', 'upn,E-mail'])(
    'takes the address, not the name to sign in: %s',
    async (names) => {
      expect(told(await read(`${names}\nada@corp.local,ada@acme.example\n`))).toEqual([
        '2: ada@acme.example ',
      ])
    },
  )

  it('of JSON lines says of each with two addresses which two', async () => {
    const rows = await read('{"work email":"ada@acme.example","manager email":"bob@acme.example"}\n')
    expect(told(rows)).toEqual([
      '1: which column has the addresses, "work email" or "manager email"? Rename it to "email", and the others to something else',
    ])
  })

  it('holds rows that end differently', async () => {
    expect(told(await read('email\r\nada@acme.example\nbob@acme.example\r\n'))).toEqual([
      '2: ada@acme.example ',
      '3: bob@acme.example ',
    ])
  })

  it('of JSON lines says what is wrong with each', async () => {
    const text =
      '{"email":"ada@acme.example"}\n"bob@acme.example"\n7\n{"email":\n{"mail":"x"}\n{"name":"y"}\n'
    expect(told(await read(text))).toEqual([
      '1: ada@acme.example ',
      '2: bob@acme.example ',
      '3: neither an object nor an address',
      '4: not valid JSON',
      '5: "x" is not a valid email address',
      '6: missing email address',
    ])
  })

  it('is nobody when it is empty, or a header alone', async () => {
    expect(await read('')).toEqual([])
    expect(await read('email,name\n')).toEqual([])
  })

  it.each([
    ['another encoding', Buffer.from('email\nada@acme.example\n', 'utf16le'), 'UTF-16'],
    ['another encoding with a mark', Buffer.from('\uFEFFemail\n', 'utf16le'), 'UTF-16'],
    ['Latin-1', Buffer.from('email,name\nada@acme.example,Jos\u00e9\n', 'latin1'), 'not UTF-8'],
    ['half a character at its end', Buffer.from('email,name\nada@acme.example,é').subarray(0, -1), 'UTF-8'],
    ['no column of addresses', Buffer.from('id,person\n7,Ada\n'), 'no email address: "id", "person"'],
    [
      'two columns that may hold the address',
      Buffer.from('Manager Email,Work Email\nada@acme.example,bob@acme.example\n'),
      'which column has the addresses, "Manager Email" or "Work Email"? Rename it to "email"',
    ],
    [
      'two columns that are called like the address',
      Buffer.from('E-mail,email\nada@acme.example,bob@acme.example\n'),
      'which column has the addresses, "E-mail" or "email"? Rename it to "email", and the others',
    ],
    [
      'two addresses in its first row, and no header',
      Buffer.from('bob@acme.example,ada@acme.example\n'),
      'which column has the addresses, "bob@acme.example" or "ada@acme.example"? Add a first line that calls',
    ],
    ['one array of JSON', Buffer.from('[\n {"email":"ada@acme.example"}]'), 'NDJSON'],
  ])('is refused for %s, with what to do', async (_what, bytes, message) => {
    const reading = read(bytes)
    await expect(reading).rejects.toThrow(UnreadablePeople)
    await expect(reading).rejects.toThrow(message)
  })

  it('is refused when a quote swallows its rest, with the line after which it does', async () => {
    const text = `email,name\nada@acme.example,Ada\nbob@acme.example,"Bob\n${'eve@acme.example,Eve\n'.repeat(20)}`
    const reading = read(text)
    await expect(reading).rejects.toThrow(UnreadableCsv)
    await expect(reading).rejects.toThrow('after line 2: an unclosed quote')
    await expect(read(`email\n${'x'.repeat(70_000)}\n`)).rejects.toThrow('after line 1')
  })
})
