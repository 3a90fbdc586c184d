// The help text of `onramp backup`.
export const backupHelp = `Usage: onramp backup FILE [--force] [--json]

Copies the embedded store (DATA_DIR) to FILE while the server runs. Don't copy
the store's file yourself: the latest changes aren't in it yet. Only the owner
can read FILE (0600), and it appears once the copy has been verified.

The copy is encrypted: it's useless without SESSION_SECRET, and INVITE_SECRET if
you set one. Keep both, but in another place.

To restore: stop the server, delete everything in DATA_DIR, copy FILE to
DATA_DIR/onramp.sqlite as the server's user, and start the server.

Needs DATA_DIR and no other setting. With REDIS_URL, back up Redis instead.

Examples:
  onramp backup /backup/onramp.sqlite --force
  onramp backup "/backup/onramp-$(date +%F).sqlite"

Options:
  --force  replace FILE if it exists
  --json   {"schema_version", "file", "records", "bytes"}

Exit codes: 0 success, 1 failed, 2 usage error or the store is Redis,
78 configuration error.
`
