// The help text of `onramp doctor`.
export const doctorHelp = `Usage: onramp doctor [--as EMAIL] [--offline] [--strict] [--json]

Checks the settings, authorization server, store and service, and says what to
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
The report contains no secrets, so you can paste it into an issue.

Options:
  --as EMAIL   look up this person with SERVICE_GLOBAL_TOKEN
  --offline    don't use the network
  --strict     treat warnings as failures
  --json       {"schema_version", "result", "counts", "findings": [{"group",
               "check", "status", "says", "settings", "fix"}]};
               status: ok, warn, fail, skip

Exit codes:
  0   no check failed
  1   at least one check failed (with --strict: or warned)
  2   usage error
`
