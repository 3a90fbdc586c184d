// The languages that a preview shows: those that are asked for, and those of the people on a list. Each is the offered
// one that a person would get, so a list in nine languages may give two.
import { UsageError } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import { languageOf } from '../../campaigns/invitee.ts'
import { readPeople } from '../../campaigns/people-file.ts'
import type { Languages } from '../../web/languages/languages.ts'
import { listOf } from './list.ts'

export type Wanted = {
  /** `--language`, any number of times. */
  tags: readonly string[]
  /** `--list`: a file, or `-`. */
  list: string | undefined
}

const DEFAULT = ''

/** @throws {UsageError} for what is no language tag */
function tagsOf(said: readonly string[]): string[] {
  return said.map((one) => {
    const tag = languageOf(one)
    if (tag === undefined) throw new UsageError('--language expects a language tag like en, de or pt-BR')
    return tag
  })
}

/** What the list says, with a line about each row that `invite send` would refuse. */
async function tagsIn(list: string, { stdin, stderr }: CliParts): Promise<Set<string>> {
  const tags = new Set<string>()
  for await (const row of readPeople(listOf(list, stdin).open())) {
    if (row.kind === 'fault') stderr.write(`line ${row.line}: ${row.fault}\n`)
    else tags.add(row.person.language ?? DEFAULT)
  }
  return tags
}

/** @returns offered languages, each once, the default one first @throws {UsageError} {UnreadablePeople} */
export async function languagesToShow(
  { tags, list }: Wanted,
  languages: Languages,
  parts: CliParts,
): Promise<string[]> {
  const wanted = [...tagsOf(tags), ...(list === undefined ? [] : await tagsIn(list, parts))]
  const found = new Set((wanted.length === 0 ? [DEFAULT] : wanted).map((tag) => languages.nearest(tag).lang))
  return languages.offered.map(({ tag }) => tag).filter((tag) => found.has(tag))
}
