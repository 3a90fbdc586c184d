// Generators (fast-check) of hostile input: mutated valid examples, JSON with the right names and wrong values, and
// pieces repeated until an inefficient regular expression hangs.
import * as fc from 'fast-check'

/** Number of inputs for each property, and the seed. `npm run test:all` draws 300. */
export const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 50)
export const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** A parser of external text: its input and its function. */
export type Reader = { name: string; input: fc.Arbitrary<string>; read: (text: string) => unknown }

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must not: ${what}`)
}

/** Ignores the documented errors of a parser, by their names. */
export async function refusing(names: readonly string[], work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Error && names.includes(error.name))) throw error
  }
}

export const words = (text: string): string[] => text.trim().split(/\s+/)

/** Characters with a special meaning in some format. */
const special = fc.constantFrom(
  ...'\0 \t \r \n \r\n " \' ` \\ / // ? # % %00 %2e %zz & ; , = : . .. - _ ~ @ + < > { } [ ]'.split(' '),
  ...'( ) ${} {{ \u202e \ufeff \ud800 \uffff é 日本 🙂'.split(' '),
  ' ',
)

const word = fc.constantFrom(
  ...words(`__proto__ constructor prototype toString null undefined NaN Infinity -1 0 1e999 9007199254740993 true
    http://127.0.0.1/ javascript:alert(1) //evil.example \\\\evil.example data:, file:///etc/passwd`),
  'x'.repeat(300),
)

/** Any character but halves of surrogate pairs. fast-check's own `binary` takes a second to build. */
export const character = fc
  .integer({ min: 0, max: 0x10_f7ff })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800))

const piece = fc.oneof(special, word, fc.string({ unit: character, maxLength: 8 }))

/** A start, something repeated thousands of times, and an end that does not fit. */
const pumped = fc
  .tuple(piece, fc.oneof(piece, fc.string({ maxLength: 4 })), fc.constantFrom(50, 2_000, 20_000), piece)
  .map(([start, middle, times, end]) => start + middle.slice(0, 12).repeat(times) + end)

const noise = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

/** An example with pieces cut out, put in, doubled, or swapped. */
export const bent = (...examples: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...examples),
      fc.array(
        fc.record({
          at: fc.double({ min: 0, max: 1, noNaN: true }),
          length: fc.nat(12),
          by: fc.oneof(piece, fc.constant(''), fc.constant(undefined)),
        }),
        { maxLength: 4 },
      ),
    )
    .map(([example, cuts]) =>
      cuts.reduce((text, { at, length, by }) => {
        const start = Math.floor(at * text.length)
        const end = start + length
        return text.slice(0, start) + (by ?? text.slice(start, end).repeat(2)) + text.slice(end)
      }, example),
    )

/** Text of every kind, mostly near to what is expected. */
export const near = (...examples: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: bent(...examples) },
    { weight: 2, arbitrary: noise },
    { weight: 1, arbitrary: pumped },
    { weight: 1, arbitrary: fc.tuple(bent(...examples), pumped).map(([one, other]) => one + other) },
  )

const odd: readonly unknown[] = [null, true, false, 0, -1, 1e308, -1e308, 2 ** 53, 8.65e15, 0.1, '', [], {}]
const scalar = fc.oneof(
  piece,
  fc.constantFrom(...odd),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** JSON whose members have these names, or others; values of any kind, at times very deep or very many. */
function jsonWith(...names: readonly string[]): fc.Arbitrary<unknown> {
  const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, word, piece)
  const { value } = fc.letrec<{ value: unknown; list: unknown; object: object }>((tie) => ({
    value: fc.oneof({ maxDepth: 5, depthSize: 'medium' }, scalar, tie('object'), tie('list')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc
      .array(fc.tuple(name, tie('value')), { maxLength: 7 })
      .map((entries) => Object.fromEntries(entries) as object),
  }))
  const nested = fc.tuple(value, fc.constantFrom(60, 3_000)).map(([one, depth]) => deep(one, depth))
  const usual = { weight: 12, arbitrary: value }
  return fc.oneof(usual, { weight: 1, arbitrary: nested }, { weight: 1, arbitrary: value.map(many) })
}

const MAX_CHARACTERS = 300_000

/** The same entry, as often as it fits. */
function many(entry: unknown): unknown {
  const { length } = JSON.stringify(entry) ?? 'null'
  return Array.from({ length: Math.min(3_000, Math.floor(MAX_CHARACTERS / length)) }, () => entry)
}

function deep(value: unknown, depth: number): unknown {
  let result = value
  for (let level = 0; level < depth; level++) result = level % 2 === 0 ? [result] : { a: result }
  return result
}

/** The same as text, at times broken. */
export const jsonTextWith = (...names: readonly string[]): fc.Arbitrary<string> =>
  jsonWith(...names).chain((value) => {
    const text = JSON.stringify(value)
    return fc.oneof({ weight: 4, arbitrary: fc.constant(text) }, { weight: 1, arbitrary: bent(text) })
  })

/** An example with some of its values replaced, and members left out, at any depth; as text. */
export const reshaped = (...examples: readonly object[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...examples),
      fc.array(fc.tuple(fc.nat(), fc.oneof(scalar, fc.constant(undefined))), { minLength: 1, maxLength: 4 }),
    )
    .map(([example, changes]) => {
      const result = structuredClone(example)
      for (const [at, value] of changes) {
        const places = placesIn(result)
        const place = places[at % places.length]
        if (place !== undefined) Reflect.set(place.holder, place.key, value)
      }
      return JSON.stringify(result)
    })

type Holder = { holder: object; key: string }

const placesIn = (value: unknown): Holder[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)])
    : []
