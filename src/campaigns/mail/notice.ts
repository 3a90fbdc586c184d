// An email to administrators, in the company's first language. It names no person.
import type { Company } from '../../company/company.ts'
import { languagesFor } from '../../web/brand.ts'
import { LANGUAGES_FOLDER } from '../../web/languages/catalogue.ts'
import { createEmailStyles } from './email-style.ts'
import { AUTO_GENERATED, messageIdOf, type Email } from './email.ts'
import { createRenderer } from './templates.ts'

export type Notice = {
  subject: string
  heading: string
  paragraphs: string[]
  figures: { label: string; value: string; change: string }[]
  needs: { title: string; detail: string; command: string | undefined }[]
  commands: string[]
  link: { href: string; label: string }
}

/** @returns composes a notice for a recipient; `id` identifies it: at every try its Message-ID is the same */
export function createNoticeComposer(
  from: Email['from'],
  company: Company,
): (to: string, notice: Notice, id: string) => Email {
  const { inlines, styleIn } = createEmailStyles(company)
  const t = languagesFor(company, LANGUAGES_FOLDER, true).nearest('')
  const render = createRenderer(['mail/notice-text', 'mail/notice-html'])
  const sender = from.name === '' ? from.address : from.name
  return (to, notice, id) => ({
    ...render({ t, look: styleIn(t), sender, ...notice, email: to }),
    from,
    to,
    inlines,
    messageId: messageIdOf(from, `onramp notice\n${id}\n${to}`),
    headers: AUTO_GENERATED,
  })
}
