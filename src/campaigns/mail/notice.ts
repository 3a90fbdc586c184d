// An email to administrators: figures, and what there is to do. It names no one, and it is in the company's first language.
import type { Company } from '../../company/company.ts'
import { languagesFor } from '../../web/brand.ts'
import { LANGUAGES_FOLDER } from '../../web/languages/catalogue.ts'
import { createEmailStyles } from './email-style.ts'
import { AUTO_GENERATED, messageIdOf, type Email } from './email.ts'
import { createRenderer, VIEWS } from './templates.ts'

export type Notice = {
  subject: string
  heading: string
  paragraphs: string[]
  figures: { label: string; value: string; change: string }[]
  /** What needs someone, each with the command that helps, where there is one. */
  needs: { title: string; detail: string; command: string | undefined }[]
  /** To be copied. */
  commands: string[]
  link: { href: string; label: string }
}

/** @returns composes one; `id` gives it one Message-ID for each recipient, however often it is tried */
export function createNoticeComposer({ from, company }: { from: Email['from']; company: Company }) {
  const t = languagesFor(company, LANGUAGES_FOLDER, true).nearest('')
  const looks = createEmailStyles(company)
  const frame = { t, look: looks.in(t), sender: from.name === '' ? from.address : from.name }
  const render = createRenderer(VIEWS, { text: 'mail/notice-text', html: 'mail/notice-html' })
  return (to: string, notice: Notice, id: string): Email => ({
    ...render({ ...frame, ...notice, email: to }),
    from,
    to,
    inlines: looks.inlines,
    messageId: messageIdOf(from, `onramp notice\n${id}\n${to}`),
    headers: AUTO_GENERATED,
  })
}
