// What the emails are made from: the settings that sending needs, the company file, templates and languages.
import { createEmailStyles } from '../../campaigns/mail/email-style.ts'
import { createComposer } from '../../campaigns/mail/email.ts'
import { createEmailTemplates, DEFAULT_TEMPLATES, VIEWS } from '../../campaigns/mail/templates.ts'
import { ServiceClient } from '../../client-api/client.ts'
import { useProxy } from '../../http/proxy.ts'
import type { Company } from '../../company/company.ts'
import { loadCompany } from '../../company/read-company.ts'
import { createInvitations } from '../../invites/token.ts'
import {
  loadWithoutClient,
  settings as definitions,
  SettingsError,
  type Settings,
} from '../../settings/settings.ts'
import { OperatorError } from '../../problem.ts'
import { languagesFor } from '../../web/brand.ts'
import { LANGUAGES_FOLDER, companyFileChoices } from '../../web/languages/catalogue.ts'
import type { SendOptions } from './send-options.ts'

/** Of emails that don't leave. */
export const NO_FROM = { name: '', address: 'no-reply@localhost' }

/** The settings, with those that the server can do without and this command cannot. @throws {SettingsError} */
export function loadSettingsWith(needed: readonly (keyof Settings)[], env: NodeJS.ProcessEnv): Settings {
  const settings = loadWithoutClient(env)
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

/** The company that the emails are from. @throws {SettingsError} naming every fault of the company file */
export const loadCompanyOf = ({ COMPANY_FILE }: Settings) => loadCompany(COMPANY_FILE, companyFileChoices())

const PERSONAL =
  "SERVICE_GLOBAL_TOKEN holds a personal token: the service would list its owner's apps for everyone. Nothing was sent. Set a global token."

/** What asks the service about anyone: as on the pages, an app that the company hides is neither named nor counted. */
export function serviceFor(settings: Settings, company: Company) {
  const {
    SERVICE_BASE_URL: baseUrl,
    SERVICE_HEADER_PREFIX: headerPrefix,
    SERVICE_GLOBAL_TOKEN: token = '',
  } = settings
  const clientApi = new ServiceClient({ baseUrl, headerPrefix })
  const setting = 'SERVICE_GLOBAL_TOKEN'
  return {
    /** A global token without a person is refused (contract section 5, rule 2). @throws {OperatorError} for a personal one */
    async checkToken(): Promise<void> {
      const answered = await clientApi.unconnectedApps({ kind: 'user-token', token }).catch(() => undefined)
      if (answered !== undefined) throw new OperatorError(PERSONAL)
    },
    whatIsLeft: async (actAs: string) =>
      company.arrange(await clientApi.unconnectedApps({ kind: 'global-token', token, actAs, setting })),
    close: () => clientApi.close(),
  }
}

/** Composes emails, with the templates of a folder instead of ours where one is given. @throws {FaultyTemplate} */
export function composerFor(
  settings: Settings,
  company: Company,
  options: Pick<SendOptions, 'datasource' | 'days' | 'template'> & { campaign: string },
  now: () => number,
) {
  const { template, campaign, datasource = [], days } = options
  const { PUBLIC_URL: publicUrl, MAIL_FROM: from = NO_FROM } = settings
  const languages = languagesFor(company, LANGUAGES_FOLDER, publicUrl.startsWith('https:'))
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const compose = createComposer({
    campaign,
    datasources: datasource,
    days,
    invitations: createInvitations({ secrets, audience: publicUrl, now }),
    render:
      template === undefined
        ? createEmailTemplates(VIEWS, DEFAULT_TEMPLATES)
        : createEmailTemplates(template),
    languages,
    styles: createEmailStyles(company),
    displayName: (app, lang) => company.displayName(app, lang),
    from,
    publicUrl,
    now,
  })
  return { compose, languages }
}
