// The help text of `onramp status`.
export const statusHelp = `Usage: onramp status [EMAIL] [--json] [--timeout SECONDS]

Shows what a person still has to connect.

Examples:
  export SERVICE_BASE_URL=https://tenant-be.example
  SERVICE_GLOBAL_TOKEN_FILE=global.txt onramp status ada@acme.example
  SERVICE_USER_TOKEN_FILE=mine.txt onramp status
  onramp status ada@acme.example --json | jq -r '.left[].instance'

It needs SERVICE_BASE_URL and one token, and no other setting of the server:
  SERVICE_GLOBAL_TOKEN   can show anyone; it acts for EMAIL
  SERVICE_USER_TOKEN     can show only the person it belongs to
Tokens come from the environment, or as NAME_FILE from a file, never from an
argument, which others on the machine can read.

This may void authorization links that the person was given a moment ago.

Options:
  --json              {"schema_version", "person", "left": [{"instance", "name",
                      "status"}]}, status: awaiting, stale (to connect again),
                      disabled, attention (comes without an address to start
                      from); person: null with a user's token
  --timeout SECONDS   1 to 120; 10 by default

Exit codes:
  0   done, even when something is left
  1   failed in another way
  2   wrong usage
  3   the service does not accept the token (401)
  4   the token lacks a scope (403)
  5   X-Service-ActAs is missing, or the service knows no such person
  6   too many requests (429)
  7   the service fails (5xx), or cannot be reached in time
  78  a setting needs correcting
`
