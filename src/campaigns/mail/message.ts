// An email as the mail library takes it, and as the bytes that leave. Prepared headers are not folded.
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import type { Mail } from './mail.ts'

export function messageOf({ from, to, subject, text, html, messageId, headers, inlines = [] }: Mail) {
  const envelope = { from: from.address, to }
  const prepared = Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } }))
  const attachments = inlines.map((inline) => ({ ...inline, contentDisposition: 'inline' as const }))
  return { from, to, subject, text, html, messageId, envelope, headers: prepared, attachments }
}

/** An .eml file (RFC 5322). */
export async function bytesOf(mail: Mail): Promise<Buffer> {
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

/**
 * How long the end of an email waits behind the email itself; milliseconds. Without it both leave in one packet, and when
 * the connection breaks on the way, no one can tell whether the server had the end.
 */
const BEFORE_THE_END_MS = 30

/** One try to hand over an email. */
export type HandOver = {
  /** What the connection reads from once the server has said that it takes an email (354). */
  stream(source: Readable): Readable
  /** Has the final dot left? Before it no server may deliver (RFC 5321 4.1.1.4). */
  isOver: boolean
}

export function handOver(): HandOver {
  async function* held(source: Readable) {
    for await (const chunk of source) yield chunk as Buffer
    await sleep(BEFORE_THE_END_MS)
    handed.isOver = true
  }
  const handed: HandOver = {
    // Nothing is read ahead, or the wait would be over before the server has asked for the email.
    stream: (source) => Readable.from(held(source), { objectMode: false, highWaterMark: 0 }),
    isOver: false,
  }
  return handed
}
