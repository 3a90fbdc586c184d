// The company's description of an app, and the app's icon: the company's logo, the library's, or a letter. Pure.
import { initialOf, libraryIconOf } from './app-icons.ts'
import { datasourceType, humanize } from './app-names.ts'
import type { Company } from './company.ts'

/** Looks up the company file, in the person's language. */
const descriptionOf = (company: Company, instance: string, lang: string) => {
  const datasource = company.datasourceOf(instance)
  return {
    name: company.localized(datasource?.name, lang),
    logo: (datasource?.logo ?? libraryIconOf(instance))?.path,
    reads: company.localized(datasource?.reads, lang) ?? [],
    never: company.localized(datasource?.never, lang) ?? [],
    why: company.localized(datasource?.why, lang),
    account: company.localized(datasource?.account, lang),
    /** A step before the consent, such as connecting to the VPN, which people must be able to read first. */
    help: company.localized(datasource?.help, lang),
    isRequired: datasource?.isRequired ?? false,
  }
}

type AppDescription = ReturnType<typeof descriptionOf>
export type DescribeApp = (instance: string) => AppDescription

/** @returns the descriptions in a language, each derived once, for one page */
export const createAppDescriptions =
  (company: Company) =>
  (lang: string): DescribeApp => {
    const cache = new Map<string, AppDescription>()
    return (instance) => {
      let description = cache.get(instance)
      if (description === undefined)
        cache.set(instance, (description = descriptionOf(company, instance, lang)))
      return description
    }
  }

const TONES = 6

/** Every instance of a datasource has the same tone. */
export function iconOf({ name, instance }: { name: string; instance: string }, describe: DescribeApp) {
  let sum = 0
  for (const character of datasourceType(instance)) sum += character.codePointAt(0) ?? 0
  return { logo: describe(instance).logo, initial: initialOf(name), tone: `tone-${sum % TONES}` }
}

/** Describes an app of which only the instance is known, such as that of a search result. */
export function nameAndIconOf(instance: string, describe: DescribeApp) {
  const name = describe(instance).name ?? libraryIconOf(instance)?.title ?? humanize(datasourceType(instance))
  return { name, ...iconOf({ name, instance }, describe) }
}
