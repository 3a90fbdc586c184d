// Settings, company, service and composer of the commands that send emails.
import { createComposer, createNoticeComposer } from '../../campaigns/mail/email.ts'
import { createEmailTemplates } from '../../campaigns/mail/templates.ts'
import { useProxy } from '../../http/proxy.ts'
import type { Company } from '../../company/company.ts'
import { loadCompany } from '../../company/read-company.ts'
import { Invitations } from '../../invites/token.ts'
import { loadSettingsWithoutClient, settingDefinitions, SettingsError } from '../../settings/settings.ts'
import type { Settings } from '../../settings/settings.ts'
import { createLanguages } from '../../web/languages/languages.ts'
import { LANGUAGES_FOLDER, supportedTexts } from '../../web/languages/catalogue.ts'
import type { SendOptions } from './send-options.ts'

/** The sender of previews. */
const NO_FROM = { name: '', address: 'no-reply@localhost' }

/** @param needed required settings that are optional for the server @throws {SettingsError} */
export function loadSettingsWith(needed: readonly (keyof Settings)[], env: NodeJS.ProcessEnv): Settings {
  const settings = loadSettingsWithoutClient(env)
  const missingSettings = settingDefinitions.filter(
    ({ name }) => needed.includes(name as keyof Settings) && settings[name as keyof Settings] === undefined,
  )
  if (missingSettings.length > 0)
    throw new SettingsError(
      missingSettings.map(({ name, meaning }) => `${name} is required for this command: ${meaning}`),
    )
  useProxy(settings)
  return settings
}

/** @throws {SettingsError} naming every fault of the company file */
export const loadCompanyOf = ({ COMPANY_FILE }: Settings) => loadCompany(COMPANY_FILE, supportedTexts())

/** @param options.template folder of other templates @throws {FaultyTemplate} */
export function createComposers(
  settings: Settings,
  company: Company,
  options: Pick<SendOptions, 'datasource' | 'days' | 'template'>,
  now: () => number,
) {
  const { template, datasource = [], days } = options
  const { PUBLIC_URL: publicUrl, MAIL_FROM: from = NO_FROM } = settings
  const languages = createLanguages(company, LANGUAGES_FOLDER, publicUrl)
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const deps = {
    company,
    datasources: datasource,
    days,
    invitations: new Invitations(secrets, publicUrl, now),
    render: createEmailTemplates(template),
    languages,
    from,
    publicUrl,
    now,
  }
  return {
    languages,
    composeFor: (campaign: string) => createComposer({ ...deps, campaign }),
    composeNotice: createNoticeComposer(from, company),
  }
}
