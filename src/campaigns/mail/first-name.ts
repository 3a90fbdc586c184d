// Finds the given name for a greeting. An unclear name is used as a whole: better formal than wrong. Pure.

const TITLE = /^(dr|prof|mr|mrs|ms|mx|miss|sir|herr|frau|mme|mlle|sr|sra|dott|ing|pan|pani)\.?$/iu
/** After a comma, such a suffix follows the whole name: "Ada Lovelace, PhD". */
const SUFFIX = /^(ph\.?\s?d|m\.?d|j\.?d|ll\.?m|m\.?sc|b\.?sc|mba|cpa|esq|jr|sr|[iv]{2,3})\b/i
/** Part of a given name, or the beginning of a family name. */
const PARTICLE =
  /^(abd|abdel|abdul|abu|umm|al|el|bin|ibn|ben|van|von|de|del|di|da|la|le|عبد|أبو|ابو|أم|آل|בן|בת)$/iu
/** In these scripts, the family name comes first, often without a space. */
const FAMILY_FIRST = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const FAMILY_FIRST_LANGUAGE = /^(hu|ja|ko|vi|zh)\b/i
const WORD = /^\p{L}[\p{L}\p{M}'’-]+$/u
const isCapitals = (word: string) => word === word.toUpperCase() && word !== word.toLowerCase()

/** @param language of the person, BCP 47 */
export function firstNameIn(name: string, language = ''): string {
  const whole = name.trim()
  const [before = '', after = '', ...others] = whole.split(',').map((part) => part.trim())
  if (others.length > 0 || FAMILY_FIRST.test(whole) || FAMILY_FIRST_LANGUAGE.test(language)) return whole
  const words = (after === '' || SUFFIX.test(after) ? before : after).split(/\s+/)
  while (TITLE.test(words[0] ?? '')) words.shift()
  const [first = '', ...rest] = words
  // "LOVELACE Ada": the family name is the one in capitals.
  const isFamilyFirst = isCapitals(first) && rest.some((word) => !isCapitals(word))
  return WORD.test(first) && !PARTICLE.test(first) && !isFamilyFirst ? first : whole
}
