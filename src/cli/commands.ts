// Every command with its options and help. A command's code is loaded when it is called.
import { addCommands as addDeprecations } from '@onramp/deprecations/command'
import { textOption, listOption, UsageError, valueOption, numberOption } from '@onramp/terminal/arguments'
import type { DefineCommands } from '@onramp/terminal/shell'
import { WORKING_HOURS } from '../campaigns/working-time.ts'
import { APP_STATUSES } from '../client-api/app-status.ts'
import { isActAsAddress } from '../client-api/credentials.ts'
import { VERSION } from '../version.ts'
import { addInvite, addressBy, EXITS, recipient } from './invite/commands.ts'

export const onramp: DefineCommands = (program, context, exit) => {
  program
    .name('onramp')
    .description('Guide people through connecting their apps to enterprise search.')
    .version(VERSION, '--version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', '\nRun "onramp COMMAND --help" for details.')
  addServe(program, context, exit)
  addInvite(program, context, exit)
  addKeep(program, context, exit)
  addDoctor(program, context, exit)
  addStatus(program, context, exit)
  addAuditId(program, context, exit)
  addOptOut(program, context, exit)
  addPerson(program, context, exit)
  addBackup(program, context, exit)
  addDeprecations(program.command('deprecations'), context, exit)
  addRegistration(program, context, exit)
  addStore(program, context, exit)
  addDevelopment(program, context, exit)
}

const addServe: DefineCommands = (program, _context, exit) =>
  program
    .command('serve')
    .description(
      `Start the server. Configure it with environment variables: see docs/settings.md
or .env.example. It starts listening before the authorization server and store
are reachable, and shuts down gracefully on SIGTERM.`,
    )
    .addHelpText('after', EXITS)
    .action(() => exit(import('../server.ts').then(({ runServer }) => runServer()).then(() => 0)))

const momentIn = (text: string): number => {
  const at = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN
  if (!Number.isNaN(at)) return at
  throw new UsageError('--now expects a moment, such as --now 2027-01-31T09:00:00Z')
}

const dayIn = (text: string): string => {
  const at = Date.parse(text)
  // Date.parse reads February 30 as March 2.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && text.length === 10) return text
  throw new UsageError('--pause-until expects a day, such as --pause-until 2027-01-11')
}

const addKeep: DefineCommands = (program, context, exit) =>
  program
    .command('keep')
    .usage('[options] PEOPLE.csv')
    .description(
      `Do what is due for the people on the list, after the rollout too. Schedule it
every hour. A run invites new people, sends due reminders, checks everyone's
apps at a slow pace, and notices when someone loses access to an app. Emails go
out Monday to Friday, ${WORKING_HOURS.fromTime} to ${WORKING_HOURS.toTime} local time (column "timezone" of the list, or
the company file), at most four per person and quarter.

If many people lose an app at once, the cause is probably shared: ADMIN_EMAILS
get one email, and no one else does until you run it with --release APP, or most
of them have it again.

Examples:
  onramp keep people.csv --dry-run            show what a run would send now
  onramp keep people.csv --release slack_1    email people about Slack, too
  onramp keep people.csv --release all        about each app that is on hold`,
    )
    .argument('<PEOPLE.csv>')
    .option('--dry-run', "don't call the service or send email")
    .addOption(valueOption('--now <TIME>', 'with --dry-run: at that moment', momentIn))
    .addOption(numberOption('--ask-rate <N>', 'checks per minute', [1, 10_000]).default(80))
    .addOption(
      listOption(
        '--release <APP>',
        'email people about this app (or "all"), to which many lost access; or count it as connected, if it is gone from most lists',
      ),
    )
    .addOption(listOption('--removed <APP>', 'this app, which left many lists at once, was removed'))
    .addOption(
      valueOption('--pause-until <DATE>', 'email only ADMIN_EMAILS before that day; today ends it', dayIn),
    )
    .option('--include-guests', 'guests of your directory count as on the list')
    .option(
      '--confirm',
      'accept a list that drops more than a tenth of the people, or has new ids or addresses for them; and empty lists of apps',
    )
    .option('--json', 'print the counts as one line of JSON; with --dry-run, after one line for each email')
    .addHelpText(
      'after',
      `
Exit codes: 0 done, or another run is in progress; 3 something needs you
(printed with the command that helps), or --release, --removed, --pause-until
or --confirm had to wait for another run; 1 stopped; 2 usage error; 78
configuration error; 130 interrupted.`,
    )
    .action(async (file, options) => exit((await import('./keep.ts')).keep(file, options, context)))

const actAs = addressBy((typed) => (isActAsAddress(typed) ? typed : undefined))

const addDoctor: DefineCommands = (program, context, exit) =>
  program
    .command('doctor')
    .description(
      `Check the configuration and suggest fixes. You can run it before the first
start. It changes nothing: no client is registered, no one is signed in, no
email is sent. With a service token it looks up that person's apps twice, which
can invalidate connection links they were given moments ago. The report contains
no secrets.

Example:
  node --env-file=.env src/cli/main.ts doctor --as ada@acme.example`,
    )
    .addOption(valueOption('--as <EMAIL>', 'look up this person with SERVICE_GLOBAL_TOKEN', actAs))
    .option('--offline', "check settings and files only: don't use the network")
    .option('--strict', 'treat warnings as failures')
    .option(
      '--json',
      'print {"schema_version", "result", "counts", "findings": [{"group", "check", "status", "says", "settings", "fix"}]}; status: ok, warn, fail, skip',
    )
    .addHelpText('after', '\nExit codes: 0 no failure, 1 a failure (--strict: or a warning), 2 usage error.')
    .action(async (options) => exit((await import('./doctor.ts')).doctor(options, context)))

const STATUSES = Object.entries(APP_STATUSES).map(([name, { terminal }]) => `${name} (${terminal.text})`)

const addStatus: DefineCommands = (program, context, exit) =>
  program
    .command('status')
    .description(
      `Show which apps a person still has to connect. This can invalidate connection
links the person was given moments ago.

Example:
  SERVICE_GLOBAL_TOKEN_FILE=global.txt onramp status ada@acme.example

Requires SERVICE_BASE_URL and one of these tokens, and no other setting:
  SERVICE_GLOBAL_TOKEN   looks up anyone (acts on behalf of EMAIL)
  SERVICE_USER_TOKEN     looks up the token's owner only (leave EMAIL out)
Pass tokens through the environment or a file (NAME_FILE), never as an
argument, which others on the machine can read.`,
    )
    .argument('[EMAIL]', '', actAs)
    .option(
      '--json',
      `print {"schema_version", "person", "left": [{"instance", "name", "status"}]}; status: ${STATUSES.join(', ')}; person: null with a user token`,
    )
    .addOption(numberOption('--timeout <SECONDS>', 'how long to wait for a response', [1, 120]).default(10))
    .addHelpText(
      'after',
      `
Exit codes: 0 success, also with apps left; 1 any other failure; 2 usage error;
3 token rejected (401); 4 scope missing (403); 5 X-Service-ActAs missing, or no
one has that address; 6 too many requests (429); 7 service error (5xx), timeout;
78 configuration error.`,
    )
    .action(async (email, options) => exit((await import('./status.ts')).status(email, options, context)))

/** Looser than a recipient: any address that an authorization server may send. */
const signInAddress = addressBy((typed) => /^[^\s@]{1,127}@[^\s@]{1,126}$/.exec(typed.trim())?.[0])

const addAuditId: DefineCommands = (program, context, exit) =>
  program
    .command('audit-id')
    .description(
      `Show a person's ID in the audit log. The log contains no addresses: the ID is
"emailId" in the lines about them. A new INVITE_SECRET or SESSION_SECRET gives
new IDs: one is printed for each configured secret, the current one first.

Example:
  grep "$(onramp audit-id ada@acme.example)" onramp.log`,
    )
    .argument('<EMAIL>', '', signInAddress)
    .option('--json', 'print {"email", "ids": [{"id", "current"}]}')
    .addHelpText('after', EXITS)
    .action(async (email, options) =>
      exit((await import('./one-person.ts')).auditId(email, options, context)),
    )

const addPerson: DefineCommands = (program, context, exit) => {
  const person = program
    .command('person')
    .helpCommand(true)
    .description(
      `Show what would help a person now, their apps, and what happened.
Reads saved data only; doesn't contact the service.

Examples:
  onramp person ada@acme.example
  onramp person rename ada.king@acme.example ada.lovelace@acme.example`,
    )
    .argument('<EMAIL>', '', recipient)
    .option(
      '--json',
      'print all that is stored: {"schema_version", "email", "help", "checkedAt", "apps", "events", "stored"}',
    )
    .addHelpText('after', EXITS)
    .action(async (email, options) => exit((await import('./person.ts')).showPerson(email, options, context)))
  person
    .command('rename')
    .usage('[options] OLD NEW')
    .description(
      `Give a person a new address. Emails and their limits, progress and the opt-out
follow, and links to the former address still work. Refused if NEW has data of
its own: two people never become one. Audited on standard error.

Examples:
  onramp person rename ada.king@acme.example ada.lovelace@acme.example
  onramp person rename --file renamed.csv     two columns, the former and the new one`,
    )
    .argument('[OLD]', '', (typed) => recipient(typed, 'OLD'))
    .argument('[NEW]', '', (typed) => recipient(typed, 'NEW'))
    .addOption(textOption('--file <FILE>', 'rename each person of this CSV file (- is standard input)'))
    .addHelpText('after', EXITS)
    .action(async (from, to, options) =>
      exit((await import('./rename.ts')).rename([from, to], options, context)),
    )
}

const addOptOut: DefineCommands = (program, context, exit) =>
  program
    .command('opt-out')
    .description(
      `Opt a person out of emails, as the link in each email does.
Audited on standard error.

Example:
  onramp opt-out ada@acme.example`,
    )
    .argument('<EMAIL>', '', recipient)
    .addHelpText('after', EXITS)
    .action(async (email) => exit((await import('./opt-outs.ts')).optOut(email, context)))

const addBackup: DefineCommands = (program, context, exit) =>
  program
    .command('backup')
    .description(
      `Copy the embedded store while the server runs. Don't copy the file in DATA_DIR
yourself: the latest changes aren't in it yet. Only the owner can read FILE
(0600), and it appears once the copy has been verified. It's useless without
SESSION_SECRET, and INVITE_SECRET if you set one: keep both, in another place.
docs/commands.md says how to restore.

Needs DATA_DIR and no other setting. With REDIS_URL, back up Redis instead.

Example:
  onramp backup "/backup/onramp-$(date +%F).sqlite"`,
    )
    .argument('<FILE>')
    .option('--force', 'replace FILE if it exists')
    .option('--json', 'print {"schema_version", "file", "records", "bytes"}')
    .addHelpText('after', EXITS)
    .action(async (file, options) => exit((await import('./store.ts')).backup(file, options, context)))

const SKIPS_PROMPT = ['--yes', 'skip the confirmation prompt; required without a terminal'] as const

const addRegistration: DefineCommands = (program, context, exit) =>
  program
    .command('registration')
    .description('Manage the client that onramp registered for itself.')
    .command('forget')
    .description(
      `Delete the client, so that onramp registers again. Ends the pause after a failed
registration, too. The client is also removed from the authorization server, if
the server supports that (RFC 7592).

Running servers register again within ten minutes, or when they are restarted.
People stay signed in until their tokens expire, and then sign in again.`,
    )
    .option(...SKIPS_PROMPT)
    .addHelpText('after', EXITS)
    .action(async (options) => exit((await import('./registration.ts')).forgetRegistration(options, context)))

const addStore: DefineCommands = (program, context, exit) =>
  program
    .command('store')
    .description('Recover a store whose secret is lost.')
    .command('adopt')
    .description(
      `Give the store a new key, sealed with SESSION_SECRET. Use it when the former
secret is lost, or the records are older than the store's format, and onramp
refuses to start. It gives up what is stored about people: who was emailed,
who opted out, and everyone's progress.

If you still have the former secret, add it as the second one in SESSION_SECRET
instead: nothing is lost then.`,
    )
    .option(...SKIPS_PROMPT)
    .addHelpText('after', EXITS)
    .action(async (options) => exit((await import('./store.ts')).adopt(options, context)))

/** True in a clone: neither npm nor the image installs this development package. */
function hasSandbox(): boolean {
  try {
    import.meta.resolve('@onramp/sandbox')
    return true
  } catch {
    return false
  }
}

const addDevelopment: DefineCommands = (program, context, exit) => {
  const isInstalled = hasSandbox()
  const run = async (name: 'demo' | 'sandbox'): Promise<number> => {
    if (isInstalled) return await import('./demo/demo.ts').then((commands) => commands[name](context))
    context.stderr.write(
      `onramp ${name}: it is for development only, and the sandbox is not installed here: install @onramp/sandbox beside onramp, or run it in a clone of the repository, after npm ci\n`,
    )
    return 1
  }
  program
    .command('demo', { hidden: !isInstalled })
    .description(
      `Run the server with the sandbox and the embedded store. Prints the URL and test
users. PORT sets onramp's port (default: 3000); SANDBOX_PORT sets the first of
the sandbox's six ports (default: 4000).`,
    )
    .addHelpText('after', EXITS)
    .action(() => exit(run('demo')))
  program
    .command('sandbox', { hidden: !isInstalled })
    .description(
      `Run a local stand-in for the search service. For development only: it listens on
loopback addresses (six ports from SANDBOX_PORT, default: 4000) and keeps
everything in memory; its mail server delivers nothing. SANDBOX_COMPANY=5000
adds 5,000 generated people. In a container, SANDBOX_BIND=0.0.0.0 lets published
ports reach it.`,
    )
    .addHelpText('after', EXITS)
    .action(() => exit(run('sandbox')))
}
