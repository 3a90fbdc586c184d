// A mail server that delivers nothing, without password and TLS, and its inbox.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { html, type Html } from './pages.ts'

type ReceivedMail = { at: string; to: string[]; raw: string }

const host = '127.0.0.1'

export async function startMailCatcher(port: number, bind = host) {
  const emails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    async onData(stream, { envelope: { rcptTo } }, done) {
      // Undefined if the client broke off before the end.
      const raw = await text(stream).catch(() => undefined)
      if (raw === undefined) return
      emails.push({ at: new Date().toISOString(), to: rcptTo.map(({ address }) => address), raw })
      done()
    },
  })
  const listening = once(server.server, 'listening')
  server.listen(port, bind)
  await listening
  // A broken connection must not end the sandbox.
  server.on('error', () => {})
  const { port: opened } = server.server.address() as AddressInfo
  return {
    url: `smtp://${host}:${opened}`,
    emails,
    clear: () => void (emails.length = 0),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const SHOWN_MAILS = 50

/** Shows the newest emails first. @param recipient part of a recipient's address; empty: any */
export async function mailPage(emails: readonly ReceivedMail[], recipient: string) {
  const part = recipient.trim().toLowerCase()
  const foundEmails = emails.filter(
    ({ to }) => part === '' || to.some((address) => address.toLowerCase().includes(part)),
  )
  const last = foundEmails.slice(-SHOWN_MAILS).toReversed()
  const blocks = await Promise.all(last.map((mail, index) => mailBlock(mail, index === 0)))
  const body = html`<p class="note">${countOf(emails.length)} caught. Nothing is delivered.</p>
    <form class="find" action="/mail" method="get" role="search">
      <label for="to">Search by recipient</label>
      <div>
        <input id="to" name="to" type="search" value="${recipient}" autocomplete="off" />
        <button class="inline" type="submit">Find</button>
      </div>
    </form>
    <p>
      ${countOf(foundEmails.length)}${foundEmails.length > last.length && ` (showing the last ${last.length})`}
    </p>
    ${blocks}
    <p><a href="/">Control panel</a></p>`
  return { title: 'Inbox', site: 'Sandbox', body, wide: true }
}

const countOf = (count: number) => (count === 0 ? 'No emails' : count === 1 ? 'One email' : `${count} emails`)

/** Shows an email like a mail program: without scripts, and links open a new page. */
async function mailBlock({ at, to, raw }: ReceivedMail, isOpen: boolean): Promise<Html> {
  const mail = await PostalMime.parse(raw)
  const linkedText = (mail.text ?? '')
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 0 ? part : html`<a href="${part}">${part}</a>`))
  return html`<details ${isOpen && 'open'}>
    <summary>${mail.subject} <small>${to.join(', ')} · ${at.slice(11, 19)}</small></summary>
    ${
      mail.html !== undefined &&
      html`<iframe
        class="mail"
        title="The email"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        srcdoc="${`<base target="_blank">${mail.html}`}"
      ></iframe>`
    }
    <details>
      <summary>As plain text</summary>
      <pre>${linkedText}</pre>
    </details>
    <details>
      <summary>Headers</summary>
      <pre>${raw.slice(0, raw.search(/\r?\n\r?\n/))}</pre>
    </details>
  </details>`
}
