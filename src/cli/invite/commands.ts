// The commands of `onramp invite`, with their options and help.
import { Option } from '@commander-js/extra-typings'
import { textOption, listOption, UsageError, valueOption } from '@onramp/terminal/arguments'
import type { DefineCommands } from '@onramp/terminal/shell'
import { addressToInvite } from '../../people/address.ts'
import { datasource, days, sendOn, template } from './send-options.ts'

export const EXITS = '\nExit codes: 0 success, 1 failed, 2 usage error, 78 configuration error.'

/** @param read returns undefined for an invalid address @returns a parser that then throws {UsageError} */
export const addressBy =
  (read: (typed: string) => string | undefined) =>
  (typed: string, name = 'EMAIL'): string => {
    const email = read(typed)
    if (email !== undefined) return email
    throw new UsageError(`${name} must be an email address like ada@acme.example`)
  }

export const recipient = addressBy(addressToInvite)

const addLink: DefineCommands = (invite, context, exit) =>
  invite
    .command('link')
    .description(
      `Print a link for one person, to paste into a message. It opens the apps page with
their email filled in at sign-in. The link is not a credential: people still
have to sign in. It can be used any number of times until it expires.

Example:
  onramp invite link ada@acme.example --datasource slack --days 7`,
    )
    .argument('<EMAIL>', '', recipient)
    .addOption(datasource())
    .addOption(days())
    .option('--json', 'print {"url", "email", "expires"}')
    .addHelpText('after', EXITS)
    .action(async (email, options) =>
      exit((await import('../one-person.ts')).invitationLink(email, options, context)),
    )

const addPreview: DefineCommands = (invite, context, exit) =>
  invite
    .command('preview')
    .usage('[options] FOLDER\n       onramp invite preview [options] --to EMAIL')
    .description(
      `Write the emails to files instead of sending them: the invitation, the reminder
and the email about access that ended ("lapse"), exactly as they would be sent,
as .html, .txt, and .eml for a mail app. With --to, sends the invitation to that
address instead. Doesn't contact the service or save anything. Emails in a
language other than the default have it in their file names: invitation.de.html.

Examples:
  onramp invite preview ./preview --list people.csv
  onramp invite preview --to me@acme.example --template ./our-mail`,
    )
    .argument('[FOLDER]')
    .addOption(valueOption('--to <EMAIL>', 'send the invitation to EMAIL through SMTP_URL', recipient))
    .addOption(textOption('--list <PEOPLE.csv>', 'in every language that the people on this list get'))
    .addOption(listOption('--language <TAG>', 'in this language, if it is offered'))
    .addOption(template())
    .addOption(datasource())
    .addHelpText('after', EXITS)
    .action(async (folder, options) => exit((await import('./preview.ts')).preview(folder, options, context)))

const addReport: DefineCommands = (invite, context, exit) =>
  invite
    .command('report')
    .description(
      `Show who has been invited, signed in and finished, and the status of each app.
Reads saved data only; doesn't contact the service.`,
    )
    .addOption(new Option('--json', 'print the counts').conflicts('csv'))
    .option('--csv', 'print one row per person, safe to open in a spreadsheet')
    .addHelpText('after', EXITS)
    .action(async (options) => exit((await import('./report.ts')).report(options, context)))

const addBounced: DefineCommands = (invite, context, exit) =>
  invite
    .command('bounced')
    .description(
      `Mark the newest email to each person as rejected: it came back after the mail
server had accepted it. They get no more of them.
Each is audited on standard error. docs/invitations.md has a script for a mailbox.

Examples:
  onramp invite bounced ada@acme.example
  onramp invite bounced --list bounced.txt`,
    )
    .argument('[EMAIL...]', '', (typed: string, before: string[] | undefined) => [
      ...(before ?? []),
      recipient(typed),
    ])
    .addOption(textOption('--list <FILE>', 'and everyone on this list (- is standard input)'))
    .addHelpText('after', EXITS)
    .action(async (emails, options) =>
      exit((await import('../opt-outs.ts')).markBounced(emails ?? [], options, context)),
    )

const addForget: DefineCommands = (invite, context, exit) =>
  invite
    .command('forget')
    .description(
      `Delete everything stored about a person: emails, progress, and their opt-out.
Their connections are not affected. Sign-ins end within SESSION_MAX_HOURS; until
then, using the site puts them back on record. Remove them from the list too, or
the next run will invite them again. Audited on standard error.`,
    )
    .argument('<EMAIL>', '', recipient)
    .addHelpText('after', EXITS)
    .action(async (email) => exit((await import('../one-person.ts')).forgetPerson(email, context)))

export const addInvite: DefineCommands = (program, context, exit) => {
  const invite = program.command('invite').description('Invite people by link or email, and track progress.')
  addLink(invite, context, exit)
  sendOn(invite).action(async (file, options) =>
    exit((await import('./send.ts')).send(file, options, context)),
  )
  for (const add of [addPreview, addReport, addBounced, addForget]) add(invite, context, exit)
}
