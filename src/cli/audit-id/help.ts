// The help text of `onramp audit-id`. Text alone, so that reading it loads nothing of the command.

export const auditIdHelp = `Usage: onramp audit-id EMAIL [--json]

Prints what stands for a person in the audit log: the "emailId" of the lines
about them, which is worked out from the address and the server's secret. The
log holds no address. The "user" beside it is of the issuer and the subject, and
finds the lines of the same person under an address that changed.

The ids are made under the first of INVITE_SECRET, or of SESSION_SECRET where
that is not set; with a new secret the ids change. One is printed for each
secret that is configured, the one in use first.

Examples:
  onramp audit-id ada@acme.example
  grep "$(onramp audit-id ada@acme.example)" onramp.log

Options:
  --json  {"email", "ids": [{"id", "current"}]}

Exit codes: 0 done, 2 wrong usage, 78 settings need correcting.
`
