// Reads the message catalogues: languages/ has a folder for each language, with ICU messages by key in JSON, the
// format of translation tools. English defines the keys.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import account from '../../../languages/en/account.json' with { type: 'json' }
import admin from '../../../languages/en/admin.json' with { type: 'json' }
import approvals from '../../../languages/en/approvals.json' with { type: 'json' }
import deprecations from '../../../languages/en/deprecations.json' with { type: 'json' }
import email from '../../../languages/en/email.json' with { type: 'json' }
import frame from '../../../languages/en/frame.json' with { type: 'json' }
import invitation from '../../../languages/en/invitation.json' with { type: 'json' }
import overview from '../../../languages/en/overview.json' with { type: 'json' }
import person from '../../../languages/en/person.json' with { type: 'json' }
import problems from '../../../languages/en/problems.json' with { type: 'json' }
import search from '../../../languages/en/search.json' with { type: 'json' }
import widget from '../../../languages/en/widget.json' with { type: 'json' }

const english = {
  ...account,
  ...admin,
  ...approvals,
  ...deprecations,
  ...email,
  ...frame,
  ...invitation,
  ...overview,
  ...person,
  ...problems,
  ...search,
  ...widget,
}

export type TextKey = keyof typeof english

export type Catalogue = Readonly<Record<TextKey, string>>

export const REFERENCE_LANGUAGE = 'en'

export const LANGUAGES_FOLDER = fileURLToPath(new URL('../../../languages', import.meta.url))

/** The texts that a company file may replace, and the languages that it may choose. */
export const supportedTexts = () => ({
  knownTexts: new Map(Object.entries(english)),
  knownLanguages: languagesIn(LANGUAGES_FOLDER),
})

/** All languages, English first. @param folder the path of languages/ */
export const languagesIn = (folder: string): string[] => [
  REFERENCE_LANGUAGE,
  ...readdirSync(folder)
    .filter((name) => name !== REFERENCE_LANGUAGE && !name.includes('.'))
    .sort(),
]

/** A cache by folder: a process that serves or emails reads each language once. */
const catalogues = new Map<string, Catalogue>()

/** English replaces a missing message; a test keeps the catalogues complete. */
export function readCatalogue(folder: string, tag: string): Catalogue {
  if (tag === REFERENCE_LANGUAGE) return english
  const path = join(folder, tag)
  const catalogue = catalogues.get(path) ?? { ...english, ...filesOf(path) }
  catalogues.set(path, catalogue)
  return catalogue
}

const filesOf = (folder: string): Partial<Catalogue> =>
  Object.assign(
    {},
    ...readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Partial<Catalogue>),
  ) as Partial<Catalogue>
