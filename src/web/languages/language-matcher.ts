// Chooses the best offered language for a person. Pure.

const MAX_WANTED = 5
const isShort = (tag: string) => tag.length <= 35
const languageOf = (tag: string) => tag.toLowerCase().split('-', 1)[0]
/** People who read the first usually read the second (Unicode CLDR, language matching). */
const ALSO_READ: Partial<Record<string, string>> = { ca: 'es', eu: 'es', gl: 'es', gsw: 'de', lb: 'de' }

/**
 * Creates a function from wanted tags, in order of preference, to the best offered one. It has no cache, because
 * strangers can make up tags.
 * @param fallback if none matches
 */
export function createLanguageMatcher(offered: readonly string[], fallback: string) {
  /** The first offered tag for each form. */
  const byForm = new Map(
    offered.toReversed().flatMap((tag) => formsOf(tag).map((form) => [form, tag] as const)),
  )
  /** Tags that are the only ones of their language, which don't need Intl, because it is slow. */
  const alone = new Map(
    [...Map.groupBy(offered, languageOf)].flatMap(([language, [tag, other]]) =>
      tag !== undefined && other === undefined ? [[language, tag]] : [],
    ),
  )
  const offeredAs = (forms: readonly string[]) => byForm.get(forms.find((form) => byForm.has(form)) ?? '')

  return (wanted: readonly string[]): string => {
    const tags = wanted.slice(0, MAX_WANTED).filter(isShort)
    for (const tag of tags) {
      const found = alone.get(languageOf(tag)) ?? offeredAs(formsOf(tag))
      if (found !== undefined) return found
    }
    return offeredAs(tags.flatMap(formsOf).map((form) => ALSO_READ[form] ?? '')) ?? fallback
  }
}

/** Forms to look up, the nearest first: de-AT, de-Latn, de. None for an invalid tag. */
function formsOf(tag: string): string[] {
  try {
    const { baseName, language, script = '' } = new Intl.Locale(tag).maximize()
    return [baseName, `${language}-${script}`, language]
  } catch {
    return []
  }
}
