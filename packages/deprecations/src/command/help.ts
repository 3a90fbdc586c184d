// The help texts of `onramp deprecations`: examples first, then what there is.

export const deprecationsHelp = `Usage: onramp deprecations [COMMAND] [options]

  onramp deprecations list                      the schedule, with days left
  onramp deprecations list --within 90 --csv    removals in 90 days, as CSV
  onramp deprecations check traffic.har         find deprecated APIs in traffic
  onramp deprecations calendar > removals.ics   removal dates for your calendar
  onramp deprecations diff old.json new.json    changes between two schedules
  onramp deprecations schema > schedule.schema.json

Lists what the Client and Indexing APIs are removing and where you use it.
Commands: list (the default), check, calendar, diff, schema. Each has --help.
Items keep working until the day before their removal date (UTC).
`

export const listHelp = `Usage: onramp deprecations list [options]

  onramp deprecations list
  onramp deprecations list --within 90
  onramp deprecations list --api indexing --json
  onramp deprecations list --operation chat --as-of 2026-10-01

Lists the schedule by removal date.

  --as-of DATE       use this date as today (YYYY-MM-DD, UTC)
  --within DAYS      only items to be removed in the next DAYS days;
                     excludes items that are already removed
  --api API          client or indexing
  --operation TEXT   only operations whose method or path contains TEXT
  --json, --csv      machine-readable output; the JSON is a schedule file
  --schedule FILE    add your own entries (repeatable); see
                     onramp deprecations schema

Exit codes: 0 success, 1 unreadable file, 2 usage error.
`

export const checkHelp = `Usage: onramp deprecations check [FILE]... [options]

  onramp deprecations check traffic.har
  onramp deprecations check requests.ndjson --within 60 --waivers waivers.json
  onramp deprecations check openapi.yaml --sarif > deprecations.sarif
  gunzip -c access.log.gz | onramp deprecations check -
  onramp deprecations check logs/*.ndjson --report junit=junit.xml

Finds deprecated endpoints and fields in recorded traffic. Hosts and path
prefixes are ignored. Prints locations only, never values.

Input formats:
  HAR          up to 256 MiB
  NDJSON       {"method", "url", "request"?, "response"?, "status"?, "time"?},
               any size, up to 2 Mi characters per line and record; a body can
               be wrapped in {"status", "headers", "body"}
  OpenAPI      2 and 3; JSON up to 32 MiB, YAML up to 8 MiB, with the files it
               refers to next to and below it; nothing is fetched
  access logs  METHOD URL, Common or Combined Log Format
Bodies can be JSON, several documents, JSON Lines, events or forms.

  --fail-on LEVEL    possible (default), use (not for items that only may be
                     in use), removed (in use, and gone already), never
  --within DAYS      ignore items removed more than DAYS days from now
  --as-of DATE       use this date as today (YYYY-MM-DD, UTC)
  --waivers FILE     items you allow until a given date; see
                     onramp deprecations schema waivers
  --schedule FILE    add your own entries (repeatable); see
                     onramp deprecations schema
  --input FORMAT     har, ndjson, openapi or log (default: detect)
  --ignore-broken    report unreadable lines, bodies and references, but don't
                     fail the check because of them
  --json, --sarif, --junit, --annotations
                     print the report in this format
  --report KIND=FILE write the report as text, json, sarif, junit or annotations
                     to a file (repeatable)

An endpoint counts as in use, and so does a field of the body or of the object
that the operation is about (employee.location). A field of the same name deeper
in the body only may be in use, and so may every field of a body that was not
recorded or could not be read. These fail the check with an exit code of their
own, unless you use --fail-on use. A field inside a replacement
(permissions.role) is not the deprecated one.

The report says "Nothing deprecated is in use" only if everything that matters
was recorded and readable. Each unreadable body or reference is reported with
its line, and the exit code is 1 unless something is in use or you use
--ignore-broken.

Exit codes: 0 none found, 2 deprecated or removed API in use, 3 only items that
may be in use, 1 unreadable input or usage error.
`

export const calendarHelp = `Usage: onramp deprecations calendar [options]

  onramp deprecations calendar > removals.ics
  onramp deprecations calendar --api indexing --within 365 > indexing.ics

Prints the removal dates as iCalendar, with reminders 30, 7 and 1 days before.
Accepts the same --as-of, --within, --api, --operation and --schedule as list.
Events keep their UIDs when dates change.

Exit codes: 0 success, 1 unreadable file, 2 usage error.
`

export const diffHelp = `Usage: onramp deprecations diff [OLD] NEW [--json]

  onramp deprecations diff old.json new.json
  onramp deprecations diff new.json              compare with the built-in one
  onramp deprecations list --json > today.json   save a schedule for later

Lists the changes between two schedules.

  --json             the changes as JSON

Exit codes: 0 success, 1 a removal moved earlier (or unreadable file),
2 usage error.
`

export const schemaHelp = `Usage: onramp deprecations schema [schedule|waivers]

  onramp deprecations schema > schedule.schema.json
  onramp deprecations schema waivers > waivers.schema.json

Prints the JSON Schema of schedule and waiver files.

Exit codes: 0 success, 2 usage error.
`
