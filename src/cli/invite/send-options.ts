// The options of `invite send`, some of which other commands of `invite` share.
import type { Command } from '@commander-js/extra-typings'
import { textOption, listOption, UsageError, numberOption, choiceOption } from '@onramp/terminal/arguments'
import { LIST_COLUMNS } from '../../people/person.ts'

/** Characters of JSON: the link is one line of the email's header (RFC 5322 2.1.1: 998). */
const MAX_IN_A_LINK = 360
const MAX_INVITATION_DAYS = 90

export const datasource = () =>
  listOption('--datasource <ID>', 'only this app (slack_1), or every instance of it (slack)', (ids) => {
    if (ids.some((id) => /\p{Cc}/u.test(id)))
      throw new UsageError('--datasource expects an identifier like slack_1')
    if (JSON.stringify(ids).length > MAX_IN_A_LINK)
      throw new UsageError('too many --datasource options for one link')
  })

export const days = () =>
  numberOption('--days <N>', 'days until the link expires', [1, MAX_INVITATION_DAYS]).default(30)

export const template = () =>
  textOption(
    '--template <FOLDER>',
    'invitation-text.eta and invitation-html.eta instead of ours (views/mail)',
  )

export const sendOn = (invite: Command) =>
  invite
    .command('send')
    .usage('[options] PEOPLE.csv\n       onramp invite send [options] - < PEOPLE.ndjson')
    .description(
      `Email everyone on the list who still has apps to connect. For each person,
onramp checks which apps are unconnected (SERVICE_GLOBAL_TOKEN,
X-Service-ActAs); emails are sent through SMTP_URL from MAIL_FROM.

Progress is saved in the store, so running the same command again resumes where
it stopped, even after a crash, and no one is emailed twice. Only one run of it,
or of onramp keep, can be active at a time.

The list is a CSV file with an "email" column, JSON with the same keys, or one
address per line. Optional columns: ${LIST_COLUMNS.join(', ')}.
People who are blocked in the directory that wrote it, and its guests, are left
out.

Examples:
  onramp invite send people.csv --dry-run          show who would be emailed
  onramp invite send people.csv --limit 20         send to a pilot group first
  onramp invite send people.csv --remind-after 7   remind people a week later`,
    )
    .argument('<PEOPLE.csv>')
    .option('--dry-run', 'query the service, but send and save nothing')
    .option('--yes', 'skip the confirmation prompt (shown on a terminal only)')
    .addOption(datasource())
    .addOption(days())
    .addOption(template())
    .option('--json', 'print the counts as one line of JSON; with --dry-run, after one line for each email')

    .optionsGroup('Who gets an email:')
    .addOption(
      numberOption(
        '--remind-after <DAYS>',
        'also remind people last emailed DAYS ago or earlier (three times at most)',
        [1, 365],
      ),
    )
    .addOption(numberOption('--limit <N>', 'send at most N emails in this run', [1, 999_999_999]))
    .addOption(
      choiceOption('--on-invalid <WHAT>', 'what to do about an invalid row', ['stop', 'skip']).default(
        'stop' as const,
      ),
    )
    .option('--include-guests', 'also guests of your directory (see "The list" in docs/invitations.md)')
    .option('--retry-unknown', 'resend emails that may have been sent (a crash, a broken connection)')
    .addOption(
      numberOption('--rate <N>', 'service requests per second; Retry-After is honored', [1, 10_000]).default(
        5,
      ),
    )
    .addHelpText(
      'after',
      `
Exit codes: 0 success, or --limit reached (people whom the service doesn't know
are listed, and don't change this); 1 stopped; 2 usage error; 3 finished with
problems (listed on standard error and in onramp invite report --csv); 4 another
run is in progress; 78 configuration error; 130 interrupted.`,
    )

export type SendOptions = ReturnType<ReturnType<typeof sendOn>['opts']>
