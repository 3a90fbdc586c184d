// Every command with its options and help. The code of a command is loaded when it is called.
import type { Command } from '@commander-js/extra-typings'
import { addCommands as addDeprecations } from '@onramp/deprecations/command'
import { text, wholeNumber } from '@onramp/deprecations/command-line/arguments'
import type { CliParts } from '@onramp/deprecations/command-line/parts'
import type { Define, Exit } from '@onramp/deprecations/command-line/shell'
import { VERSION } from '../version.ts'
import { addInvite } from './invite/commands.ts'

const CONFIRMED = `
Exit codes: 0 success, 1 not confirmed or store unreachable, 2 usage error,
78 configuration error.`
const SERVER_EXITS = `
Exit codes: 0 stopped by a signal, 1 port in use, 2 usage error`

export const onramp: Define = (program, parts, exit) => {
  program
    .name('onramp')
    .description('Guides people through connecting their apps to enterprise search.')
    .version(VERSION, '--version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', '\nRun "onramp COMMAND --help" for details.')
  addServe(program, exit)
  addInvite(program, parts, exit)
  addDoctor(program, parts, exit)
  addStatus(program, parts, exit)
  addAuditId(program, parts, exit)
  addBackup(program, parts, exit)
  addDeprecations(program.command('deprecations'), parts, exit)
  addRegistration(program, parts, exit)
  addStore(program, parts, exit)
  addDevelopment(program, parts, exit)
}

function addServe(program: Command, exit: Exit): void {
  program
    .command('serve')
    .summary('start the server')
    .description(
      `Starts the server. Configure it with environment variables: see docs/settings.md
or .env.example. It starts listening before the authorization server and store
are reachable, and shuts down gracefully on SIGTERM.`,
    )
    .addHelpText(
      'after',
      `${SERVER_EXITS},
78 configuration error (each problem is listed with its fix).`,
    )
    .action(() => exit(import('./serve/serve.ts').then(({ serve }) => serve())))
}

function addDoctor(program: Command, parts: CliParts, exit: Exit): void {
  program
    .command('doctor')
    .summary('check the configuration and suggest fixes')
    .description(
      `Checks the settings, authorization server, store and service, and says what to
fix.

Examples:
  onramp doctor                         use the server's environment
  node --env-file=.env src/cli/main.ts doctor
  onramp doctor --offline               check settings and files only
  onramp doctor --as ada@acme.example   also what SERVICE_GLOBAL_TOKEN can see
  onramp doctor --json > doctor.json

You can run it before the first start. It changes nothing: no client is
registered, no one is signed in, no email is sent (the mail server in SMTP_URL
only gets a greeting), and a test record in Redis expires after five seconds.
With a service token it looks up that person's apps twice, which can invalidate
connection links they were given moments ago.
The report contains no secrets, so you can paste it into an issue.`,
    )
    .addOption(text('--as <EMAIL>', 'look up this person with SERVICE_GLOBAL_TOKEN'))
    .option('--offline', "don't use the network")
    .option('--strict', 'treat warnings as failures')
    .option(
      '--json',
      'print {"schema_version", "result", "counts", "findings": [{"group", "check", "status", "says", "settings", "fix"}]}; status: ok, warn, fail, skip',
    )
    .addHelpText(
      'after',
      `
Exit codes:
  0   no check failed
  1   at least one check failed (with --strict: or warned)
  2   usage error`,
    )
    .action((options) => exit(import('./doctor/doctor.ts').then(({ run }) => run(options, parts))))
}

function addStatus(program: Command, parts: CliParts, exit: Exit): void {
  program
    .command('status')
    .summary('show what someone still has to connect')
    .description(
      `Shows which apps a person still has to connect.

Examples:
  export SERVICE_BASE_URL=https://tenant-be.example
  SERVICE_GLOBAL_TOKEN_FILE=global.txt onramp status ada@acme.example
  SERVICE_USER_TOKEN_FILE=mine.txt onramp status
  onramp status ada@acme.example --json | jq -r '.left[].instance'

Requires SERVICE_BASE_URL and one of these tokens, and no other setting:
  SERVICE_GLOBAL_TOKEN   looks up anyone (acts on behalf of EMAIL)
  SERVICE_USER_TOKEN     looks up the token's owner only
Pass tokens through the environment or a file (NAME_FILE), never as an
argument, which others on the machine can read.

This can invalidate connection links the person was given moments ago.`,
    )
    .argument('[EMAIL]')
    .option(
      '--json',
      'print {"schema_version", "person", "left": [{"instance", "name", "status"}]}; status: awaiting, stale (reconnect), disabled, attention (has no connection link); person: null with a user token',
    )
    .addOption(wholeNumber('--timeout <SECONDS>', 'how long to wait for an answer', [1, 120]).default(10))
    .addHelpText(
      'after',
      `
Exit codes:
  0   success, whether or not apps are left
  1   any other failure
  2   usage error
  3   token rejected (401)
  4   the token lacks a scope (403)
  5   X-Service-ActAs is missing, or no one has that address
  6   too many requests (429)
  7   service error (5xx) or timeout
  78  configuration error`,
    )
    .action((email, options) =>
      exit(import('./status/status.ts').then(({ run }) => run({ email, ...options }, parts))),
    )
}

function addAuditId(program: Command, parts: CliParts, exit: Exit): void {
  program
    .command('audit-id')
    .summary("show a person's ID in the audit log")
    .description(
      `Prints a person's ID in the audit log, which contains no addresses: the
"emailId" in the lines about them. It is derived from the address and the first
INVITE_SECRET, or SESSION_SECRET if that is not set, so a new secret gives new
IDs. One ID is printed for each configured secret, the current one first.

The "user" next to it is derived from the issuer and the subject: use it to find
the lines of a person whose address changed.

Examples:
  onramp audit-id ada@acme.example
  grep "$(onramp audit-id ada@acme.example)" onramp.log`,
    )
    .argument('<EMAIL>')
    .option('--json', 'print {"email", "ids": [{"id", "current"}]}')
    .addHelpText('after', '\nExit codes: 0 success, 2 usage error, 78 configuration error.')
    .action((email, options) =>
      exit(import('./audit-id.ts').then(({ auditId }) => auditId(email, options, parts))),
    )
}

function addBackup(program: Command, parts: CliParts, exit: Exit): void {
  program
    .command('backup')
    .summary('copy the embedded store while the server runs')
    .description(
      `Copies the embedded store (DATA_DIR) to FILE while the server runs. Don't copy
the store's file yourself: the latest changes aren't in it yet. Only the owner
can read FILE (0600), and it appears once the copy has been verified.

The copy is encrypted: it's useless without SESSION_SECRET, and INVITE_SECRET if
you set one. Keep both, but in another place.

To restore: stop the server, delete everything in DATA_DIR, copy FILE to
DATA_DIR/onramp.sqlite as the server's user, and start the server.

Needs DATA_DIR and no other setting. With REDIS_URL, back up Redis instead.

Examples:
  onramp backup /backup/onramp.sqlite --force
  onramp backup "/backup/onramp-$(date +%F).sqlite"`,
    )
    .argument('<FILE>')
    .option('--force', 'replace FILE if it exists')
    .option('--json', 'print {"schema_version", "file", "records", "bytes"}')
    .addHelpText(
      'after',
      `
Exit codes: 0 success, 1 failed, 2 usage error or the store is Redis,
78 configuration error.`,
    )
    .action((file, options) => exit(import('./backup.ts').then(({ backup }) => backup(file, options, parts))))
}

function addRegistration(program: Command, parts: CliParts, exit: Exit): void {
  program
    .command('registration')
    .summary('manage the client that onramp registered for itself')
    .description('The client that onramp registers for itself if OIDC_CLIENT_ID is not set.')
    .command('forget')
    .summary('delete it, so that onramp registers again')
    .description(
      `Deletes the client that onramp registered with these settings, and the pause
after a failed registration. The client is also removed from the authorization
server, if the server supports that (RFC 7592).

Running servers register again within the hour, or when they are restarted.
People stay signed in until their tokens expire, and then sign in again.

Example:
  onramp registration forget --yes`,
    )
    .option('--yes', 'skip the confirmation prompt; required without a terminal')
    .addHelpText('after', CONFIRMED)
    .action((options) => exit(import('./registration.ts').then(({ forget }) => forget(options, parts))))
}

function addStore(program: Command, parts: CliParts, exit: Exit): void {
  program
    .command('store')
    .summary('use a store whose secret is lost')
    .description('The store that REDIS_URL and REDIS_PREFIX, or DATA_DIR, name.')
    .command('adopt')
    .summary('use a store whose key no secret in SESSION_SECRET opens')
    .description(
      `Gives the store a new key, sealed under SESSION_SECRET. Use it when the former
secret is lost and onramp refuses to start. What was stored about people can't
be read from then on: who was emailed, who opted out, and everyone's progress.

If you still have the former secret, add it as the second one in SESSION_SECRET
instead: nothing is lost then.

Example:
  onramp store adopt --yes`,
    )
    .option('--yes', 'skip the confirmation prompt; required without a terminal')
    .addHelpText('after', CONFIRMED)
    .action((options) => exit(import('./store.ts').then(({ adopt }) => adopt(options, parts))))
}

/** The sandbox is a development package: onramp is installed without it, and its image is built without it. */
function hasSandbox(): boolean {
  try {
    import.meta.resolve('@onramp/sandbox')
    return true
  } catch {
    return false
  }
}

function addDevelopment(program: Command, parts: CliParts, exit: Exit): void {
  const isInstalled = hasSandbox()
  const withSandbox = (name: string, start: () => Promise<number>) => {
    if (isInstalled) return exit(start())
    parts.stderr.write(
      `onramp ${name}: it is for development only, and the sandbox is not installed here: install @onramp/sandbox beside onramp, or run it in a clone of the repository, after npm ci\n`,
    )
    return exit(Promise.resolve(1))
  }
  program
    .command('demo', { hidden: !isInstalled })
    .summary('run the server with the sandbox')
    .description(
      `Starts onramp and the sandbox with the embedded store, and prints the URL and
test users. PORT sets onramp's port (default: 3000); SANDBOX_PORT sets the first
of the sandbox's six ports (default: 4000).`,
    )
    .addHelpText('after', `${SERVER_EXITS},\n78 configuration error.`)
    .action(() => withSandbox('demo', () => import('./serve/demo.ts').then(({ demo }) => demo(parts))))

  program
    .command('sandbox', { hidden: !isInstalled })
    .summary('run a local stand-in for the search service')
    .description(
      `Starts a local stand-in for the search service on six consecutive ports
(from SANDBOX_PORT, default: 4000): the service, its authorization server, an
external identity provider, the apps' consent pages, a control panel with
switches, and a mail server that doesn't deliver anything. SANDBOX_COMPANY=5000
adds 5,000 generated people.

Development only: it listens on loopback addresses and keeps everything in
memory. In a container, SANDBOX_BIND=0.0.0.0 lets published ports reach it.`,
    )
    .addHelpText('after', `${SERVER_EXITS}.`)
    .action(() =>
      withSandbox('sandbox', () => import('./serve/sandbox.ts').then(({ sandbox }) => sandbox(parts))),
    )
}
