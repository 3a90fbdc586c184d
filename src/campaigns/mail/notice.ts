// An email to administrators, in the company's first language. It names no person.
import type { Company } from '../../company/company.ts'
import { languagesFor } from '../../web/brand.ts'
import { LANGUAGES_FOLDER } from '../../web/languages/catalogue.ts'
import { EmailStyles } from './email-style.ts'
import { AUTO_GENERATED, messageIdOf, type Email } from './email.ts'
import { createRenderer, VIEWS } from './templates.ts'

export type Notice = {
  subject: string
  heading: string
  paragraphs: string[]
  figures: { label: string; value: string; change: string }[]
  needs: { title: string; detail: string; command: string | undefined }[]
  commands: string[]
  link: { href: string; label: string }
}

/** @returns composes a notice; the same `id` gives the same Message-ID */
export function createNoticeComposer({ from, company }: { from: Email['from']; company: Company }) {
  const t = languagesFor(company, LANGUAGES_FOLDER, true).nearest('')
  const styles = new EmailStyles(company)
  const frame = { t, look: styles.in(t), sender: from.name === '' ? from.address : from.name }
  const render = createRenderer(VIEWS, { text: 'mail/notice-text', html: 'mail/notice-html' })
  return (to: string, notice: Notice, id: string): Email => ({
    ...render({ ...frame, ...notice, email: to }),
    from,
    to,
    inlines: styles.inlines,
    messageId: messageIdOf(from, `onramp notice\n${id}\n${to}`),
    headers: AUTO_GENERATED,
  })
}
