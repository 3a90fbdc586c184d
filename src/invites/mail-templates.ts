// The words of the mail: views/mail, or a folder of the administrator's with the same two files. The plain text opens
// with "Subject: …" and an empty line. Templates are code, so they come from whoever runs the command, never from a list.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { createViews } from '../web/views.ts'

/** What a template may print; there is nothing in it that a mail must not hold. */
export type MailWords = {
  /** How the person is called, or an empty text. */
  name: string
  /** How many apps wait. */
  count: number
  /** Their display names, the first ones; `more` names are left out. */
  apps: string[]
  more: number
  isReminder: boolean
  /** The invitation, and where reminders are stopped. */
  link: string
  optOut: string
  /** Where the product is without the link: its address, and as people write it. */
  address: string
  host: string
  days: number
  from: string
}

export type Rendered = { subject: string; text: string; html: string }

export type RenderMail = (words: MailWords) => Rendered

/** A replaced template is not as it has to be; the message names the file. */
export class FaultyTemplate extends Error {
  override name = 'FaultyTemplate'
}

type Views = { text: string; html: string }

/** Those of ours, in views/. */
export const OUR_MAIL: Views = { text: 'mail/invitation-text', html: 'mail/invitation-html' }
const REPLACED: Views = { text: 'invitation-text', html: 'invitation-html' }
const MOST_SUBJECT_CHARACTERS = 150

/**
 * @param folder that holds invitation-text.eta and invitation-html.eta
 * @throws {FaultyTemplate} when one of them is missing
 */
export function createMailTemplates(folder: string, views: Views = REPLACED): RenderMail {
  for (const view of Object.values(views))
    if (!existsSync(join(folder, `${view}.eta`))) throw new FaultyTemplate(`${folder} holds no ${view}.eta`)
  const html = createViews(folder)
  const plain = new Eta({ views: folder, cache: true, autoEscape: false, autoTrim: [false, 'nl'] })

  return (words) => {
    const whole = plain.render(`./${views.text}`, words)
    const [, subject = '', text = ''] = /^Subject:[ \t]*(.*)\r?\n\r?\n([\s\S]*)$/.exec(whole) ?? []
    if (subject.trim() === '' || text.trim() === '')
      throw new FaultyTemplate('the text of the mail has to open with "Subject: …" and an empty line')
    // A line break would start another header of the mail.
    if (/\p{Cc}/u.test(subject)) throw new FaultyTemplate('the subject holds a control character')
    const short = Array.from(subject.trim()).slice(0, MOST_SUBJECT_CHARACTERS).join('')
    return { subject: short, text: text.trim() + '\n', html: html(views.html, words) }
  }
}
