// Does a company's text have the placeholders of the text that it replaces? Pure.
import { nearest } from '@onramp/deprecations/command-line/arguments'

/** The texts that a company may replace: their keys, and the names of the placeholders in each, as `{app}`. */
export type KnownTexts = ReadonlyMap<string, ReadonlySet<string>>

/** `{app}` and `{count, plural, …}`. */
export const placeholdersOf = (text: string): Set<string> =>
  new Set([...text.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name = '']) => name))

const inBraces = (names: readonly string[]) => names.map((name) => `{${name}}`).join(', ')

/** What is wrong with a text that replaces ours. */
export function textFaults(key: string, text: string, knownTexts: KnownTexts): string[] {
  const known = knownTexts.get(key)
  if (known === undefined) {
    const meant = nearest(key, [...knownTexts.keys()])
    return [`is not a text of onramp${meant === undefined ? ': remove it' : `: did you mean ${meant}?`}`]
  }
  const given = placeholdersOf(text)
  const lost = [...known].filter((name) => !given.has(name))
  const unknown = [...given].filter((name) => !known.has(name))
  return [
    ...(lost.length > 0 ? [`lacks ${inBraces(lost)}: put it where the value belongs`] : []),
    ...(unknown.length > 0
      ? [
          `has ${inBraces(unknown)}, which nothing fills in: ${known.size > 0 ? `it may have ${inBraces([...known])}` : 'remove it'}`,
        ]
      : []),
  ]
}
