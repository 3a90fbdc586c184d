// The help text of `onramp audit-id`.

export const auditIdHelp = `Usage: onramp audit-id EMAIL [--json]

Prints a person's ID in the audit log, which contains no addresses: the
"emailId" in the lines about them. It is derived from the address and the first
INVITE_SECRET, or SESSION_SECRET if that is not set, so a new secret gives new
IDs. One ID is printed for each configured secret, the current one first.

The "user" next to it is derived from the issuer and the subject: use it to find
the lines of a person whose address changed.

Examples:
  onramp audit-id ada@acme.example
  grep "$(onramp audit-id ada@acme.example)" onramp.log

Options:
  --json  {"email", "ids": [{"id", "current"}]}

Exit codes: 0 success, 2 usage error, 78 configuration error.
`
