// An email to administrators: figures, and what there is to do. It names no one.

import type { Company } from '../../company/company.ts'
import type { Mail } from './mail.ts'

export type Notice = {
  subject: string
  heading: string
  paragraphs: string[]
  figures: { label: string; value: string; change: string }[]
  /** What needs someone, each in a sentence. */
  needs: string[]
  /** To be copied. */
  commands: string[]
  link: { href: string; label: string }
}

/**
 * @param parts.publicUrl PUBLIC_URL
 * @returns composes one; `id` gives it one Message-ID however often it is tried
 */
export function createNoticeMail(_parts: { from: Mail['from']; publicUrl: string; company: Company }) {
  return (_to: string, _notice: Notice, _id: string): Mail => {
    throw new Error('to be written')
  }
}
