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
  const nearestTag = [canonical(lang), baseOf(lang), standard, baseOf(standard)].find((tag) => value.has(tag))
  return nearestTag === undefined ? value.values().next().value : value.get(nearestTag)
}

const linkOf = (link: NonNullable<CompanyFile['links']>['help']) =>
  link && { url: link.url, label: byLanguage(link.label) }

const NEUTRAL = { light: '#3b4cca', dark: '#9fb0ff' }

const resolveDatasource = (
  entry: NonNullable<CompanyFile['datasources']>[string],
  assets: ReadonlyMap<string, StaticAsset>,
) => ({
  name: byLanguage(entry.name),
  logo: assets.get(entry.logo ?? ''),
  reads: byLanguage(entry.reads),
  never: byLanguage(entry.never),
  why: byLanguage(entry.why),
  account: byLanguage(entry.account),
  help: byLanguage(entry.help),
  order: entry.order,
  isRequired: entry.required ?? false,
  isHidden: entry.hidden ?? false,
  owners: [entry.owner ?? []].flat(),
  approve: entry.approve,
})

const quietDaysOf = ({ quiet = [] }: CompanyFile) =>
  quiet.flatMap((period) => {
    const { group, dates } = typeof period === 'string' ? { group: undefined, dates: [period] } : period
    return dates.map((text) => {
      const [from = '', to = from] = text.split('/')
      return { from, to, group }
    })
  })

type App = { instance: string }

function resolveApps(
  file: CompanyFile,
  assets: ReadonlyMap<string, StaticAsset>,
  defaultLanguage: string | undefined,
) {
  const entries = Object.entries(file.datasources ?? {})
  const datasources = new Map(entries.map(([key, entry]) => [key, resolveDatasource(entry, assets)]))
  const activeReplacements = new Map<string, string>()
  const declaredReplacements: ReadonlyMap<string, string> = new Map(
    entries.flatMap(([key, { replaces }]) => (replaces === undefined ? [] : [[replaces, key] as const])),
  )
  const datasourceOf = (instance: string) =>
    datasources.get(instance) ?? datasources.get(datasourceType(instance)) ?? datasources.get('all')
  /** Apps without an order come last. */
  const orderOf = (instance: string) => datasourceOf(instance)?.order ?? Number.MAX_VALUE
  const hidesSome = [...datasources.values()].some(({ isHidden }) => isHidden)
  /** False if the app is hidden or replaced. */
  const isVisible = ({ instance }: App) =>
    !(hidesSome && datasourceOf(instance)?.isHidden) && !activeReplacements.has(instance)
  /** Adds to `activeReplacements` those among a person's apps, listed or recorded. @returns true if all are active */
  const activateReplacements = (apps: readonly App[]) => {
    for (const [former, to] of declaredReplacements)
      if (apps.some(({ instance }) => instance === to)) activeReplacements.set(former, to)
    return activeReplacements.size === declaredReplacements.size
  }
  /** A sorted copy of the visible apps. */
  const visibleInOrder = <T extends App>(apps: T[]): T[] =>
    apps.filter(isVisible).sort((one, other) => orderOf(one.instance) - orderOf(other.instance))
  return {
    datasources,
    datasourceOf,
    /**
     * Its own approvers, else those of the app that it replaces. `approve`: the URL of the page to approve an app.
     * @param admins ADMIN_EMAILS, the default owners
     */
    approversOf: (instance: string, admins: readonly string[] = []) => {
      const [former = instance] = [...declaredReplacements].find(([, to]) => to === instance) ?? []
      const datasourceEntries = [instance, former].flatMap((app) => datasourceOf(app) ?? [])
      const { owners = admins } = datasourceEntries.find((entry) => entry.owners.length > 0) ?? {}
      return { owners, approve: datasourceEntries.find((entry) => entry.approve)?.approve }
    },
    /** The company's name for an app, else the service's. */
    displayName: ({ instance, name: raw }: App & { name: string }, lang: string): string =>
      localized(datasourceOf(instance)?.name, lang, defaultLanguage) ?? raw,
    /** Replacement instances by the replaced instance, as in the file. */
    declaredReplacements,
    /** Replacements that were listed for someone. Until then, people still connect the former app. */
    activeReplacements: activeReplacements as ReadonlyMap<string, string>,
    activateReplacements,
    isVisible,
    /** Listed apps, as pages show them. A replaced one gets its replacement's instance, unless that is listed, too. */
    shownApps: <T extends App>(apps: T[]): T[] => {
      activateReplacements(apps)
      const isListed = (instance: string | undefined) => apps.some((app) => app.instance === instance)
      return visibleInOrder(
        apps.map((app) => {
          const instance = activeReplacements.get(app.instance)
          return instance === undefined || isListed(instance) ? app : { ...app, instance }
        }),
      )
    },
    visibleInOrder,
  }
}

export type Company = ReturnType<typeof resolveCompany>

/** @param file a valid company file @param assets its pictures, by the paths in it */
export function resolveCompany(file: CompanyFile, assets: ReadonlyMap<string, StaticAsset>) {
  const { links = {} } = file
  const languages = (file.languages ?? []).map(canonical)
  const texts = new Map(Object.entries(file.texts ?? {}).map(([lang, own]) => [canonical(lang), own]))
  const light = assets.get(file.logo?.light ?? '')
  return {
    /** Undefined: the default of our texts, as for `product`, the company's name for its search. */
    name: file.name,
    product: file.product,
    logo: light && { light, dark: assets.get(file.logo?.dark ?? '') ?? light },
    icon: assets.get(file.logo?.icon ?? ''),
    color: palettesOf(file.color ?? NEUTRAL),
    links: {
      help: linkOf(links.help),
      privacy: linkOf(links.privacy),
      home: linkOf(links.home),
      search: linkOf(links.search),
    },
    sender: file.sender && { name: file.sender.name, role: byLanguage(file.sender.role) },
    /** The default comes first. Empty: every language of onramp. */
    languages,
    examples: byLanguage(file.examples),
    /** An IANA name, for people without a time zone on the list. */
    timezone: file.timezone ?? 'UTC',
    digest: file.digest,
    /** Days without emails, YYYY-MM-DD; `group` restricts them to a department. */
    quietDays: quietDaysOf(file),
    ...resolveApps(file, assets, languages[0]),
    /** The value in this language, else its base language, else the default language, else the first one. */
    localized: <T>(value: Localized<T> | undefined, lang: string) => localized(value, lang, languages[0]),
    /** The company's replacements of our texts by key, in this language or its base language. */
    textsOf: (lang: string): Record<string, string> => ({
      ...texts.get(baseOf(lang)),
      ...texts.get(canonical(lang)),
    }),
    assets: [...new Map([...assets.values()].map((asset) => [asset.path, asset])).values()],
  }
}

export const neutralCompany = resolveCompany({}, new Map())
