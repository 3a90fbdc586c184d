// The help text of `onramp status`.
export const statusHelp = `Usage: onramp status [EMAIL] [--json] [--timeout SECONDS]

Shows which apps a person still has to connect.

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

This can invalidate connection links the person was given moments ago.

Options:
  --json              {"schema_version", "person", "left": [{"instance", "name",
                      "status"}]}, status: awaiting, stale (reconnect),
                      disabled, attention (has no connection link);
                      person: null with a user token
  --timeout SECONDS   1 to 120 (default: 10)

Exit codes:
  0   success, whether or not apps are left
  1   any other failure
  2   usage error
  3   token rejected (401)
  4   the token lacks a scope (403)
  5   X-Service-ActAs is missing, or no one has that address
  6   too many requests (429)
  7   service error (5xx) or timeout
  78  configuration error
`
