// The company that the pages are about: everything of its file resolved, and ready to be used. Without a file it is
// neutral.
import type { StaticAsset } from './static-asset.ts'
import { darkOf, paletteOf, type Palette } from './contrast.ts'
import { datasourceType } from './app-names.ts'
import type { CompanyFile } from './schema.ts'
import { canonicalLanguage } from './schema.ts'

/** A value by language tag; under '' the one for all languages. */
type Localized<T> = ReadonlyMap<string, T>

export type CompanyLink = { url: string; label: Localized<string> | undefined }

type CompanyDatasource = {
  /** What people call it in this company. */
  name: Localized<string> | undefined
  logo: StaticAsset | undefined
  /** What search reads, what it never does, and why it is asked: shown before people leave for the app. */
  reads: Localized<readonly string[]> | undefined
  never: Localized<readonly string[]> | undefined
  why: Localized<string> | undefined
  /** Which account to use. */
  account: Localized<string> | undefined
  help: Localized<string> | undefined
  /** Its place on the list; undefined: after those that have one. */
  order: number | undefined
  isRequired: boolean
  isHidden: boolean
}

export type Company = {
  /** The company's name, and what it calls search. Undefined: the words of our texts. */
  name: string | undefined
  product: string | undefined
  /** `dark` is the light one where the company has no other. */
  logo: { light: StaticAsset; dark: StaticAsset } | undefined
  icon: StaticAsset | undefined
  color: { light: Palette; dark: Palette }
  links: { [K in 'help' | 'privacy' | 'home' | 'search']: CompanyLink | undefined }
  /** What is offered, the default first. Empty: every language of onramp. */
  languages: readonly string[]
  examples: Localized<readonly string[]> | undefined
  /** Where people are, unless the list says otherwise (IANA). */
  timezone: string
  /** When administrators get a digest, if they do. */
  digest: CompanyFile['digest']
  /** By the keys of the file; `datasourceOf` finds the entry of an instance. */
  datasources: ReadonlyMap<string, CompanyDatasource>
  /** The entry about an instance (`slack_1`), else about its datasource (`slack`), else about `all` of them. */
  datasourceOf: (instance: string) => CompanyDatasource | undefined
  /** What people call an app: the company's name for it, else the service's. */
  displayName: (app: { instance: string; name: string }, lang: string) => string
  /** Apps in the company's order, without those that it hides; the same list where that changes nothing. */
  arrange<T extends { instance: string }>(apps: T[]): T[]
  /** The value in this language, else in its base language, else in the default one, else the first. */
  localized: <T>(value: Localized<T> | undefined, lang: string) => T | undefined
  /** What the company says in place of one of our texts: in this language or its base language only. */
  textOf: (lang: string, key: string) => string | undefined
  /** Every picture that the file names, each once. */
  assets: readonly StaticAsset[]
}

const baseOf = (lang: string) => lang.split('-')[0] ?? lang
const canonical = (lang: string) => canonicalLanguage(lang) ?? lang

function byLanguage<T extends string | readonly string[]>(
  value: T | Record<string, T> | undefined,
): Localized<T> | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' || Array.isArray(value)) return new Map([['', value as T]])
  const entries = Object.entries(value as Record<string, T>)
  return new Map(entries.map(([lang, one]) => [canonical(lang), one]))
}

/** @param defaultLanguage the first language that is offered */
export function localized<T>(
  value: Localized<T> | undefined,
  lang: string,
  defaultLanguage: string | undefined,
): T | undefined {
  if (value === undefined) return undefined
  const standard = defaultLanguage ?? ''
  const found = [canonical(lang), baseOf(lang), standard, baseOf(standard)].find((one) => value.has(one))
  return found === undefined ? value.values().next().value : value.get(found)
}

const linkOf = (link: NonNullable<CompanyFile['links']>['help']): CompanyLink | undefined =>
  link && { url: link.url, label: byLanguage(link.label) }

/** As the schema has it. */
const MAX_ORDER = 1000
const NEUTRAL = { light: '#3b4cca', dark: '#9fb0ff' }

type AssetsByPath = ReadonlyMap<string, StaticAsset>
type DatasourceOfFile = NonNullable<CompanyFile['datasources']>[string]

const datasourceFrom = (of: DatasourceOfFile, assets: AssetsByPath): CompanyDatasource => ({
  name: byLanguage(of.name),
  logo: assets.get(of.logo ?? ''),
  reads: byLanguage(of.reads),
  never: byLanguage(of.never),
  why: byLanguage(of.why),
  account: byLanguage(of.account),
  help: byLanguage(of.help),
  order: of.order,
  isRequired: of.required ?? false,
  isHidden: of.hidden ?? false,
})

/**
 * @param file without a fault
 * @param assets the pictures that it names, by their paths in it
 */
export function companyOf(file: CompanyFile, assets: AssetsByPath): Company {
  const { name, product, links = {}, color = NEUTRAL, examples } = file
  const languages = (file.languages ?? []).map(canonical)
  const texts = new Map(
    Object.entries(file.texts ?? {}).map(([lang, own]) => [canonical(lang), new Map(Object.entries(own))]),
  )
  const entries = Object.entries(file.datasources ?? {})
  const datasources = new Map(entries.map(([key, one]) => [key, datasourceFrom(one, assets)]))
  const datasourceOf = (instance: string) =>
    datasources.get(instance) ?? datasources.get(datasourceType(instance)) ?? datasources.get('all')
  const orderOf = (instance: string) => datasourceOf(instance)?.order ?? MAX_ORDER + 1
  const light = assets.get(file.logo?.light ?? '')
  return {
    name,
    product,
    logo: light && { light, dark: assets.get(file.logo?.dark ?? '') ?? light },
    icon: assets.get(file.logo?.icon ?? ''),
    color: {
      light: paletteOf(color.light, 'light'),
      dark: paletteOf(color.dark ?? darkOf(color.light), 'dark'),
    },
    links: {
      help: linkOf(links.help),
      privacy: linkOf(links.privacy),
      home: linkOf(links.home),
      search: linkOf(links.search),
    },
    languages,
    examples: byLanguage(examples),
    timezone: file.timezone ?? 'UTC',
    digest: file.digest,
    datasources,
    datasourceOf,
    displayName: ({ instance, name }, lang) =>
      localized(datasourceOf(instance)?.name, lang, languages[0]) ?? name,
    arrange(apps) {
      const arranged = apps
        .filter(({ instance }) => datasourceOf(instance)?.isHidden !== true)
        .sort((one, other) => orderOf(one.instance) - orderOf(other.instance))
      return arranged.length === apps.length && arranged.every((app, at) => app === apps[at])
        ? apps
        : arranged
    },
    localized: (value, lang) => localized(value, lang, languages[0]),
    textOf: (lang, key) => texts.get(canonical(lang))?.get(key) ?? texts.get(baseOf(lang))?.get(key),
    assets: [...new Map([...assets.values()].map((asset) => [asset.path, asset])).values()],
  }
}

export const neutralCompany: Company = companyOf({}, new Map())
