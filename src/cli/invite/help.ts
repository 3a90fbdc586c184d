// The help texts of `onramp invite`. Texts alone, so that reading them loads nothing of the commands.

export const inviteHelp = `Usage: onramp invite COMMAND [options]

  link EMAIL          print a link for one person, to paste into a message
  send PEOPLE.csv     email everyone who still has apps to connect
  preview FOLDER      write the emails to files instead of sending them
  report              show who has been invited, signed in and finished
  forget EMAIL        delete everything stored about someone

Run "onramp invite COMMAND --help" for details.
`

export const linkHelp = `Usage: onramp invite link EMAIL [--datasource ID]... [--days N] [--json]

Prints a personal link to paste into a message. It opens the apps page with the
person's email filled in at sign-in. The link is not a credential: people still
have to sign in. It can be used any number of times until it expires.

Examples:
  onramp invite link ada@acme.example
  onramp invite link ada@acme.example --datasource slack --days 7

Options:
  --datasource ID   only this app (slack_1), or every instance of it (slack);
                    can be repeated
  --days N          days until the link expires, 1 to 90 (default: 30)
  --json            {"url", "email", "expires"}

Exit codes: 0 success, 2 usage error, 78 configuration error.
`

export const sendHelp = `Usage: onramp invite send PEOPLE.csv [options]
       onramp invite send - < PEOPLE.ndjson

Emails everyone on the list who still has apps to connect. For each person,
onramp asks the service what is left (SERVICE_GLOBAL_TOKEN, X-Service-ActAs);
emails are sent through SMTP_URL from MAIL_FROM.

Progress is saved in the store, so running the same command again resumes where
it stopped, even after a crash, and no one is emailed twice. Only one run of a
campaign can be active at a time.

The list is a CSV file with an "email" column (optionally "name", "department"
and "language"), separated by commas, semicolons or tabs; NDJSON with the same
keys; or one address per line. The language is a tag like de or pt-BR. If it is
missing or not offered, the email is in the default language.

Examples:
  onramp invite send people.csv --dry-run          show who would be emailed
  onramp invite send people.csv                    send the emails
  onramp invite send people.csv --limit 20         send to a pilot group first
  onramp invite send people.csv --remind-after 7   remind people a week later

Options:
  --dry-run              query the service, but send and save nothing
  --yes                  skip the confirmation prompt (shown on a terminal
                         only)
  --campaign NAME        track progress under this name (default: onboarding)
  --datasource ID        only this app (slack_1), or every instance of it
                         (slack); can be repeated
  --days N               days until links expire, 1 to 90 (default: 30)
  --template FOLDER      invitation-text.eta and invitation-html.eta instead of
                         ours (views/mail); see onramp invite preview

  --remind-after DAYS    remind people emailed at least DAYS ago (1 to 365) who
                         still have apps left (default: no reminders)
  --max-reminders N      reminders per person (default: 3)
  --min-gap HOURS        minimum gap between emails from different campaigns
                         (default: 48)
  --limit N              send at most N emails in this run

  --on-invalid stop|skip stop before sending if a row is invalid (default), or
                         skip the row
  --retry-unknown        resend emails that may already have been sent (after a
                         crash or a broken connection)
  --retry-failed         resend emails that the mail server rejected, or delayed
                         five times
  --mail-in-doubt        also email people whose opt-out may have been in a
                         deleted, unreadable record
  --stop-after N         stop the run after N rejected emails in a row; that
                         many in a row usually means a server problem
                         (default: 5, four times as many if each reply names the
                         mailbox; 0: never stop)

  --rate N               service requests per second (default: 5); 429 and
                         Retry-After are honored as well
  --mail-rate N          emails per second (default: 10)
  --at-once N            people processed in parallel (default: 3); at most N
                         deliveries are unknown after a crash
  --ask-again-after MIN  recheck people with nothing to connect after MIN
                         minutes (default: 60)
  --metrics FILE         write how long the service, the store and the mail
                         server take, in Prometheus node_exporter format
  --json                 print the counts as one line of JSON on standard
                         output; with --dry-run, preceded by one line for each
                         person who would be emailed

Exit codes:
  0    success, or --limit reached; people whom the service doesn't know are
       listed, and don't change this
  1    stopped; see the error message
  2    usage error
  3    finished with problems; each one is listed on standard error and in
       onramp invite report --csv
  4    another run of this campaign is in progress
  78   configuration error
  130  interrupted
`

export const previewHelp = `Usage: onramp invite preview FOLDER [options]
       onramp invite preview --to EMAIL [options]

Writes the invitation and reminder exactly as they would be sent: .html, .txt,
and .eml for a mail app. With --to, sends the invitation to that address
instead. Doesn't contact the service or save anything. Emails in a language
other than the default have it in their file names: invitation.de.html.

Examples:
  onramp invite preview ./preview
  onramp invite preview ./preview --list people.csv
  onramp invite preview --to me@acme.example --template ./our-mail

Options:
  --to EMAIL         send the invitation to EMAIL through SMTP_URL
  --list PEOPLE.csv  in every language that the people on this list get
  --language TAG     in this language, if it is offered; can be repeated
  --template FOLDER  invitation-text.eta and invitation-html.eta instead of ours
  --datasource ID    only this app; can be repeated

Exit codes: 0 success, 1 failed (see the error message), 2 usage error,
78 configuration error.
`

export const reportHelp = `Usage: onramp invite report [--json | --csv]

Shows who has been invited, opened the invitation, signed in and finished, and
the status of each app. Reads saved data only; doesn't contact the service.

Examples:
  onramp invite report
  onramp invite report --csv > people.csv

Options:
  --json  the counts
  --csv   one row per person, safe to open in a spreadsheet

Exit codes: 0 success, 1 store unreachable, 2 usage error,
78 configuration error.
`

export const forgetHelp = `Usage: onramp invite forget EMAIL

Deletes everything stored about a person: emails, progress, and their opt-out.
Their connections are not affected. Sign-ins end within SESSION_MAX_HOURS; until
then, using the site puts them back on record. Remove them from the list too, or
the next run will invite them again.

Records that can't be read (sealed under another SESSION_SECRET or
INVITE_SECRET) and may be about this person are deleted unread. Such a record
may have contained other people's opt-outs, so invite send skips everyone it may
have been about, unless you use --mail-in-doubt.

Example:
  onramp invite forget ada@acme.example

Exit codes: 0 success, 1 store unreachable, 2 usage error,
78 configuration error.
`
