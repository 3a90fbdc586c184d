// The company's description of an app, and the app's icon: the company's logo, the library's, or a letter. Pure.
import { initialOf, libraryIconOf } from './app-icons.ts'
import { datasourceType, humanize } from './app-names.ts'
import type { Company } from './company.ts'

/** From the company file, in the person's language. */
type AppDescription = {
  name: string | undefined
  /** A path. */
  logo: string | undefined
  reads: readonly string[]
  never: readonly string[]
  why: string | undefined
  account: string | undefined
  /** What to do first, such as connecting to the VPN: no one leaves for the app before they could read it. */
  help: string | undefined
  isRequired: boolean
}

export type DescribeApp = (instance: string) => AppDescription

const noDescription: AppDescription = {
  name: undefined,
  logo: undefined,
  reads: [],
  never: [],
  why: undefined,
  account: undefined,
  help: undefined,
  isRequired: false,
}

/** @returns the descriptions in a language */
export const createAppDescriptions =
  (company: Company): ((lang: string) => DescribeApp) =>
  (lang) =>
  (instance) =>
    describe(company, instance, lang)

function describe(company: Company, instance: string, lang: string): AppDescription {
  const found = company.datasourceOf(instance)
  const logo = (found?.logo ?? libraryIconOf(instance))?.path
  if (found === undefined) return { ...noDescription, logo }
  const { name, reads, never, why, account, help, isRequired } = found
  return {
    name: company.localized(name, lang),
    logo,
    reads: company.localized(reads, lang) ?? [],
    never: company.localized(never, lang) ?? [],
    why: company.localized(why, lang),
    account: company.localized(account, lang),
    help: company.localized(help, lang),
    isRequired,
  }
}

type AppIcon = { logo: string | undefined; initial: string; tone: string }

const TONES = 6

/** Every instance of a datasource has the same tone. */
export function iconOf(
  { name, instance }: { name: string; instance: string },
  describe: DescribeApp,
): AppIcon {
  let sum = 0
  for (const character of datasourceType(instance)) sum += character.codePointAt(0) ?? 0
  return { logo: describe(instance).logo, initial: initialOf(name), tone: `tone-${sum % TONES}` }
}

/** For an app of which only the instance is known, as with a search result. */
export function nameAndIconOf(instance: string, describe: DescribeApp): AppIcon & { name: string } {
  const name = describe(instance).name ?? libraryIconOf(instance)?.title ?? humanize(datasourceType(instance))
  return { name, ...iconOf({ name, instance }, describe) }
}
