// How a list begins says what it is, in however many pieces it comes.
import { expect, it } from 'vitest'
import { readPeople } from '../../src/campaigns/people-file.ts'

async function read(...pieces: (string | Uint8Array)[]): Promise<string[]> {
  const told: string[] = []
  try {
    for await (const row of readPeople(inPieces(pieces)))
      told.push(`${row.line} ${row.kind === 'person' ? row.person.email : row.fault}`)
  } catch (error) {
    // Which rows came before depends on the pieces.
    return [`${(error as Error).name}: ${(error as Error).message}`]
  }
  return told
}

async function* inPieces(pieces: (string | Uint8Array)[]) {
  for (const piece of pieces) yield await Promise.resolve(piece)
}

const ada = 'ada@acme.example'
const UTF_16 = 'UnreadablePeople: the file is UTF-16 ("Unicode text" in Excel). Save it as "CSV UTF-8"'
const UTF_8 = 'UnreadablePeople: the file is not UTF-8. Save it as "CSV UTF-8"'
const ARRAY =
  'UnreadablePeople: the list is a JSON array. Convert it to one object per line (NDJSON) with `jq -c .[]`'
const bytes = (...all: number[]) => Buffer.from(all)

it.each<[string, (string | Uint8Array)[], string[]]>([
  ['nothing', [], []],
  ['nothing but empty pieces', ['', ''], []],
  ['an address', [ada], [`1 ${ada}`]],
  [
    'an address behind empty lines, in pieces',
    ['\n', ' \n', 'ada@', 'acme.example\n', 'bob@acme.example'],
    [`3 ${ada}`, '4 bob@acme.example'],
  ],
  [
    'rows of which some are empty',
    ['email,name\n , \nx,\n," "\n', `${ada},\n`],
    ['3 "x" is not a valid email address', `5 ${ada}`],
  ],
  ['an object', [`{"email":"${ada}"}\n\n{"email":7}`], [`1 ${ada}`, '3 missing email address']],
  [
    'an object behind spaces, in pieces',
    ['\n  ', '{', `"email":"${ada}"}\n`, '{}\n'],
    [`2 ${ada}`, '3 missing email address'],
  ],
  ['an array of objects', [`[{"email":"${ada}"}]`], [ARRAY]],
  ['an array of addresses, behind spaces', [` [\n "${ada}"]`], [ARRAY]],
  ['an array of arrays', [`[ ["${ada}"]]`], [ARRAY]],
  ['an array behind an empty line, in pieces', ['\n[', `{"email":"${ada}"}]\n`], [ARRAY]],
  ['a bracket that begins no array', [`[email],email\nx,${ada}\n`], [`2 ${ada}`]],
  ['a brace further on', [`a {,email\nx,${ada}\n`], [`2 ${ada}`]],
  ['an array further on', [`a ["],email\nx,${ada}\n`], [`2 ${ada}`]],
  ['the mark of UTF-16', [bytes(0xff, 0xfe, 0x61, 0x62)], [UTF_16]],
  ['its other mark', [bytes(0xfe, 0xff, 0x61, 0x62)], [UTF_16]],
  ['a zero among its first 64 bytes', ['x'.repeat(63) + '\0\n'], [UTF_16]],
  [
    'a zero in a further piece',
    [`${ada}\n`, 'b\0b@acme.example\n'],
    [`1 ${ada}`, '2 "b?b@acme.example" is not a valid email address'],
  ],
  ['what is not UTF-8', [bytes(0xe9, 0x0a)], [UTF_8]],
  ['what is not UTF-8 further on', [`${ada}\n`, bytes(0xe9, 0x0a)], [UTF_8]],
  [
    'a letter in two pieces',
    ['email,name\n', bytes(0x78, 0xc3), bytes(0xa9, 0x0a)],
    ['2 "xé" is not a valid email address'],
  ],
  ['half a letter', [`${ada}\n`, bytes(0xc3)], [UTF_8]],
])('a list that begins with %s is read, or refused with what to do', async (_what, pieces, told) => {
  expect(await read(...pieces)).toEqual(told)
})

it('a zero further on is a character like others', async () => {
  const [fault] = await read(`${'x'.repeat(64)}\0@acme.example,\n${ada}\n`)
  expect(fault).toMatch(/^1 "x{40}…" is not a valid email address$/)
})

it('a first line is waited for, but not for ever', async () => {
  let pieces = 0
  async function* endless() {
    for (;;) {
      pieces++
      yield await Promise.resolve('x'.repeat(8_192))
    }
  }
  await expect(readPeople(endless()).next()).rejects.toThrow('after line 0')
  expect(pieces).toBeLessThan(40)
})
