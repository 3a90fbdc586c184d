// What `onramp doctor --help` says. At most 80 columns.
export const doctorHelp = `Usage: onramp doctor [--as EMAIL] [--offline] [--strict] [--json]

Checks settings, authorization server, store and service; says what to change.

Examples:
  onramp doctor                         with the environment of the server
  node --env-file=.env src/cli/main.ts doctor
  onramp doctor --offline               settings and files, no network
  onramp doctor --as ada@acme.example   also what SERVICE_GLOBAL_TOKEN can see
  onramp doctor --json > doctor.json

Every check runs, also before the first start. Nothing is changed: no client is
registered, no one is signed in, no mail is sent (the mail server of SMTP_URL is
only greeted), and a record in Redis lives for five seconds. With a service
token it asks twice what the token's person still has to connect. Links that
they were given a moment ago may be void then.
The report holds no secret and can be pasted into an issue.

Options:
  --as EMAIL   the person for whom SERVICE_GLOBAL_TOKEN acts
  --offline    no network
  --strict     warnings count as failures
  --json       {"schema_version", "result", "counts", "findings": [{"group",
               "check", "status", "says", "settings", "mend"}]};
               status: ok, warn, fail, skip

Exit codes:
  0   nothing failed
  1   something failed; with --strict, or was warned of
  2   wrong usage
`
