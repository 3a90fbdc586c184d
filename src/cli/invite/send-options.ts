// The options of onramp invite send.
import type { Policy } from '../../campaigns/campaign.ts'
import { MAX_DAYS } from '../../invites/token.ts'
import { readArguments, UsageError, wholeNumberOf, wordOf } from '@onramp/deprecations/command-line/arguments'
import { datasourcesFrom } from './options.ts'

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
  'min-gap': text('48'),
  'retry-unknown': flag,
  'retry-failed': flag,
  'mail-in-doubt': flag,
  limit: text('999999999'),
  'stop-after': text('5'),
  rate: text('5'),
  'mail-rate': text('10'),
  // Exchange Online takes three emails of a mailbox at a time.
  'at-once': text('3'),
  'ask-again-after': text('60'),
  template: { type: 'string' },
  metrics: { type: 'string' },
  yes: flag,
  json: flag,
} as const

export type SendOptions = ReturnType<typeof readSendOptions>

/** @throws {UsageError} */
export function readSendOptions(args: string[]) {
  const { values, words } = readArguments(args, options, 1)
  const [file] = words
  if (file === undefined) throw new UsageError('expected one list, or - for standard input')
  const { campaign } = values
  if (!/^[\w.-]{1,40}$/.test(campaign))
    throw new UsageError('--campaign can contain letters, digits, dots and dashes, at most 40 characters')
  const whole = (name: keyof typeof values, range: readonly [number, number]) =>
    wholeNumberOf(`--${name}`, String(values[name]), range)
  const remind = values['remind-after'] === undefined ? undefined : whole('remind-after', [1, 365])
  const policy: Policy = {
    campaign,
    remindAfterMs: remind === undefined ? undefined : remind * DAY_MS,
    maxReminders: whole('max-reminders', [0, 20]),
    retryUnknown: values['retry-unknown'],
    retryFailed: values['retry-failed'],
    mailInDoubt: values['mail-in-doubt'],
    minGapMs: whole('min-gap', [0, 8760]) * 3_600_000,
    freshMs: whole('ask-again-after', [0, 100_000]) * 60_000,
  }
  return {
    file,
    campaign,
    policy,
    isDryRun: values['dry-run'],
    /** Emails go out without a question. */
    isSure: values.yes,
    isJson: values.json,
    datasources: datasourcesFrom(values.datasource),
    days: whole('days', [1, MAX_DAYS]),
    template: values.template,
    metrics: values.metrics,
    onInvalid: wordOf('--on-invalid', values['on-invalid'], ['stop', 'skip']),
    limit: whole('limit', [1, 999_999_999]),
    /** So many emails in a row that were not sent end the run; 0: it goes on. */
    stopAfter: whole('stop-after', [0, 1_000]),
    rate: whole('rate', [1, 10_000]),
    mailRate: whole('mail-rate', [1, 10_000]),
    atOnce: whole('at-once', [1, 100]),
  }
}
