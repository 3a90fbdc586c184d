// The English texts, without a company file.
import { neutralCompany } from '../../src/company/company.ts'
import { LANGUAGES_FOLDER, readCatalogue } from '../../src/web/languages/catalogue.ts'
import { createLanguages, type Languages } from '../../src/web/languages/languages.ts'

export const languages: Languages = createLanguages(neutralCompany, LANGUAGES_FOLDER, '')

export const t = languages.byTag('en')

export const keysUnder = (prefix: string): string[] =>
  Object.keys(readCatalogue(LANGUAGES_FOLDER, 'en'))
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
