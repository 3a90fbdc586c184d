// The help text of `onramp doctor`.
export const doctorHelp = `Usage: onramp doctor [--as EMAIL] [--offline] [--strict] [--json]

Checks settings, authorization server, store and service; says what to change.

Examples:
  onramp doctor                         with the environment of the server
  node --env-file=.env src/cli/main.ts doctor
  onramp doctor --offline               settings and files, no network
  onramp doctor --as ada@acme.example   also what SERVICE_GLOBAL_TOKEN can see
  onramp doctor --json > doctor.json

Every check runs, even before the first start. Nothing is changed: no client is
registered, no one is signed in, no mail is sent (the mail server of SMTP_URL is
only greeted), and a record in Redis lives for five seconds. With a service
token it asks twice what the token's person still has to connect, which may void
links that they were given a moment ago.
The report holds no secret and can be pasted into an issue.

Options:
  --as EMAIL   the person for whom SERVICE_GLOBAL_TOKEN acts
  --offline    checks that need no network
  --strict     treats warnings as failures
  --json       {"schema_version", "result", "counts", "findings": [{"group",
               "check", "status", "says", "settings", "fix"}]};
               status: ok, warn, fail, skip

Exit codes:
  0   nothing failed
  1   something failed; with --strict also when there are warnings
  2   wrong usage
`
