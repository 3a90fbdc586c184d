// How every command reads its arguments. A fault is one line that repeats no value, as a value may be a pasted token:
// of what was typed, only what looks like the name of an option is shown.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { distance } from 'fastest-levenshtein'

/** Thrown when a command is called wrongly; the message says what would be right. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The word nearest to a mistyped one; undefined when none is close. */
export const nearest = (word: string, words: readonly string[]): string | undefined => {
  const [best] = words
    .map((known) => ({ known, away: known.startsWith(word) && word.length > 2 ? 0 : distance(word, known) }))
    .sort((a, b) => a.away - b.away)
  return best !== undefined && best.away <= Math.max(1, word.length / 3) ? best.known : undefined
}

/** `; did you mean --json?`, or nothing when no word is near. */
export const hintAt = (typed: string, words: readonly string[]): string => {
  const meant = nearest(typed, words)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

const MAX_LETTERS = 20

/** Lower-case words joined by dashes, as options and commands are called; other input is not repeated. */
export const isName = (text: string): boolean => /^[a-z]+(-[a-z]+)*$/.test(text) && text.length <= MAX_LETTERS

/** @param written the whole argument: `-json` is read as `-j -s -o -n` */
function unknownOption(rawName: string, written: string, options: ParseArgsOptionsConfig): UsageError {
  const name = isName(rawName.replace(/^--?/, '')) ? ` ${rawName}` : ''
  const [typed = ''] = written.toLowerCase().split('=', 1)
  const known = Object.keys(options).map((option) => `--${option}`)
  return new UsageError(`unknown option${name}${hintAt(typed.replace(/^-*/, '--'), known)}`)
}

type GivenOption = { name: string; value?: string | undefined; inlineValue?: boolean | undefined }

function checkValue({ name, value, inlineValue }: GivenOption, type: 'boolean' | 'string'): void {
  if (type === 'boolean' && value !== undefined) throw new UsageError(`--${name} doesn't accept a value`)
  if (type === 'boolean') return
  if (value === undefined || value === '') throw new UsageError(`--${name} requires a value`)
  if (inlineValue !== true && /^-./.test(value))
    throw new UsageError(`--${name} requires a value; if it starts with a dash, write --${name}=VALUE`)
}

/**
 * Options and words, as node:util reads them. Given more than once, the last value counts, unless the option is `multiple`.
 * @param maxWords how many arguments there may be that are no options
 * @throws {UsageError} for an option that does not exist, a value too few or too many, a word too many
 */
export function readArguments<O extends ParseArgsOptionsConfig>(
  args: string[],
  options: O,
  maxWords: number,
) {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw unknownOption(token.rawName, args[token.index] ?? '', options)
    checkValue(token, option.type)
  }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (positionals.length > maxWords) throw new UsageError('too many arguments')
  return { values, words: positionals }
}

/** @param what takes it, as in `--days` @throws {UsageError} */
export function wholeNumberOf(what: string, text: string, [least, most]: readonly [number, number]): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${what} expects a whole number from ${least} to ${most}`)
}

const either = new Intl.ListFormat('en', { type: 'disjunction' })

/** One of a few words. @param what takes it, as in `--api` @throws {UsageError} */
export function wordOf<W extends string>(what: string, text: string, words: readonly W[]): W {
  const word = words.find((known) => known === text)
  if (word !== undefined) return word
  throw new UsageError(`${what} expects ${either.format(words)}${hintAt(text, words)}`)
}
