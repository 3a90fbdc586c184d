// onramp invite preview: writes the emails to files, or sends one to an address. Writes nothing to the store.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toEml, type Email } from '../../campaigns/mail/email.ts'
import { SmtpClient } from '../../campaigns/mail/smtp-client.ts'
import { quoteReply } from '../../campaigns/mail/send-result.ts'
import { languageTag } from '../../campaigns/people-columns.ts'
import { OperatorError } from '../../problem.ts'
import type { Languages } from '../../web/languages/languages.ts'
import { UsageError } from '@onramp/terminal/arguments'
import { limitFaults, openList, readList } from './list.ts'
import { loadCompanyOf, createComposers, loadSettingsWith } from './email.ts'
import type { Settings } from '../../settings/settings.ts'
import type { CommandContext, Output } from '@onramp/terminal/command-context'

const LINK_DAYS = 30
const APPS = [
  { instance: 'slack_1', name: 'Slack' },
  { instance: 'github_1', name: 'GitHub' },
  { instance: 'gdrive_1', name: 'Google Drive' },
]
const KINDS = {
  invitation: { reminder: 0 },
  reminder: { reminder: 1, allApps: [{ instance: 'jira_1', name: 'Jira', state: 'connected' as const }] },
  lapse: { reminder: 0, isLapse: true },
  'new-app': { reminder: 0, isNew: true },
}
const SAMPLE = { email: 'someone@example.com', name: 'Ada Lovelace' }

export async function preview(
  folder: string | undefined,
  options: {
    to?: string
    template?: string
    datasource?: string[] | undefined
    language?: string[] | undefined
    list?: string
  },
  context: CommandContext,
): Promise<number> {
  const { to, language: tags = [], list } = options
  if ((folder === undefined) === (to === undefined)) throw new UsageError('expected FOLDER, or --to EMAIL')
  const settings = loadSettingsWith(to === undefined ? ['MAIL_FROM'] : ['SMTP_URL', 'MAIL_FROM'], context.env)
  const sample = { ...options, days: LINK_DAYS }
  const { composeFor, languages } = createComposers(settings, loadCompanyOf(settings), sample, context.now)
  const compose = composeFor('preview')
  const shownLanguages = await languagesShown(languages, tags, list, context)
  const emailIn = (language: string, kind: keyof typeof KINDS, email = SAMPLE.email) =>
    compose({ ...SAMPLE, email, language }, kind === 'new-app' ? APPS.slice(0, 1) : APPS, KINDS[kind])
  if (folder === undefined) {
    const emails = shownLanguages.map((language) => emailIn(language, 'invitation', to))
    return await sendEmails(emails, settings, context.stderr)
  }
  withWriteFault(folder, () => mkdirSync(folder, { recursive: true }))
  for (const language of shownLanguages)
    for (const kind of Object.keys(KINDS) as (keyof typeof KINDS)[]) {
      // File names omit the default language.
      const name = language === languages.offered[0]?.tag ? kind : `${kind}.${language}`
      await writeFiles(join(folder, name), emailIn(language, kind), context.stdout)
    }
  return 0
}

/** The languages of these tags and people, each once, or the default one. @throws {UsageError} for an invalid tag */
async function languagesShown(
  languages: Languages,
  tags: readonly string[],
  list: string | undefined,
  { stdin, stderr }: CommandContext,
): Promise<string[]> {
  const wantedLanguages = new Set(tags.map(languageTag))
  if (wantedLanguages.has(undefined))
    throw new UsageError('--language expects a language tag like en, de or pt-BR')
  if (list !== undefined) {
    const { people, faults } = await readList(openList(list, stdin), undefined, { write: () => {} })
    for (const fault of limitFaults(faults)) stderr.write(`${fault}\n`)
    for (const { language } of people) wantedLanguages.add(language)
  }
  if (wantedLanguages.size === 0) wantedLanguages.add(undefined)
  const nearestTags = new Set([...wantedLanguages].map((tag = '') => languages.nearest(tag).lang))
  return languages.offered.map(({ tag }) => tag).filter((tag) => nearestTags.has(tag))
}

async function writeFiles(path: string, email: Email, stdout: Output): Promise<void> {
  const text = `Subject: ${email.subject}\n\n${email.text}`
  for (const [ending, content] of Object.entries({
    html: standalone(email),
    txt: text,
    eml: await toEml(email),
  })) {
    const file = `${path}.${ending}`
    withWriteFault(file, () => writeFileSync(file, content))
    stdout.write(`${file}\n`)
  }
}

function withWriteFault(path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    throw new UsageError(`can't write to ${path} (${String(Reflect.get(Object(error), 'code'))})`)
  }
}

/** Embeds the pictures, because a browser doesn't get the email's attachments. */
const standalone = ({ html, inlines = [] }: Email): string =>
  inlines.reduce(
    (text, { cid, contentType, content }) =>
      text.replaceAll(`cid:${cid}`, `data:${contentType};base64,${content.toString('base64')}`),
    html,
  )

async function sendEmails(emails: readonly Email[], settings: Settings, stderr: Output): Promise<number> {
  const server = new SmtpClient(settings)
  try {
    await server.check()
    for (const email of emails) {
      const result = await server.send(email)
      if (result.outcome !== 'sent') {
        const outcome = result.outcome === 'unknown' ? 'may have been sent' : 'was not accepted'
        throw new OperatorError(
          `the email ${outcome} (${quoteReply(result.reply)}): see SMTP_URL and MAIL_FROM`,
        )
      }
      stderr.write(`Sent to ${email.to}.\n`)
    }
    return 0
  } finally {
    server.close()
  }
}
