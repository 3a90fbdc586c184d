// The words of the mail: views/mail, or a folder of the administrator's with the same two files. The plain text opens
// with "Subject: …" and an empty line. Templates are code, so they come from whoever runs the command, never from a list.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { createViews } from '../../web/views.ts'

/** What a template may print; there is nothing in it that a mail must not hold. */
type MailWords = {
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

/** What every template is tried with before anything is asked or sent. */
const SAMPLE: MailWords = {
  name: 'Ada',
  count: 2,
  apps: ['Slack', 'GitHub'],
  more: 0,
  isReminder: false,
  link: 'https://onramp.example/invite/x',
  optOut: 'https://onramp.example/invite/x/opt-out',
  address: 'https://onramp.example',
  host: 'onramp.example',
  days: 30,
  from: 'The search team',
}

const firstLineOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : 'it fails'

type Rendered = { subject: string; text: string; html: string }

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
 * @throws {FaultyTemplate} when one of them is missing, or fails
 */
export function createMailTemplates(folder: string, views: Views = REPLACED): RenderMail {
  for (const view of Object.values(views))
    if (!existsSync(join(folder, `${view}.eta`))) throw new FaultyTemplate(`${folder} holds no ${view}.eta`)
  const html = createViews(folder)
  const plain = new Eta({ views: folder, cache: true, autoEscape: false, autoTrim: [false, 'nl'] })

  /** A template is code of somebody's: what goes wrong in it is told with its name. */
  const rendered = (view: string, render: () => string): string => {
    try {
      return render()
    } catch (error) {
      throw new FaultyTemplate(`${view}.eta: ${firstLineOf(error)}`, {
        cause: error,
      })
    }
  }

  const render: RenderMail = (words) => {
    const whole = rendered(views.text, () => plain.render(`./${views.text}`, words))
    const [, subject = '', text = ''] = /^Subject:[ \t]*(.*)\r?\n\r?\n([\s\S]*)$/.exec(whole) ?? []
    if (subject.trim() === '' || text.trim() === '')
      throw new FaultyTemplate(`${views.text}.eta: it has to open with "Subject: …" and an empty line`)
    // A line break would start another header of the mail.
    if (/\p{Cc}/u.test(subject))
      throw new FaultyTemplate(`${views.text}.eta: the subject holds a control character`)
    const short = Array.from(subject.trim()).slice(0, MOST_SUBJECT_CHARACTERS).join('')
    return {
      subject: short,
      text: text.trim() + '\n',
      html: rendered(views.html, () => html(views.html, words)),
    }
  }
  render(SAMPLE)
  return render
}
