// onramp invite preview: the emails as files, or one of them sent to an address. Nothing is written down.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressToInvite } from '../../arrivals/address.ts'
import type { ComposeMail } from '../../campaigns/mail/mail.ts'
import { bytesOf } from '../../campaigns/mail/message.ts'
import { createMailServer, type Outcome } from '../../campaigns/mail/server.ts'
import { readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import { explained, EXIT_STOPPED } from './endings.ts'
import { datasourcesFrom } from './options.ts'
import { mailFor, settingsWith } from './set-up.ts'
import type { CliParts, Run } from '@onramp/deprecations/command-line/parts'

const options = {
  to: { type: 'string' },
  template: { type: 'string' },
  datasource: { type: 'string', multiple: true },
} as const

const DAYS = 30
const APPS = ['Slack', 'GitHub', 'Google Drive']
const SAMPLE = { email: 'somebody@example.com', name: 'Ada Lovelace' }

export const run: Run = async (args, parts) => {
  const { values, words } = readArguments(args, options, 1)
  const [folder] = words
  if ((folder === undefined) === (values.to === undefined))
    throw new UsageError('it takes a folder for the files, or --to and an address')
  const to = values.to === undefined ? undefined : addressToInvite(values.to)
  if (values.to !== undefined && to === undefined)
    throw new UsageError('--to takes one plain email address like ada@acme.example')
  const settings = settingsWith(to === undefined ? ['MAIL_FROM'] : ['SMTP_URL', 'MAIL_FROM'], parts.env)
  return await explained(parts, 'invite preview', async () => {
    const mail = { campaign: 'preview', datasources: datasourcesFrom(values.datasource), days: DAYS }
    const compose = mailFor(settings, { ...mail, template: values.template }, parts.now)
    if (folder !== undefined) return await writeTo(folder, compose, parts)
    return await sendTo(to ?? '', { compose, smtpUrl: settings.SMTP_URL ?? '', stderr: parts.stderr })
  })
}

async function writeTo(folder: string, compose: ComposeMail, { stdout }: CliParts): Promise<number> {
  mkdirSync(folder, { recursive: true })
  for (const [wave, name] of ['invitation', 'reminder'].entries()) {
    const mail = await compose(SAMPLE, APPS, wave)
    const files = {
      html: mail.html,
      txt: `Subject: ${mail.subject}\n\n${mail.text}`,
      eml: await bytesOf(mail),
    }
    for (const [ending, content] of Object.entries(files)) {
      const file = join(folder, `${name}.${ending}`)
      writeFileSync(file, content)
      stdout.write(`${file}\n`)
    }
  }
  return 0
}

type Sending = { compose: ComposeMail; smtpUrl: string; stderr: CliParts['stderr'] }

async function sendTo(email: string, { compose, smtpUrl, stderr }: Sending): Promise<number> {
  const server = createMailServer(smtpUrl, 1)
  try {
    await server.check()
    const posted = await server.post(await compose({ ...SAMPLE, email }, APPS, 0))
    const isSent = posted.outcome === 'sent'
    const reply = 'reply' in posted ? ` (it says: ${posted.reply})` : ''
    const where = posted.outcome === 'refused' ? ': see SMTP_URL and MAIL_FROM' : ''
    const trouble = `onramp invite preview: ${WORDS[posted.outcome]}${reply}${where}\n`
    stderr.write(isSent ? `Sent to ${email}.\n` : trouble)
    return isSent ? 0 : EXIT_STOPPED
  } finally {
    server.close()
  }
}

const WORDS: Record<Outcome, string> = {
  sent: 'the email was sent',
  deferred: 'the mail server said "not now"',
  failed: 'the mail server refused the email',
  refused: 'the mail server takes no email from here',
  unknown: 'the connection broke; the email may have been sent',
}
