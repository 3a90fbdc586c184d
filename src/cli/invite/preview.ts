// onramp invite preview: the mails as they would leave, as files; or one of them, sent to oneself. Nothing is written down.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressToInvite } from '../../arrivals/address.ts'
import type { ComposeMail, Mail } from '../../campaigns/mail/mail.ts'
import { bytesOf } from '../../campaigns/mail/message.ts'
import { createMailServer, type Outcome } from '../../campaigns/mail/server.ts'
import type { Settings } from '../../settings/settings.ts'
import { readArguments, UsageError } from '@onramp/deprecations/command-line/arguments'
import { explained, EXIT_STOPPED } from './endings.ts'
import { datasourcesFrom } from './options.ts'
import { mailFor, settingsWith } from './set-up.ts'
import type { Run } from '@onramp/deprecations/command-line/parts'

const options = {
  to: { type: 'string' },
  template: { type: 'string' },
  datasource: { type: 'string', multiple: true },
} as const

const DAYS = 30
const APPS = ['Slack', 'GitHub', 'Google Drive']
const SOMEBODY = { email: 'somebody@example.com', name: 'Ada Lovelace' }

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
    if (folder !== undefined) return await writeTo(folder, compose, parts.stdout)
    return await sendTo(to ?? '', { compose, settings, stderr: parts.stderr })
  })
}

async function writeTo(
  folder: string,
  compose: ComposeMail,
  stdout: Parameters<Run>[1]['stdout'],
): Promise<number> {
  mkdirSync(folder, { recursive: true })
  for (const [wave, name] of ['invitation', 'reminder'].entries()) {
    const mail = await compose(SOMEBODY, APPS, wave)
    const files: [string, string | Buffer][] = [
      [`${name}.html`, mail.html],
      [`${name}.txt`, textOf(mail)],
      [`${name}.eml`, await bytesOf(mail)],
    ]
    for (const [file, content] of files) {
      writeFileSync(join(folder, file), content)
      stdout.write(`${join(folder, file)}\n`)
    }
  }
  return 0
}

const textOf = ({ subject, text }: Mail) => `Subject: ${subject}\n\n${text}`

type Sending = { compose: ComposeMail; settings: Settings; stderr: Parameters<Run>[1]['stderr'] }

async function sendTo(email: string, { compose, settings, stderr }: Sending): Promise<number> {
  const server = createMailServer(settings.SMTP_URL ?? '', 1)
  try {
    await server.check()
    const posted = await server.post(await compose({ ...SOMEBODY, email }, APPS, 0))
    const isSent = posted.outcome === 'sent'
    const said = 'reply' in posted ? ` (it says: ${posted.reply})` : ''
    stderr.write(isSent ? `Sent to ${email}.\n` : `onramp invite preview: ${WORDS[posted.outcome]}${said}\n`)
    return isSent ? 0 : EXIT_STOPPED
  } finally {
    server.close()
  }
}

const WORDS: Record<Outcome, string> = {
  sent: 'the mail was sent',
  deferred: 'the mail server said "not now"',
  failed: 'the mail server refused the mail',
  refused: 'the mail server does not take mails from here',
  unknown: 'the connection broke; the mail may have been sent',
}
