// Resolves the company file for use. Without a file, the company is neutral.
import type { StaticAsset } from './static-asset.ts'
import { palettesOf } from './contrast.ts'
import { datasourceType } from './app-names.ts'
import { canonicalLanguage, type CompanyFile } from './schema.ts'

/** Values by language tag; '' for all languages. */
type Localized<T> = ReadonlyMap<string, T>

const baseOf = (lang: string) => lang.split('-')[0] ?? lang
const canonical = (lang: string) => canonicalLanguage(lang) ?? lang

function byLanguage<T extends string | readonly string[]>(value: T | Record<string, T> | undefined) {
  if (value === undefined) return undefined
  if (typeof value === 'string' || Array.isArray(value)) return new Map([['', value as T]])
  const entries = Object.entries(value as Record<string, T>)
  return new Map(entries.map(([lang, text]) => [canonical(lang), text]))
}

function localized<T>(value: Localized<T> | undefined, lang: string, defaultLanguage: string | undefined) {
  if (value === undefined) return undefined
  const standard = defaultLanguage ?? ''
  const found = [canonical(lang), baseOf(lang), standard, baseOf(standard)].find((tag) => value.has(tag))
  return found === undefined ? value.values().next().value : value.get(found)
}

const linkOf = (link: NonNullable<CompanyFile['links']>['help']) =>
  link && { url: link.url, label: byLanguage(link.label) }

const NEUTRAL = { light: '#3b4cca', dark: '#9fb0ff' }

const resolveDatasource = (
  of: NonNullable<CompanyFile['datasources']>[string],
  assets: ReadonlyMap<string, StaticAsset>,
) => ({
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
  owners: [of.owner ?? []].flat(),
  approve: of.approve,
})

type Datasource = ReturnType<typeof resolveDatasource>

const quietDaysOf = ({ quiet = [] }: CompanyFile) =>
  quiet.flatMap((period) => {
    const { group, dates } = typeof period === 'string' ? { group: undefined, dates: [period] } : period
    return dates.map((text) => {
      const [from = '', to = from] = text.split('/')
      return { from, to, group }
    })
  })

/** `approve`: the URL of the page to approve an app. */
type Approvers = { owners: readonly string[]; approve: string | undefined }

export type Company = {
  /** Undefined: the default of our texts, as for `product`, the company's name for its search. */
  name: string | undefined
  product: string | undefined
  logo: Record<'light' | 'dark', StaticAsset> | undefined
  icon: StaticAsset | undefined
  color: ReturnType<typeof palettesOf>
  links: Record<'help' | 'privacy' | 'home' | 'search', ReturnType<typeof linkOf>>
  sender: { name: string; role: Localized<string> | undefined } | undefined
  /** The default comes first. Empty: every language of onramp. */
  languages: readonly string[]
  examples: Localized<string[]> | undefined
  /** An IANA name, for people without a time zone on the list. */
  timezone: string
  digest: CompanyFile['digest']
  /** Days without emails, YYYY-MM-DD; `group` restricts them to a department. */
  quietDays: ReturnType<typeof quietDaysOf>
  datasources: ReadonlyMap<string, Datasource>
  datasourceOf: (instance: string) => Datasource | undefined
  /** Its own approvers, else those of the app that it replaces. @param admins ADMIN_EMAILS, the default owners */
  approversOf: (instance: string, admins?: readonly string[]) => Approvers
  /** The company's name for an app, else the service's. */
  displayName: (app: { instance: string; name: string }, lang: string) => string
  /** Replacement instances by the replaced instance, as in the file. */
  replacements: ReadonlyMap<string, string>
  /** `replacements` that were listed for someone. Until then, people still connect the former app. */
  replacedBy: ReadonlyMap<string, string>
  /** Completes `replacedBy` from a person's apps, as listed or recorded. @returns true if it is complete */
  findReplaced: (apps: readonly { instance: string }[]) => boolean
  /** False if the app is hidden or replaced. */
  isVisible: (app: { instance: string }) => boolean
  /** Listed apps, as pages show them. A replaced one gets its replacement's instance, unless that is listed, too. */
  listed: <T extends { instance: string }>(apps: T[]) => T[]
  /** A sorted copy of the visible apps. */
  visibleInOrder: <T extends { instance: string }>(apps: T[]) => T[]
  /** The value in this language, else its base language, else the default language, else the first one. */
  localized: <T>(value: Localized<T> | undefined, lang: string) => T | undefined
  /** The company's replacements of our texts by key, in this language or its base language. */
  textsOf: (lang: string) => Record<string, string>
  assets: readonly StaticAsset[]
}

/** @param file a valid company file @param assets its pictures, by the paths in it */
export function resolveCompany(file: CompanyFile, assets: ReadonlyMap<string, StaticAsset>): Company {
  const { name, product, links = {}, color = NEUTRAL, examples } = file
  const languages = (file.languages ?? []).map(canonical)
  const texts = new Map(Object.entries(file.texts ?? {}).map(([lang, own]) => [canonical(lang), own]))
  const entries = Object.entries(file.datasources ?? {})
  const datasources = new Map(entries.map(([key, of]) => [key, resolveDatasource(of, assets)]))
  const replacedBy = new Map<string, string>()
  const replacements = new Map(
    entries.flatMap(([key, { replaces }]) => (replaces === undefined ? [] : [[replaces, key] as const])),
  )
  const datasourceOf = (instance: string) =>
    datasources.get(instance) ?? datasources.get(datasourceType(instance)) ?? datasources.get('all')
  /** Apps without an order come last. */
  const orderOf = (instance: string) => datasourceOf(instance)?.order ?? Number.MAX_VALUE
  const hidesSome = [...datasources.values()].some(({ isHidden }) => isHidden)
  const isVisible = ({ instance }: { instance: string }) =>
    !(hidesSome && datasourceOf(instance)?.isHidden) && !replacedBy.has(instance)
  const findReplaced: Company['findReplaced'] = (apps) => {
    for (const [former, to] of replacements)
      if (apps.some(({ instance }) => instance === to)) replacedBy.set(former, to)
    return replacedBy.size === replacements.size
  }
  const visibleInOrder: Company['visibleInOrder'] = (apps) =>
    apps.filter(isVisible).sort((one, other) => orderOf(one.instance) - orderOf(other.instance))
  const light = assets.get(file.logo?.light ?? '')
  return {
    name,
    product,
    logo: light && { light, dark: assets.get(file.logo?.dark ?? '') ?? light },
    icon: assets.get(file.logo?.icon ?? ''),
    color: palettesOf(color),
    links: {
      help: linkOf(links.help),
      privacy: linkOf(links.privacy),
      home: linkOf(links.home),
      search: linkOf(links.search),
    },
    sender: file.sender && { name: file.sender.name, role: byLanguage(file.sender.role) },
    languages,
    examples: byLanguage(examples),
    timezone: file.timezone ?? 'UTC',
    digest: file.digest,
    quietDays: quietDaysOf(file),
    datasources,
    datasourceOf,
    approversOf: (instance, admins = []) => {
      const [former = instance] = [...replacements].find(([, to]) => to === instance) ?? []
      const own = [instance, former].flatMap((app) => datasourceOf(app) ?? [])
      const { owners = admins } = own.find((entry) => entry.owners.length > 0) ?? {}
      return { owners, approve: own.find((entry) => entry.approve)?.approve }
    },
    displayName: ({ instance, name: raw }, lang) =>
      localized(datasourceOf(instance)?.name, lang, languages[0]) ?? raw,
    replacements,
    replacedBy,
    findReplaced,
    isVisible,
    listed: (apps) => {
      findReplaced(apps)
      const isListed = (instance: string | undefined) => apps.some((app) => app.instance === instance)
      return visibleInOrder(
        apps.map((app) => {
          const instance = replacedBy.get(app.instance)
          return instance === undefined || isListed(instance) ? app : { ...app, instance }
        }),
      )
    },
    visibleInOrder,
    localized: (value, lang) => localized(value, lang, languages[0]),
    textsOf: (lang) => ({ ...texts.get(baseOf(lang)), ...texts.get(canonical(lang)) }),
    assets: [...new Map([...assets.values()].map((asset) => [asset.path, asset])).values()],
  }
}

export const neutralCompany = resolveCompany({}, new Map())
