// A command's arguments, strictly. Faults never quote a value: somebody may have pasted a token.
import { parseArgs } from 'node:util'

export type OptionKinds = Record<string, 'flag' | 'value'>

export type Options = {
  /** Flags that were given. */
  flags: ReadonlySet<string>
  values: ReadonlyMap<string, string>
  words: readonly string[]
}

/** Thrown for arguments that a command does not take; the message is one for people. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** @throws {UsageError} for an option that does not exist, a value too few or too many, or more words than `mostWords` */
export function readOptions(args: readonly string[], kinds: OptionKinds, mostWords: number): Options {
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const flags = new Set<string>()
  const values = new Map<string, string>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const kind = kinds[token.name]
    if (kind === undefined) throw new UsageError(`there is no option ${optionName(token.rawName)}`)
    if (kind === 'flag' && token.value !== undefined) throw new UsageError(`--${token.name} takes no value`)
    if (kind === 'flag') flags.add(token.name)
    else if (!token.value) throw new UsageError(`--${token.name} needs a value`)
    else values.set(token.name, token.value)
  }
  if (words.length > mostWords) throw new UsageError('there are more arguments than it takes')
  return { flags, values, words }
}

/** Only what could be a name: the rest of a mistyped option may be a secret. */
const optionName = (raw: string) => /^--?[a-z][a-z-]{0,20}/.exec(raw)?.[0] ?? 'like that'
