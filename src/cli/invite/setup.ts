// What the commands of invitations make of the settings.
import { fileURLToPath } from 'node:url'
import { createPeople, type People } from '../../people/people.ts'
import { useProxy } from '../../client-api/proxy.ts'
import { createMail, type ComposeMail } from '../../campaigns/mail/mail.ts'
import { looksOf } from '../../campaigns/mail/look.ts'
import { createMailTemplates, OUR_MAIL } from '../../campaigns/mail/templates.ts'
import type { Company } from '../../company/company.ts'
import { loadCompany } from '../../company/read-company.ts'
import { createInvitations } from '../../invites/token.ts'
import type { Records } from '../../records/records.ts'
import { openStore, storeOf, type StoreOptions } from '../../records/store.ts'
import { createInstallation } from '../../records/installation.ts'
import {
  loadSettings,
  settings as definitions,
  SettingsError,
  type Settings,
} from '../../settings/settings.ts'
import { languagesFor } from '../../web/brand.ts'
import { LANGUAGES, offeredToCompanies } from '../../web/languages/catalogue.ts'
import type { Languages } from '../../web/languages/languages.ts'
import { createLog } from '../../web/log.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

const VIEWS = fileURLToPath(new URL('../../../views', import.meta.url))

/** The settings, with those that the server can do without and this command cannot. @throws {SettingsError} */
export function settingsWith(needed: readonly (keyof Settings)[], env: CliParts['env']): Settings {
  const settings = loadSettings(env)
  const missing = definitions.filter(
    ({ name }) => needed.includes(name as keyof Settings) && settings[name as keyof Settings] === undefined,
  )
  if (missing.length > 0)
    throw new SettingsError(
      missing.map(({ name, meaning }) => `${name} is required for this command: ${meaning}`),
    )
  useProxy(settings)
  return settings
}

/** Where everything is kept, for people. */
export function storeInWords(settings: Settings): string {
  const { name, place } = storeOf(settings)
  return `${name} ${place}`
}

const secretsOf = ({ INVITE_SECRET, SESSION_SECRET }: Settings) => INVITE_SECRET ?? SESSION_SECRET

type Kept = { records: Records; settings: Settings; now: () => number }

/** What a command notices of people is sent by the server, which finds it in the store. */
export function openPeople({ records, settings, now }: Kept, company?: Pick<Company, 'arrange'>): People {
  return createPeople({
    records,
    installation: createInstallation(records, settings.SESSION_SECRET, now),
    retentionDays: settings.INVITE_RETENTION_DAYS,
    ...(company && { arrange: (apps) => company.arrange(apps) }),
    onEvents: settings.WEBHOOK_URL === undefined ? undefined : () => {},
    now,
  })
}

/** Opens the store for the work. @throws {StoreUnavailable} */
export async function withStore<T>(
  settings: Settings,
  work: (records: Records) => Promise<T>,
  options?: StoreOptions,
): Promise<T> {
  const store = openStore(settings, createLog('silent'), options)
  try {
    return await work(store.records)
  } finally {
    await store.close()
  }
}

/** The company that the emails are from, and the languages that it offers. */
export type Sender = { company: Company; languages: Languages }

/** @throws {SettingsError} naming every fault of the company file */
export function senderOf({ COMPANY_FILE, PUBLIC_URL }: Settings): Sender {
  const company = loadCompany(COMPANY_FILE, offeredToCompanies())
  return { company, languages: languagesFor(company, LANGUAGES, PUBLIC_URL.startsWith('https:')) }
}

type MailOptions = {
  campaign: string
  datasource?: readonly string[] | undefined
  days: number
  /** A folder with templates instead of ours. */
  template?: string | undefined
}

type MailParts = { settings: Settings; sender: Sender; now: () => number }

/** @throws {FaultyTemplate} */
export function mailFor({ settings, sender, now }: MailParts, options: MailOptions): ComposeMail {
  const { template, campaign, datasource = [], days } = options
  const { PUBLIC_URL: publicUrl, MAIL_FROM: from = { name: '', address: 'no-reply@localhost' } } = settings
  const { company, languages } = sender
  return createMail({
    campaign,
    datasources: [...datasource],
    days,
    invitations: createInvitations({ secrets: secretsOf(settings), audience: publicUrl, now }),
    render: template === undefined ? createMailTemplates(VIEWS, OUR_MAIL) : createMailTemplates(template),
    languages,
    looks: looksOf(company),
    nameOf: (app, lang) => company.nameOf(app, lang),
    from,
    publicUrl,
    now,
  })
}
