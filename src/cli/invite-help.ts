// The help texts of `onramp invite`. Texts alone, so that reading them loads nothing of the commands.

export const inviteHelp = `Usage: onramp invite COMMAND [options]

  link EMAIL          a link for one person, to paste into a message
  send PEOPLE.csv     mails everybody who still has something to connect
  report              who was invited, arrived, and is done

Each explains itself: onramp invite send --help
`

export const linkHelp = `Usage: onramp invite link EMAIL [--datasource ID]... [--days N] [--json]

  onramp invite link ada@acme.example
  onramp invite link ada@acme.example --datasource slack --datasource github_1 --days 7

Prints a link for one person, to paste into a message. It opens the walk and fills in whom to sign in as; it is no
credential: signing in is always the authorization server's. It works any number of times until it expires.

  --datasource ID   only this datasource (slack_1) or every instance of it (slack); may be repeated
  --days N          how long it works, 1 to 90 days; 30 unless told
  --json            {"url", "email", "expires"}

Exit codes: 0 done, 2 wrong usage, 78 settings need mending.
`

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
  --days N               how long links work, 1 to 90; 30 unless told
  --remind-after DAYS    reminds whoever got a mail so long ago and still has something; without it nobody is reminded
  --max-reminders N      3 unless told
  --on-invalid stop|skip a faulty row stops before anything is sent (the default), or is left out
  --min-gap HOURS        nobody gets a mail so soon after one of another campaign; 48 unless told
  --retry-failed         sends again what the mail server refused for good, or put off too often
  --retry-unknown        sends again what may have been sent already (a run was killed just then)
  --limit N              at most so many mails in this run
  --rate N               questions to the service a second, 5 unless told; 429 and Retry-After are honoured beyond that
  --mail-rate N          mails a second, 10 unless told
  --at-once N            people at a time, 4 unless told; as many at most are uncertain after a crash
  --ask-again-after MIN  whom the service said to have nothing is asked about again after so many minutes; 60
  --template FOLDER      invitation-text.eta and invitation-html.eta instead of ours (views/mail)
  --yes                  asks nobody before mails leave, on a terminal
  --json                 the counts as one line of JSON on standard output

Exit codes: 0 everybody has what they should; 1 stopped (the message says why); 2 wrong usage; 3 done, but some rows,
people or mails need a look; 4 another run of the campaign is under way; 78 settings need mending; 130 interrupted.
`

export const reportHelp = `Usage: onramp invite report [--json | --csv]

  onramp invite report
  onramp invite report --csv > people.csv

Who was invited, pressed Start, signed in, and how each datasource stands, as of when. It reads what was written down and
asks the service nothing. --csv is a line for each person, safe to open in a spreadsheet; --json the counts.

Exit codes: 0 done, 1 the store cannot be reached, 2 wrong usage, 78 settings need mending.
`
