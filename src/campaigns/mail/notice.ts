// An email to administrators, in the company's first language. It names no person.
import type { Company } from '../../company/company.ts'
import { languagesFor } from '../../web/brand.ts'
import { LANGUAGES_FOLDER } from '../../web/languages/catalogue.ts'
import { EmailStyles } from './email-style.ts'
import { AUTO_GENERATED, messageIdOf, type Email } from './email.ts'
import type { Texts } from '../../web/languages/texts.ts'
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

export class NoticeComposer {
  readonly #from: Email['from']
  readonly #styles: EmailStyles
  readonly #t: Texts
  readonly #render = createRenderer({ text: 'mail/notice-text', html: 'mail/notice-html' })

  constructor(from: Email['from'], company: Company) {
    this.#from = from
    this.#styles = new EmailStyles(company)
    this.#t = languagesFor(company, LANGUAGES_FOLDER, true).nearest('')
  }

  /** @param id identifies the notice: at every try its Message-ID is the same */
  compose(to: string, notice: Notice, id: string): Email {
    const from = this.#from
    const sender = from.name === '' ? from.address : from.name
    return {
      ...this.#render({ t: this.#t, look: this.#styles.in(this.#t), sender, ...notice, email: to }),
      from,
      to,
      inlines: this.#styles.inlines,
      messageId: messageIdOf(from, `onramp notice\n${id}\n${to}`),
      headers: AUTO_GENERATED,
    }
  }
}
