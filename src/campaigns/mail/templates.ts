// Renders the templates of an email: views/mail, or an admin's folder with the same two files. The plain text
// begins with "Subject: …" and an empty line. Templates are code, so only the operator may provide them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { wrapText } from '@onramp/terminal/terminal'
import { neutralCompany } from '../../company/company.ts'
import { LANGUAGES_FOLDER, readCatalogue, REFERENCE_LANGUAGE } from '../../web/languages/catalogue.ts'
import { createTexts } from '../../web/languages/texts.ts'
import { createViews, VIEWS_FOLDER } from '../../web/views.ts'
import { initialOf } from '../../company/app-icons.ts'
import { OperatorError } from '../../problem.ts'
import { createEmailStyles } from './email-style.ts'

const english = createTexts(REFERENCE_LANGUAGE, readCatalogue(LANGUAGES_FOLDER, REFERENCE_LANGUAGE), {
  product: 'search',
})

/** Everything that a template may print; nothing is secret. Every template is tried with it before a run. */
const SAMPLE = {
  t: english,
  look: createEmailStyles(neutralCompany).styleIn(english),
  email: 'ada@onramp.example',
  /** May be empty. `firstName`: the given name, or the whole name if unclear. */
  name: 'Ada Lovelace',
  firstName: 'Ada',
  /** From the company file. Both may be empty. */
  sender: { name: 'Grace Hopper', role: 'Head of IT' },
  /** The number of apps that it is about; of very many, the first few. */
  count: 2,
  /** Display names of the first apps, then of others that are left; `more` are left out. */
  apps: ['Slack', 'GitHub'],
  /** Icons of these apps; undefined: a letter is shown. */
  icons: [undefined, { src: 'cid:app@onramp', width: 28, height: 28 }],
  more: 0,
  /** The number of connected apps, and of all apps. */
  connected: 1,
  total: 3,
  /** Apps left, without those that wait for an admin. */
  connectable: 2,
  /** Other apps are left, too. */
  hasOthers: false,
  isReminder: false,
  /** Access to these apps has ended. Then `isReminder` is false, because the subject stays the same. */
  isLapse: false,
  /** Many people lost access at once. */
  isShared: false,
  /** These apps came after the invitation. `isReminder`: each of them was in an earlier email. */
  isNew: false,
  /** These apps replace others that were connected. */
  isMoved: false,
  /** An admin still has to approve these apps. */
  isWaiting: false,
  /** The names of all apps that replace others. They come last in `apps`. */
  movedApps: ['GitHub'],
  /** An admin approved these apps, for which the person waited. `isConfirmed`: someone has connected since. */
  isApproved: false,
  isConfirmed: false,
  /** An earlier email said that these apps were approved. */
  isAgain: false,
  /** Other people wait for the approval, too. */
  othersWait: false,
  /** The second email about these apps, and the last one. */
  isSecond: false,
  isLast: false,
  /** The day when access ended. */
  since: english.day(0),
  link: 'https://onramp.example/invite/x',
  optOut: 'https://onramp.example/invite/x/opt-out',
  /** PUBLIC_URL, and its host as people type it. */
  address: 'https://onramp.example',
  host: 'onramp.example',
  days: 30,
  /** The day when the link expires. */
  expires: english.day(0),
  from: 'Acme Search',
}

type RenderedEmail = { subject: string; text: string; html: string }

class FaultyTemplate extends OperatorError {
  override name = 'FaultyTemplate'
}

const MAX_SUBJECT_CHARACTERS = 150

/** Characters; RFC 5322 2.1.1 recommends at most 78. */
const MAX_LINE = 72

/** Functions for templates, besides `t`. `wrapped`, because some mail programs truncate longer lines. */
const tools = {
  letterOf: initialOf,
  wrapped: (paragraph: string): string => wrapText(paragraph, MAX_LINE).join('\n'),
}

/** @param folder with invitation-text.eta and invitation-html.eta @throws {FaultyTemplate} */
export function createEmailTemplates(folder?: string): (data: typeof SAMPLE) => RenderedEmail {
  if (folder === undefined) return renderInvitation
  const views = ['invitation-text', 'invitation-html'] as const
  for (const view of views)
    if (!existsSync(join(folder, `${view}.eta`))) throw new FaultyTemplate(`${folder} has no ${view}.eta`)
  const render = createRenderer(views, folder)
  render(SAMPLE)
  render({ ...SAMPLE, isLapse: true })
  render({ ...SAMPLE, isNew: true, isMoved: true })
  render({ ...SAMPLE, isApproved: true })
  return render
}

/** @returns a function that throws {FaultyTemplate} if a template fails */
export function createRenderer(
  [textView, htmlView]: readonly [text: string, html: string],
  folder = VIEWS_FOLDER,
): (values: object) => RenderedEmail {
  const html = createViews(folder)
  const plain = new Eta({ views: folder, cache: true, autoEscape: false, autoTrim: [false, 'nl'] })

  const renderView = (view: string, render: () => string): string => {
    try {
      return render()
    } catch (cause) {
      const [why] = cause instanceof Error ? cause.message.split('\n', 1) : ['unknown error']
      throw new FaultyTemplate(`${view}.eta: ${why}`, { cause })
    }
  }

  return (values) => {
    const data = { ...values, ...tools }
    const whole = renderView(textView, () => plain.render(`./${textView}`, data))
    const [, subject = '', text = ''] = /^Subject:[ \t]*(.*)\r?\n\r?\n([\s\S]*)/.exec(whole) ?? []
    if (subject.trim() === '' || text.trim() === '')
      throw new FaultyTemplate(`${textView}.eta must start with "Subject: …" followed by an empty line`)
    // A line break would start another header of the email.
    if (/\p{Cc}/u.test(subject))
      throw new FaultyTemplate(`${textView}.eta: the subject contains a control character`)
    return {
      subject: Array.from(subject.trim()).slice(0, MAX_SUBJECT_CHARACTERS).join(''),
      text: text.trim() + '\n',
      html: renderView(htmlView, () => html(htmlView, data)),
    }
  }
}

const renderInvitation = createRenderer(['mail/invitation-text', 'mail/invitation-html'])
