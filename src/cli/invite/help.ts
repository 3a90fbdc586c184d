// The help texts of `onramp invite`. Texts alone, so that reading them loads nothing of the commands.

export const inviteHelp = `Usage: onramp invite COMMAND [options]

  link EMAIL          a link for one person, to paste into a message
  send PEOPLE.csv     emails everyone who still has something to connect
  preview FOLDER      the emails as they would leave, as files
  report              who was invited, arrived, and is done
  forget EMAIL        removes what is known of a person

Each explains itself: onramp invite send --help
`

export const linkHelp = `Usage: onramp invite link EMAIL [--datasource ID]... [--days N] [--json]

Prints a link for one person, to paste into a message. It opens the walk and
pre-fills the sign-in page. It is not a credential: people always sign in
through the authorization server. It works any number of times until it expires.

Examples:
  onramp invite link ada@acme.example
  onramp invite link ada@acme.example --datasource slack --days 7

Options:
  --datasource ID   only this datasource (slack_1), or every instance of it
                    (slack); may be repeated
  --days N          how long it works, 1 to 90 days; 30 by default
  --json            {"url", "email", "expires"}

Exit codes: 0 done, 2 wrong usage, 78 settings need correcting.
`

export const sendHelp = `Usage: onramp invite send PEOPLE.csv [options]
       onramp invite send - < PEOPLE.ndjson

Emails everyone on the list who still has something to connect. Onramp asks the
service what is left for each person (SERVICE_GLOBAL_TOKEN with
X-Service-ActAs); emails leave by SMTP_URL from MAIL_FROM.

What happened is written down in the store, so the same command again goes on
where it ended, killed or not, and no one gets an email twice. Only one run of a
campaign can be under way.

The list is CSV with a column "email" (and perhaps "name", "department" and
"language"), with commas, semicolons or tabs; NDJSON with the same keys; or one
address a line. The language is a tag like de or pt-BR; without it, or where it
is not offered, the email is in the default language.

Examples:
  onramp invite send people.csv --dry-run          who would get what
  onramp invite send people.csv                    sends
  onramp invite send people.csv --limit 20         a pilot group
  onramp invite send people.csv --remind-after 7   a week later

Options:
  --dry-run              asks the service; sends and writes nothing
  --yes                  does not ask before emails leave (it asks on a
                         terminal only)
  --campaign NAME        what is written down belongs to it; "onboarding"
                         by default
  --datasource ID        only about this one (slack_1), or every instance of
                         it (slack); may be repeated
  --days N               how long links work, 1 to 90; 30 by default
  --template FOLDER      invitation-text.eta and invitation-html.eta instead of
                         ours (views/mail); see onramp invite preview

  --remind-after DAYS    reminds people who got an email so long ago and
                         still have something; without it no one is reminded
  --max-reminders N      3 by default
  --min-gap HOURS        no email so soon after one of another campaign;
                         48 by default
  --limit N              at most so many emails in this run

  --on-invalid stop|skip a faulty row stops before anything is sent (the
                         default), or is left out
  --retry-unknown        sends again what may have been sent already: a run was
                         killed, or a connection broke, just then
  --retry-failed         sends again what the mail server refused for good
  --mail-in-doubt        also emails people who may have asked for no emails
                         in a record that invite forget removed unread
  --stop-after N         so many emails refused in a row end the run, as that
                         is hardly about the people; 5 by default, four times
                         as many where each reply names the mailbox; 0: it
                         goes on

  --rate N               requests to the service a second, 5 by default; 429
                         and Retry-After are honoured as well
  --mail-rate N          emails a second, 10 by default
  --at-once N            people at a time, 4 by default; as many at most are
                         uncertain after a crash
  --ask-again-after MIN  people with nothing left are asked about again after
                         so many minutes; 60 by default
  --json                 the counts as a line of JSON on standard output; with
                         --dry-run, before it, one for each person who would
                         get an email

Exit codes:
  0    everyone has what they should, or --limit ended the run
  1    stopped; the message says why
  2    wrong usage
  3    done, but some rows, people or emails need a look: each is named, on
       standard error and by onramp invite report --csv
  4    another run of the campaign is under way
  78   settings need correcting
  130  interrupted
`

export const previewHelp = `Usage: onramp invite preview FOLDER [options]
       onramp invite preview --to EMAIL [options]

Writes the invitation and the reminder into a folder as they would leave: .html,
.txt, and .eml for a mail program. With --to the invitation is sent to that
address instead, to see it in a real mail program. It asks the service nothing
and writes nothing down. Emails in another language than the default one have it
in their names: invitation.de.html.

Examples:
  onramp invite preview ./preview
  onramp invite preview ./preview --list people.csv
  onramp invite preview --to me@acme.example --template ./our-mail

Options:
  --to EMAIL         sends the invitation, by SMTP_URL
  --list PEOPLE.csv  in every language that the people of this list get
  --language TAG     in this language, if it is offered; may be repeated
  --template FOLDER  invitation-text.eta and invitation-html.eta instead of ours
  --datasource ID    only about this one; may be repeated

Exit codes: 0 done, 1 not possible (the message says why), 2 wrong usage,
78 settings need correcting.
`

export const reportHelp = `Usage: onramp invite report [--json | --csv]

Who was invited, started, signed in and finished, and the state of each app. It
reads what was written down and asks the service nothing.

Examples:
  onramp invite report
  onramp invite report --csv > people.csv

Options:
  --json  the counts
  --csv   a line for each person, safe to open in a spreadsheet

Exit codes: 0 done, 1 the store cannot be reached, 2 wrong usage,
78 settings need correcting.
`

export const forgetHelp = `Usage: onramp invite forget EMAIL

Removes everything that is written down about a person: emails, their progress,
and also that they want no emails. Their sign-in and their walk are not touched.
Take them off the list too, or the next run invites them again.

What cannot be read (another SESSION_SECRET or INVITE_SECRET sealed it) and may
be about this person is removed without being read. It may have said that others
want no emails, so invite send leaves out everyone it may have been about,
unless it has --mail-in-doubt.

Example:
  onramp invite forget ada@acme.example

Exit codes: 0 done, 1 the store cannot be reached, 2 wrong usage,
78 settings need correcting.
`
