// Composes invitations. List-Unsubscribe stays on one line, because a folded one breaks some DKIM signatures, and the
// Message-ID is the same at every try.
import { hash } from 'node:crypto'
import { createTransport } from 'nodemailer'
import type { RenderEmail } from './templates.ts'
import type { Invitee } from '../people-file.ts'
import type { Invitations } from '../../invites/token.ts'
import { withUniqueNames, MAX_SCANNABLE_APPS } from '../../company/app-names.ts'
import type { Company } from '../../company/company.ts'
import type { Languages } from '../../web/languages/languages.ts'
import { createEmailStyles, type InlineImage } from './email-style.ts'

export type Email = {
  from: { name: string; address: string }
  to: string
  subject: string
  text: string
  html: string
  messageId: string
  headers: Record<string, string>
  inlines?: readonly InlineImage[]
}

type ComposerOptions = {
  company: Company
  invitations: Pick<Invitations, 'issue'>
  render: RenderEmail
  languages: Pick<Languages, 'nearest'>
  from: Email['from']
  publicUrl: string
  campaign: string
  datasources: string[]
  days: number
  now: () => number
}

const MAX_NAMED = 5
const DAY_MS = 86_400_000

type NamedApp = { instance: string; name: string }

/** `isLapse`: access to these apps has ended. `known`: all apps of the person, which make a name unique as on the pages. */
type EmailKind = { reminder: number; isLapse: boolean; known?: readonly NamedApp[] | undefined }

export type ComposeEmail = (person: Invitee, apps: readonly NamedApp[], kind: EmailKind) => Promise<Email>

/** Keeps programs from replying (RFC 3834). */
export const AUTO_GENERATED = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
}

/** @param what identifies the email, at every try */
export const messageIdOf = ({ address }: Email['from'], what: string): string =>
  `<${hash('sha256', what, 'hex').slice(0, 32)}@${address.split('@')[1] ?? 'localhost'}>`

export function createComposer(options: ComposerOptions): ComposeEmail {
  const { company, invitations, languages, render, datasources, days, publicUrl, from } = options
  const { inlines, styleIn } = createEmailStyles(company)
  return async (person, apps, { reminder, isLapse, known = [] }) => {
    const link = `${publicUrl}/invite/${await invitations.issue({ email: person.email, datasources }, days)}`
    const t = languages.nearest(person.language ?? '')
    const named = [...apps, ...known].map((app) => ({ ...app, name: company.displayName(app, t.lang) }))
    const names = withUniqueNames(named)
      .map(({ name }) => name)
      .slice(0, apps.length)
    const isLong = names.length > MAX_SCANNABLE_APPS
    const rendered = render({
      t,
      look: styleIn(t),
      email: person.email,
      name: person.name ?? '',
      // The page that the link leads to begins with as many (onboarding/next-step.ts).
      count: isLong && !isLapse ? MAX_NAMED : apps.length,
      apps: isLong ? names.slice(0, MAX_NAMED) : names,
      more: isLong ? names.length - MAX_NAMED : 0,
      // A later number may be the first email about another lapse.
      isReminder: reminder > 0 && !isLapse,
      isLapse,
      link,
      optOut: `${link}/opt-out`,
      address: publicUrl,
      host: new URL(publicUrl).host,
      days,
      expires: t.day(options.now() + days * DAY_MS),
      from: from.name === '' ? from.address : from.name,
    })
    return {
      ...rendered,
      from,
      to: person.email,
      inlines,
      messageId: messageIdOf(from, `onramp mail\n${options.campaign}\n${reminder}\n${person.email}`),
      headers: {
        ...AUTO_GENERATED,
        'List-Unsubscribe': `<${link}/opt-out>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    }
  }
}

/** Keeps header and recipient injection from the mail library. @throws {RangeError} */
export function refuseInjection({ from, to, subject, messageId, headers }: Email): void {
  const values = [from.name, from.address, to, subject, messageId, ...Object.entries(headers).flat()]
  if (values.some((value) => /\p{Cc}|\u2028|\u2029/u.test(value)))
    throw new RangeError('a header of the email holds a line break or a control character')
  if (/[\s,;<>"]/.test(to + from.address)) throw new RangeError('an address of the email holds more than one')
}

/** For the mail library, which doesn't fold prepared headers. */
export function messageOf({ from, to, subject, text, html, messageId, headers, inlines = [] }: Email) {
  const envelope = { from: from.address, to }
  const prepared = Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } }))
  const attachments = inlines.map((inline) => ({ ...inline, contentDisposition: 'inline' as const }))
  return { from, to, subject, text, html, messageId, envelope, headers: prepared, attachments }
}

export async function emlOf(mail: Email): Promise<Buffer> {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await transport.sendMail({
    ...messageOf(mail),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  if (!Buffer.isBuffer(message))
    throw new TypeError('the mail library gave a stream where it was asked for bytes')
  return message
}
