// Before emails go out from a terminal, a person confirms. A script is not asked, because it cannot answer.
import { createInterface } from 'node:readline/promises'
import type { Settings } from '../../settings/settings.ts'
import type { CliParts } from '@onramp/deprecations/command-line/parts'

type Asked = Pick<Settings, 'MAIL_FROM' | 'SMTP_URL'>

/** @param people how many emails there may be; undefined: the list comes from a pipe, so there is no one to ask */
export async function isConfirmed(
  people: number | undefined,
  { MAIL_FROM, SMTP_URL = '' }: Asked,
  { stdin, stderr }: Pick<CliParts, 'stdin' | 'stderr'>,
): Promise<boolean> {
  if (people === undefined || stdin.isTTY !== true || stderr.isTTY !== true) return true
  const { host } = new URL(SMTP_URL)
  stderr.write(
    `Up to ${people.toLocaleString('en')} emails will be sent through ${host} from ${MAIL_FROM?.address ?? ''}.\n`,
  )
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question('Send these emails? (Use --dry-run to preview.) [y/N] ')
    const isYes = /^y(es)?$/i.test(answer.trim())
    if (!isYes) stderr.write('Nothing was sent.\n')
    return isYes
  } finally {
    terminal.close()
  }
}
