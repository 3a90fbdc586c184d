// Checks that a company's text has the placeholders of the replaced text. Pure.
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { nearestWord } from '@onramp/terminal/arguments'

/** Finds `{app}` and `{count, plural, …}`. @throws {SyntaxError} unless the text is ICU MessageFormat */
const placeholdersOf = (text: string): Set<string> => argumentsIn(parse(text, { ignoreTag: true }))

const argumentsIn = (elements: readonly MessageFormatElement[]): Set<string> =>
  new Set(
    elements.flatMap((element) => {
      if (element.type === TYPE.literal || element.type === TYPE.pound) return []
      const inner = 'options' in element ? Object.values(element.options).flatMap(({ value }) => value) : []
      return [element.value, ...argumentsIn(inner)]
    }),
  )

/** A placeholder that every text may have. */
const ANYWHERE = 'product'

const inBraces = (names: readonly string[]) => names.map((name) => `{${name}}`).join(', ')

/** @param knownTexts the replaceable texts, by key */
export function textFaults(key: string, text: string, knownTexts: ReadonlyMap<string, string>) {
  const replacedText = knownTexts.get(key)
  if (replacedText === undefined) {
    const meant = nearestWord(key, [...knownTexts.keys()])
    return [`is not a text of onramp${meant === undefined ? ': remove it' : `: did you mean ${meant}?`}`]
  }
  const expectedNames = placeholdersOf(replacedText)
  let usedNames: Set<string>
  try {
    usedNames = placeholdersOf(text)
  } catch {
    return ['is not ICU MessageFormat: check that every { has its }']
  }
  const missingNames = [...expectedNames].filter((name) => name !== ANYWHERE && !usedNames.has(name))
  const unknownNames = [...usedNames].filter((name) => name !== ANYWHERE && !expectedNames.has(name))
  const advice = expectedNames.size > 0 ? `it may have ${inBraces([...expectedNames])}` : 'remove it'
  return [
    ...(missingNames.length > 0 ? [`lacks ${inBraces(missingNames)}: put it where the value belongs`] : []),
    ...(unknownNames.length > 0
      ? [`has ${inBraces(unknownNames)}, which onramp does not fill in: ${advice}`]
      : []),
  ]
}
