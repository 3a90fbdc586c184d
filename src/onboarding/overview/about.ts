// What the company says of an app, and the sign that it is seen by: the company's logo, its maker's mark, or a letter. Pure.
import { initialOf, libraryIconOf } from '../../company/app-icons.ts'
import { humanize } from '../../company/app-names.ts'
import type { Company } from '../../company/company.ts'
import { datasourceType } from '../../company/app-names.ts'
import type { TrackedApp } from '../walk.ts'

/** Of the company's file, in the person's language. */
type AppDescription = {
  /** What the company calls it. */
  name: string | undefined
  /** The path of its picture. */
  logo: string | undefined
  reads: readonly string[]
  never: readonly string[]
  why: string | undefined
  account: string | undefined
  /** What to do first, such as connecting to the VPN: no one is taken to the app before they could read it. */
  help: string | undefined
  isRequired: boolean
}

export type DescribeApp = (instance: string) => AppDescription

export const noDescription: AppDescription = {
  name: undefined,
  logo: undefined,
  reads: [],
  never: [],
  why: undefined,
  account: undefined,
  help: undefined,
  isRequired: false,
}

/** So many apps are remembered, in whatever language; people have the same few. */
const MAX_REMEMBERED = 1_000

/** What the company says of each app, in a language. */
export function createAppDescriptions(company: Company): (lang: string) => DescribeApp {
  const known = new Map<string, AppDescription>()
  const create = (instance: string, lang: string): AppDescription => {
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
  return (lang) => (instance) => {
    const key = `${lang} ${instance}`
    const found = known.get(key)
    if (found !== undefined) return found
    if (known.size >= MAX_REMEMBERED) known.clear()
    const about = create(instance, lang)
    known.set(key, about)
    return about
  }
}

const TONES = 6

/** A sign for an app, seen at a glance; for the eye alone. */
export function iconOf({ name, instance }: Pick<TrackedApp, 'name' | 'instance'>, about: DescribeApp) {
  const { logo } = about(instance)
  let sum = 0
  // Of one colour with every other instance of it.
  for (const character of datasourceType(instance)) sum += character.codePointAt(0) ?? 0
  return { logo, initial: initialOf(name), tone: `tone-${sum % TONES}` }
}

/** An app of which the service says only the instance, as with a search result: its name and its sign. */
export function nameAndIconOf(instance: string, about: DescribeApp) {
  const name = about(instance).name ?? libraryIconOf(instance)?.title ?? humanize(datasourceType(instance))
  return { name, ...iconOf({ name, instance }, about) }
}
