// The help text of `onramp audit-id`.

export const auditIdHelp = `Usage: onramp audit-id EMAIL [--json]

Prints the id of a person in the audit log, which holds no addresses: the
"emailId" in the lines about them. It is made from the address and the first of
INVITE_SECRET, or of SESSION_SECRET where that is not set, so a new secret gives
new ids. There is one for each configured secret, the one in use first.

The "user" beside it is made from the issuer and the subject: it finds the lines
of a person whose address changed.

Examples:
  onramp audit-id ada@acme.example
  grep "$(onramp audit-id ada@acme.example)" onramp.log

Options:
  --json  {"email", "ids": [{"id", "current"}]}

Exit codes: 0 done, 2 wrong usage, 78 settings need correcting.
`
