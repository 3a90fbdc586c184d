// Options of commands for commander. Messages never repeat a value, which may be a pasted token.
import { Option } from '@commander-js/extra-typings'
import { distance } from 'fastest-levenshtein'
import { printable } from './printable.ts'

/** Wrong usage. The message has the correction. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** An unusable input file: `FILE:LINE: fault; advice`. Never quotes its content, because traffic has tokens. */
export class InputFault extends Error {
  override name = 'InputFault'

  constructor(file: string, line: number | undefined, fault: string, cause?: unknown) {
    super(printable(`${line === undefined ? file : `${file}:${line}`}: ${fault}`), { cause })
  }
}

/** @returns undefined if no word is close */
export const nearestWord = (word: string, words: readonly string[]): string | undefined => {
  const awayFrom = (known: string) => (known.startsWith(word) && word.length > 2 ? 0 : distance(word, known))
  const [best] = words.toSorted((a, b) => awayFrom(a) - awayFrom(b))
  return best !== undefined && awayFrom(best) <= Math.max(1, word.length / 3) ? best : undefined
}

const either = new Intl.ListFormat('en', { type: 'disjunction' })

/** @param option the option's name, such as `--api` @throws {UsageError} */
export function parseChoice<W extends string>(option: string, text: string, words: readonly W[]): W {
  const word = words.find((known) => known === text)
  if (word !== undefined) return word
  const nearest = nearestWord(text, words)
  const question = nearest === undefined ? '' : `; did you mean ${nearest}?`
  throw new UsageError(`${option} expects ${either.format(words)}${question}`)
}

const nameIn = (flags: string) => flags.replace(/ .*/, '')

/** @throws {UsageError} if the value is missing: commander then uses the next option as the value */
function present(value: string, name: string): string {
  if (value === '' || /^-./.test(value)) throw new UsageError(`${name} requires a value`)
  return value
}

/** @param read throws {@link UsageError} for an invalid value */
export const valueOption = <F extends string, T>(
  flags: F,
  description: string,
  read: (value: string, name: string) => T,
) => new Option(flags, description).argParser((value) => read(present(value, nameIn(flags)), nameIn(flags)))

export const textOption = <F extends string>(flags: F, description: string) =>
  valueOption(flags, description, (value) => value)

/** `--datasource <ID>`, any number of times. @param check throws {@link UsageError} */
export const listOption = <F extends string>(
  flags: F,
  description: string,
  check: (values: readonly string[]) => void = () => {},
) =>
  new Option(flags, `${description} (repeatable)`).argParser((value, before: string[] | undefined = []) => {
    const values = [...before, present(value, nameIn(flags))]
    check(values)
    return values
  })

/** Larger limits only catch typing errors, so the help omits them. */
const LARGE = 50_000

/** `--days <N>`, within a range. */
export const numberOption = <F extends string>(
  flags: F,
  description: string,
  [min, max]: readonly [number, number],
) =>
  valueOption(flags, max < LARGE ? `${description}, ${min} to ${max}` : description, (value, name) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN
    if (number >= min && number <= max) return number
    throw new UsageError(`${name} expects a whole number from ${min} to ${max}`)
  })

/** `--on-invalid <WHAT>`: one of a few words. */
export const choiceOption = <F extends string, W extends string>(
  flags: F,
  description: string,
  words: readonly W[],
) =>
  valueOption(flags, `${description}: ${either.format(words)}`, (value, name) =>
    parseChoice(name, value, words),
  )
