// A mail server that delivers nothing: it keeps what arrives and shows it. No password, no TLS.
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { html, type Html, type Page } from './pages.ts'

type ArrivedMail = { at: string; from: string; to: string[]; raw: string }

/** What the server does instead of taking mails at once. */
type MailBehaviour = {
  /** A reply at MAIL FROM. */
  refuseSender?: Reply
  /** A reply at RCPT TO. */
  refuse?: Reply
  /** The connection ends when the whole mail is there, before an answer. */
  cut?: boolean
  /** Waits before it takes a mail. */
  delayMs?: number
}

type Reply = { code: number; message: string }

const refusal = (reply: Reply | undefined) =>
  reply && Object.assign(new Error(reply.message), { responseCode: reply.code })

const host = '127.0.0.1'

export type MailCatcher = Awaited<ReturnType<typeof startMailCatcher>>

/** Opens the port. @throws Error when it is taken */
export async function startMailCatcher(port: number, bind = host) {
  const mails: ArrivedMail[] = []
  const sockets = new Map<number, Socket>()
  let mostConnections = 0
  let behaviour: MailBehaviour = {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onRcptTo: (_address, _session, done) => done(refusal(behaviour.refuse)),
    onMailFrom: (_address, _session, done) => done(refusal(behaviour.refuseSender)),
    async onData(stream, { envelope: { mailFrom, rcptTo }, remotePort }, done) {
      // A client that is killed may break off in the middle: then no mail has arrived.
      const raw = await text(stream).catch(() => undefined)
      if (raw === undefined) return
      const from = mailFrom === false ? '' : mailFrom.address
      mails.push({ at: new Date().toISOString(), from, to: rcptTo.map(({ address }) => address), raw })
      if (behaviour.cut) sockets.get(remotePort)?.destroy()
      else if (behaviour.delayMs) setTimeout(done, behaviour.delayMs)
      else done()
    },
  })
  server.server.on('connection', (socket) => {
    const port = socket.remotePort ?? 0
    sockets.set(port, socket)
    mostConnections = Math.max(mostConnections, sockets.size)
    socket.once('close', () => sockets.delete(port))
  })
  // A client that is killed breaks its connection, which must not end the sandbox.
  server.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, bind, () => resolve())
  })
  const { port: opened } = server.server.address() as AddressInfo
  return {
    url: `smtp://${host}:${opened}`,
    mails,
    clear: () => void (mails.length = 0),
    /** The most connections at once so far. */
    mostConnections: () => mostConnections,
    behave: (given: MailBehaviour) => void (behaviour = given),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const SHOWN_MAILS = 50

/** The last mails that arrived, newest first. @param recipient part of an address that they went to; empty: any */
export async function mailPage(mails: readonly ArrivedMail[], recipient = ''): Promise<Page> {
  const part = recipient.trim().toLowerCase()
  const found = mails.filter(({ to }) => part === '' || to.some((one) => one.toLowerCase().includes(part)))
  const last = found.slice(-SHOWN_MAILS).toReversed()
  const shown = await Promise.all(last.map((mail, index) => mailBlock(mail, index === 0)))
  const body = html`<p class="note">${countOf(mails.length)} caught. Nothing is delivered.</p>
    <form class="find" action="/mail" method="get" role="search">
      <label for="to">Search by recipient</label>
      <div>
        <input id="to" name="to" type="search" value="${recipient}" autocomplete="off" />
        <button class="inline" type="submit">Find</button>
      </div>
    </form>
    <p>${countOf(found.length)}${found.length > last.length && ` (showing the last ${last.length})`}</p>
    ${shown}
    <p><a href="/">Control panel</a></p>`
  return { title: 'Inbox', site: 'Sandbox', body, wide: true }
}

const countOf = (mails: number) => (mails === 0 ? 'No emails' : mails === 1 ? 'One email' : `${mails} emails`)

async function mailBlock({ at, to, raw }: ArrivedMail, isOpen: boolean): Promise<Html> {
  const mail = await PostalMime.parse(raw)
  return html`<details ${isOpen && 'open'}>
    <summary>${mail.subject} <small>${to.join(', ')} · ${at.slice(11, 19)}</small></summary>
    ${mail.html !== undefined && framed(mail.html)}
    <details>
      <summary>As plain text</summary>
      <pre>${linked(mail.text ?? '')}</pre>
    </details>
    <details>
      <summary>Headers</summary>
      <pre>${raw.slice(0, raw.search(/\r?\n\r?\n/))}</pre>
    </details>
  </details>`
}

/** The mail as a mail program shows it: no script runs, and its links open in a page of their own. */
const framed = (markup: string): Html =>
  html`<iframe
    class="mail"
    title="The email"
    sandbox="allow-popups allow-popups-to-escape-sandbox"
    srcdoc="${`<base target="_blank">${markup}`}"
  ></iframe>`

/** The text with its addresses made links. */
const linked = (text: string): Html[] =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<a href="${part}">${part}</a>`))
