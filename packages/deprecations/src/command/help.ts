// The help texts of `onramp deprecations`: examples first, then what there is.

export const deprecationsHelp = `Usage: onramp deprecations [COMMAND] [options]

  onramp deprecations list                      the schedule, with days left
  onramp deprecations list --within 90 --csv    what goes soon, for a sheet
  onramp deprecations check traffic.har         what your traffic uses of it
  onramp deprecations calendar > removals.ics   the dates, for your calendar
  onramp deprecations diff old.json new.json    what changed in between
  onramp deprecations schema > schedule.schema.json

What is going away from the two APIs, and what of it you use.
Commands: list (the default), check, calendar, diff, schema. Each has --help.
An item is available before its removal date (UTC) and gone from that date on.
`

export const listHelp = `Usage: onramp deprecations list [options]

  onramp deprecations list
  onramp deprecations list --within 90
  onramp deprecations list --api indexing --json
  onramp deprecations list --operation chat --as-of 2026-10-01

The schedule by removal date.

  --as-of DATE       as if today were this day (YYYY-MM-DD, UTC)
  --within DAYS      only what goes within so many days; what is removed already
                     is left out
  --api API          client or indexing
  --operation TEXT   only operations with this piece in METHOD and path
  --json, --csv      for programs and sheets; the JSON is a schedule file
  --schedule FILE    adds entries of your own (repeatable); see
                     onramp deprecations schema

Exit codes: 0 done, 1 a file could not be read, 2 wrong usage.
`

export const checkHelp = `Usage: onramp deprecations check [FILE]... [options]

  onramp deprecations check traffic.har
  onramp deprecations check requests.ndjson --within 60 --waivers waivers.json
  onramp deprecations check openapi.yaml --sarif > deprecations.sarif
  gunzip -c access.log.gz | onramp deprecations check -
  onramp deprecations check logs/*.ndjson --report junit=junit.xml

Finds deprecated endpoints and fields in recorded traffic. Hosts and prefixes of
the path do not matter. Values are never printed, only places.

It reads
  HAR          to 256 MiB
  NDJSON       {"method", "url", "request"?, "response"?, "status"?, "time"?},
               of any size, its lines and records to 2 Mi characters; a body may
               be in {"status", "headers", "body"}
  OpenAPI      2 and 3; JSON to 32 MiB, YAML to 8 MiB, with the files beside and
               below it that it refers to; nothing is fetched
  access logs  METHOD URL, Common or Combined Log Format
Bodies may be JSON, several documents, JSON lines, events or forms.

  --fail-on LEVEL    deprecated (the default), removed, possible (also what may
                     be in use), never
  --within DAYS      leaves out what is removed later than so many days from now
  --as-of DATE       as if today were this day (YYYY-MM-DD, UTC)
  --waivers FILE     items that may be in use until a day; see
                     onramp deprecations schema waivers
  --schedule FILE    adds entries of your own (repeatable); see
                     onramp deprecations schema
  --input FORMAT     har, ndjson, openapi or log, where detection fails
  --ignore-broken    lines, bodies and references that cannot be read are
                     reported but do not fail the check
  --json, --sarif, --junit, --annotations
                     the report in this form on standard output
  --report KIND=FILE the report as text, json, sarif, junit or annotations into
                     a file (repeatable)

An endpoint is in use, and so is a field of the body or of what the operation is
about (employee.location). A field of the same name deeper in the body only may
be in use, and so may every field of a body that was not recorded or could not
be read. That alone does not fail the check without --fail-on possible. A field
inside a replacement (permissions.role) is not the deprecated one.

The report says "Nothing deprecated is in use" only when everything that matters
was there and was read. A body or reference that cannot be read is reported with
its line, and ends in 1 unless something is in use or --ignore-broken is given.

Exit codes: 0 nothing in use, 2 deprecated in use, 3 removed in use (with
--fail-on possible: in use or may be), 1 something could not be read, or
wrong usage.
`

export const calendarHelp = `Usage: onramp deprecations calendar [options]

  onramp deprecations calendar > removals.ics
  onramp deprecations calendar --api indexing --within 365 > indexing.ics

The removal dates as iCalendar, with alarms 30, 7 and 1 days before.
Takes --as-of, --within, --api, --operation and --schedule as list does. Events
keep their UIDs when dates move.

Exit codes: 0 done, 1 a file could not be read, 2 wrong usage.
`

export const diffHelp = `Usage: onramp deprecations diff [OLD] NEW [--json]

  onramp deprecations diff old.json new.json
  onramp deprecations diff new.json              against the schedule of onramp
  onramp deprecations list --json > today.json   makes a file to compare with

What changed between two schedules.

  --json             the changes for programs

Exit codes: 0 compared, 1 an item's removal moved earlier (or a file could not
be read), 2 wrong usage.
`

export const schemaHelp = `Usage: onramp deprecations schema [schedule|waivers]

  onramp deprecations schema > schedule.schema.json
  onramp deprecations schema waivers > waivers.schema.json

The JSON Schema of the files you write.

Exit codes: 0 done, 2 wrong usage.
`
