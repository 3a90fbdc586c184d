// The options of onramp invite send, and its help.
import { parseArgs } from 'node:util'
import type { Policy } from '../invites/campaign.ts'
import { MOST_DAYS } from '../invites/token.ts'
import { UsageError, wholeNumberOf } from './usage.ts'

export const sendHelp = `Usage: onramp invite send PEOPLE.csv [options]
       onramp invite send - < PEOPLE.ndjson

  onramp invite send people.csv --dry-run              who would get what; sends nothing
  onramp invite send people.csv                        mails everybody who has something to connect
  onramp invite send people.csv --remind-after 7       the same again a week later: reminds who still has
  onramp invite send people.csv --limit 20             a first few

The list: CSV with a column "email" (and "name"), comma, semicolon or tab; NDJSON with the same keys; or one address a
line. The service is asked for each person (SERVICE_GLOBAL_TOKEN with X-Service-ActAs) what still waits; mails leave by
SMTP_URL from MAIL_FROM. What happened is written down in the store, so the same command again goes on where it ended,
killed or not, and nobody gets a mail twice. Two runs of one campaign exclude each other.

  --campaign NAME        what is written down belongs to it; "onboarding" unless told
  --dry-run              asks the service, sends and writes nothing
  --datasource ID        the link is about this one only; may be repeated
  --days N               how long links work, 1 to ${MOST_DAYS}; 30 unless told
  --remind-after DAYS    reminds whoever got a mail so long ago and still has something; without it nobody is reminded
  --max-reminders N      3 unless told
  --on-invalid stop|skip a faulty row stops before anything is sent (the default), or is left out
  --retry-unknown        sends again what may have been sent already (a run was killed just then)
  --limit N              at most so many mails in this run
  --rate N               questions to the service a second, 5 unless told; 429 and Retry-After are honoured beyond that
  --mail-rate N          mails a second, 10 unless told
  --at-once N            people at a time, 4 unless told; as many at most are uncertain after a crash
  --ask-again-after MIN  whom the service said to have nothing is asked about again after so many minutes; 60
  --template FOLDER      invitation-text.eta and invitation-html.eta instead of ours (views/mail)
  --json                 the counts as one line of JSON on standard output

Exit codes: 0 everybody has what they should; 1 stopped (the message says why); 2 wrong usage; 3 done, but some rows,
people or mails need a look; 4 another run of the campaign is under way; 78 settings need mending; 130 interrupted.
`

export type SendOptions = {
  file: string
  campaign: string
  isDryRun: boolean
  isJson: boolean
  datasources: string[]
  days: number
  onInvalid: 'stop' | 'skip'
  limit: number
  rate: number
  mailRate: number
  atOnce: number
  template: string | undefined
  policy: Policy
}

const DAY_MS = 86_400_000
const text = (standard: string) => ({ type: 'string', default: standard }) as const
const flag = { type: 'boolean', default: false } as const

const options = {
  campaign: text('onboarding'),
  'dry-run': flag,
  datasource: { type: 'string', multiple: true },
  days: text('30'),
  'remind-after': { type: 'string' },
  'max-reminders': text('3'),
  'on-invalid': text('stop'),
  'retry-unknown': flag,
  limit: text('999999999'),
  rate: text('5'),
  'mail-rate': text('10'),
  'at-once': text('4'),
  'ask-again-after': text('60'),
  template: { type: 'string' },
  json: flag,
} as const

/** @throws {UsageError} or what parseArgs throws */
export function readSendOptions(args: string[]): SendOptions {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0)
    throw new UsageError('it takes one list, or - for standard input')
  const onInvalid = values['on-invalid']
  if (onInvalid !== 'stop' && onInvalid !== 'skip') throw new UsageError('--on-invalid takes stop or skip')
  const { campaign } = values
  if (!/^[\w.-]{1,40}$/.test(campaign))
    throw new UsageError('--campaign takes letters, digits, dots and dashes')
  const datasources = values.datasource ?? []
  if (datasources.some((id) => id === '' || id.length > 200 || /\p{Cc}/u.test(id)))
    throw new UsageError('--datasource takes an identifier like slack_1')
  const whole = (name: keyof typeof values, range: readonly [number, number]) =>
    wholeNumberOf(name, String(values[name]), range)
  const remind = values['remind-after'] === undefined ? undefined : whole('remind-after', [0, 365])
  return {
    file,
    campaign,
    isDryRun: values['dry-run'],
    isJson: values.json,
    datasources,
    days: whole('days', [1, MOST_DAYS]),
    onInvalid,
    limit: whole('limit', [1, 999_999_999]),
    rate: whole('rate', [1, 10_000]),
    mailRate: whole('mail-rate', [1, 10_000]),
    atOnce: whole('at-once', [1, 100]),
    template: values.template,
    policy: {
      campaign,
      ...(remind === undefined ? {} : { remindAfterMs: remind * DAY_MS }),
      maxReminders: whole('max-reminders', [0, 20]),
      retryUnknown: values['retry-unknown'],
      freshMs: whole('ask-again-after', [0, 100_000]) * 60_000,
    },
  }
}
