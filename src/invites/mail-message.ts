// A mail as the mail library takes it, and as the bytes that leave. What surprises: prepared headers are not folded.
import { createTransport } from 'nodemailer'
import type { Mail } from './mail.ts'

export function messageOf({ from, to, subject, text, html, messageId, headers }: Mail) {
  const envelope = { from: from.address, to }
  const prepared = Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } }))
  return { from, to, subject, text, html, messageId, envelope, headers: prepared }
}

/** What a mail program opens as a file, an .eml (RFC 5322). */
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
