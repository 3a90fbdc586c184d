// Emails to administrators, as `onramp keep` sends them: an app that many lost at once, and the digest of a week. They name no
// one, and no group of fewer than five. Pure.
import type { Notice } from '../campaigns/mail/notice.ts'
import type { Break, Upkeep } from '../people/upkeep.ts'
import type { Company } from '../company/company.ts'
import type { Report } from './report.ts'

export function breakNotice(_found: Break, _publicUrl: string, _company: Company): Notice {
  throw new Error('to be written')
}

export function digestNotice(
  _report: Report,
  _upkeep: Upkeep,
  _publicUrl: string,
  _company: Company,
): Notice {
  throw new Error('to be written')
}
